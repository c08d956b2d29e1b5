import StrataExpression
package import StrataSQLite
package import StrataSchema

/// The objects of a file that break one rule.
public struct RuleViolations: Hashable, Sendable {
  public let model: String
  /// The rule's name.
  public let rule: String
  /// The sentence for people that the schema gives the rule.
  public let sentence: String?
  /// The condition that does not hold.
  public let condition: String
  /// How many objects break it.
  public let count: Int
  /// The first ten of them at most, by their identities.
  public let first: [BrokenRule]

  package init(model: String, rule: ModelRule, count: Int, first: [BrokenRule]) {
    self.model = model
    self.rule = rule.name
    sentence = rule.sentence
    condition = rule.condition
    self.count = count
    self.first = first
  }
}

extension RuleViolations: CustomStringConvertible {
  /// `2 Person objects break the rule Person.adult: A member is at least 18. (age >= 18): Person 1, Person 7`.
  public var description: String {
    let rest = count - first.count
    let more = rest > 0 ? " and \(rest) more" : ""
    return (count == 1 ? "1 \(model) object breaks" : "\(count) \(model) objects break")
      + " the rule \(model).\(rule)" + (sentence.map { ": \($0)" } ?? "") + " (\(condition)): "
      + first.map(\.object).joined(separator: ", ") + more
  }
}

/// Looks at all objects of a file for those that break a rule.
package struct RuleCheck {
  /// Objects that are named of each rule.
  package static let maximumNamed = 10

  let database: Database
  let conditions: RuleConditions

  /// - Parameters:
  ///   - database: has the tables of the schema as its main ones.
  ///   - schema: the rules, which may be those of another version of the same shape.
  package init(_ database: Database, schema: Schema) throws {
    try self.init(database, schema: schema, functions: QueryFunctions())
  }

  /// - Parameter functions: those that the connection's statements call already.
  init(_ database: Database, schema: Schema, functions: QueryFunctions) throws {
    self.database = database
    conditions = try RuleConditions(TableLayout(schema), functions: functions)
    if !conditions.entries.isEmpty { try functions.attach(to: database) }
  }

  /// What is broken, by model and rule.
  ///
  /// - Parameter isWanted: which rules are looked at.
  package func run(
    where isWanted: (_ model: String, _ rule: ModelRule) -> Bool = { _, _ in true }
  ) throws -> [RuleViolations] {
    try conditions.entries.compactMap { entry in
      let model = conditions.schema.models[entry.model]
      guard isWanted(model.name, entry.rule) else { return nil }
      return try violations(of: entry, model.name)
    }
  }

  /// Calls `body` with the identity of each object that breaks a rule.
  package func forEachBroken(
    model: String, rule: String, _ body: (Int64) throws -> Void
  ) throws {
    guard let entry = entry(model: model, rule: rule) else { return }
    try forEachBroken(entry, model) { row, _ in try body(row) }
  }

  func entry(model: String, rule: String) -> RuleConditions.Entry? {
    conditions.entries.first {
      conditions.schema.models[$0.model].name == model && $0.rule.name == rule
    }
  }

  private func violations(
    of entry: RuleConditions.Entry, _ model: String
  ) throws -> RuleViolations? {
    var count = 0
    var rows: [(row: Int64, problem: String?)] = []
    try forEachBroken(entry, model) { row, problem in
      count += 1
      if rows.count < Self.maximumNamed { rows.append((row, problem)) }
    }
    guard count > 0 else { return nil }
    return RuleViolations(
      model: model, rule: entry.rule, count: count,
      first: try rows.map {
        try conditions.violation(of: $0.row, entry, problem: $0.problem, in: database)
      })
  }

  /// By identity. Where the condition has no value of some object, each object is asked about by itself, behind those that were
  /// found already.
  private func forEachBroken(
    _ entry: RuleConditions.Entry, _ model: String, _ body: (Int64, String?) throws -> Void
  ) throws {
    var last = Int64.min
    let text: SQLText = "\(conditions.broken([entry])) ORDER BY \(RuleConditions.alias).\"_row\""
    try compile(text, entry, model)
    do {
      try database.withStatement(text) { statement in
        while try statement.step() {
          last = statement.integer(at: 0)
          try body(last, nil)
        }
      }
      return
    } catch let error as SQLiteError where error.primaryCode == .error {}
    while let row = try database.firstValue(
      "SELECT min(\"_row\") FROM \(SQL.identifier(model)) WHERE \"_row\" > ?", .integer(last)
    )?.ifInteger {
      last = row
      let text = conditions.broken(
        [entry], among: "\(RuleConditions.alias).\"_row\" = \(value: .integer(row))")
      var problem: String?
      do {
        guard try database.withStatement(text, { try $0.step() }) else { continue }
      } catch let error as SQLiteError where error.primaryCode == .error {
        problem = SQLText.problem(of: error)
      }
      try body(row, problem)
    }
  }

  /// What cannot be compiled is the rule's fault, and no object breaks it.
  private func compile(_ text: SQLText, _ entry: RuleConditions.Entry, _ model: String) throws {
    do {
      _ = try database.prepare(text.bounded.sql)
    } catch {
      guard error.primaryCode == .error else { throw error }
      throw MigrationError(
        .brokenHistory,
        """
        The database cannot ask for the rule \(model).\(entry.rule.name), which is too deep for it: \(SQLText.problem(of: error)). \
        Say it in several rules.
        """, version: conditions.schema.version, model: model)
    }
  }
}
