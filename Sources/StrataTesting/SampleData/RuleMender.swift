import Strata
import StrataExpression
import StrataSQLite
import StrataSchema

/// Makes generated objects keep the rules of their version, so that what an upgrade refuses is its own.
///
/// An object that breaks a rule gets other values of properties that the rule reads: those that the rule names and their
/// neighbours, ordinary ones, nil. One for which nothing is found is deleted with what cannot be without it.
struct RuleMender {
  /// How often everything is looked at again, because a value of one object may break another one's rule.
  private static let maximumRounds = 6
  /// Ordinary values that are tried of a property.
  private static let samples = 6

  let database: Database
  let schema: Schema
  let values: SampleValues
  private let check: RuleCheck

  /// Nil where there are no rules.
  init?(_ database: Database, schema: Schema, seed: UInt64) throws {
    guard schema.hasRules else { return nil }
    self.database = database
    self.schema = schema
    values = SampleValues(seed: seed, schema: schema)
    check = try RuleCheck(database, schema: schema)
  }

  func run() throws {
    for round in 0..<Self.maximumRounds {
      var isMended = true
      for model in schema.storedModels where !model.rules.isEmpty {
        let rules = check.rules(of: model.name)
        for rule in model.rules {
          for row in try broken(model, rule) {
            isMended = false
            // Others of the first rounds may have mended it meanwhile.
            let count = try check.brokenRules(of: row, among: rules)
            if count > 0 { try mend(row, model, rule, broken: count, round: round) }
          }
        }
      }
      if isMended { break }
    }
    // Also embedded objects that a mended property has held.
    try check.deleteBroken()
  }

  private func broken(_ model: Model, _ rule: ModelRule) throws -> [Int64] {
    var rows: [Int64] = []
    try check.forEachBroken(model: model.name, rule: rule.name) { rows.append($0) }
    return rows
  }

  // MARK: - Values

  /// Takes the first value that leaves fewer rules broken, property by property.
  ///
  /// - Parameter broken: how many rules the object breaks.
  private func mend(
    _ row: Int64, _ model: Model, _ rule: ModelRule, broken: Int, round: Int
  ) throws {
    var count = broken
    let unique = Set(model.uniqueKeys.flatMap { $0 })
    for property in check.ownProperties(model: model.name, rule: rule.name)
    where !unique.contains(property.name) {
      guard property.type.isCollection || property.type.valueType != nil, property.isStored else {
        continue
      }
      // A change of this property breaks and mends no others.
      let rules = check.rules(of: model.name, reading: property)
      let others = count - (try check.brokenRules(of: row, among: rules))
      if property.type.isCollection {
        let table = SQL.identifier("\(model.name).\(property.name)")
        let savepoint = try database.beginSavepoint("mend")
        try database.execute("DELETE FROM \(table) WHERE _owner = ?", .integer(row))
        try keep(&count, others, row, rules, savepoint)
        continue
      }
      let column = SQL.identifier(property.name)
      for value in try candidates(property, of: model, rule, row: row, round: round) {
        let cell = value.isNull ? .null : try property.codec(in: schema).sqliteValue(of: value)
        let savepoint = try database.beginSavepoint("mend")
        try database.execute(
          "UPDATE \(SQL.identifier(model.name)) SET \(column) = ? WHERE _row = ?", cell,
          .integer(row))
        try keep(&count, others, row, rules, savepoint)
        if count == 0 { return }
      }
    }
  }

  /// Keeps a change where it leaves fewer rules broken, and takes it back otherwise.
  ///
  /// - Parameters:
  ///   - count: how many rules the object breaks.
  ///   - others: how many of them the change does not matter to.
  ///   - rules: those that it may matter to.
  private func keep(
    _ count: inout Int, _ others: Int, _ row: Int64, _ rules: RuleCheck.Rules,
    _ savepoint: Savepoint
  ) throws {
    let now = others + (try check.brokenRules(of: row, among: rules))
    if now < count { count = now } else { try database.rollBack(to: savepoint) }
    try database.release(savepoint)
  }

  /// Those that the rule names and their neighbours, ordinary ones, nil; each object begins elsewhere among them.
  private func candidates(
    _ property: Property, of model: Model, _ rule: ModelRule, row: Int64, round: Int
  ) throws -> [Value] {
    guard let type = property.type.valueType else { return [] }
    var found: [Value] = []
    if let scalar = type.base.scalar {
      let literals = try Expression.parse(rule.condition, for: .query).literals
      for literal in literals.flatMap(\.neighbours) {
        let value = literal.scalarType == scalar ? literal : Conversion.convert(literal, to: scalar)
        if !value.isNull, scalar.holds(value) { found.append(value) }
      }
    }
    if case .enumeration(let name) = type.base {
      found += schema.enumeration(named: name)?.cases.map(\.rawValue) ?? []
    }
    if !type.base.isObject {
      for number in 0..<Self.samples {
        let object = Int(truncatingIfNeeded: row) + (round * Self.samples + number) * 7919
        found.append(
          values.value(
            of: type.base, name: property.name, model: model.name, object: abs(object),
            isUnique: false))
      }
    }
    if found.count > 1 {
      let start = Int(row.magnitude % UInt64(found.count))
      found = Array(found[start...] + found[..<start])
    }
    if type.isOptional { found.append(.null) }
    return found
  }
}

extension Expression {
  /// The constants of the expression and its parts.
  fileprivate var literals: [Value] {
    if case .literal(let value) = kind { return [value] }
    return children.flatMap(\.literals)
  }
}

extension Value {
  /// The value, and those just below and above it.
  fileprivate var neighbours: [Value] {
    switch self {
    case .int(let number):
      [self, .int(number &+ 1), .int(number &- 1), .int(number &* 2), .int(number / 2)]
    case .double(let number): [self, .double(number + 1), .double(number - 1), .double(number / 2)]
    case .string(let text):
      [self, .string(text + "a"), .string("a" + text), .string("a" + text + "b")]
    case .bool(let value): [self, .bool(!value)]
    default: [self]
    }
  }
}

extension BaseType {
  fileprivate var isObject: Bool {
    if case .object = self { return true }
    return false
  }
}

extension ScalarType {
  /// Whether a whole number is in the type's range.
  fileprivate func holds(_ value: Value) -> Bool {
    guard case .int(let number) = value, let range = integerRange else { return true }
    return range.contains(number)
  }
}
