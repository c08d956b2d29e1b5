import Foundation
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataTesting

/// Histories made by chance, edits made by chance between up and down, and a model of what has to come of them that knows nothing of the
/// engine: it compares rows in memory and follows lineage.
@Suite struct DowngradePropertyTests {
  /// More of them: `STRATA_DOWNGRADES=2000 swift test --filter DowngradePropertyTests`, and others: `2000..<4000`.
  private static let seeds: Range<Int> = {
    let text = ProcessInfo.processInfo.environment["STRATA_DOWNGRADES"] ?? "48"
    let bounds = text.split(separator: "..<").compactMap { Int($0) }
    guard let last = bounds.last else { return 0..<0 }
    return (bounds.count > 1 ? min(bounds[0], last) : 0)..<last
  }()

  @Test(arguments: [0, 1, 2, 3])
  func whatIsEditedGoesBackOrIsNamed(_ part: Int) throws {
    var (tried, lossless) = (0, 0)
    for seed in Self.seeds where seed % 4 == part {
      guard let isLossless = try run(UInt64(seed)) else { continue }
      tried += 1
      if isLossless { lossless += 1 }
    }
    // A history that refuses its sample proves nothing, and neither do edits that are all lost.
    if Self.seeds.count >= 48 { #expect(tried > Self.seeds.count / 16 && lossless > 0) }
  }

  /// Nil where the sample cannot be upgraded.
  private func run(_ seed: UInt64) throws -> Bool? {
    let bench = try Workbench()
    var chain = GeneratedChain(seed: seed)
    let target = chain.target()
    let history = target.history
    let old = try bench.sample("old.db", version: 0, of: target, objects: 12, seed: seed)
    let new = bench.path("new.db")
    var up = Upgrade.Options()
    up.output = new
    do {
      try Upgrade(path: old, target: target, options: up).run()
    } catch let error as MigrationError where error.isRefusal {
      return nil
    }
    let label =
      "chain \(seed): "
      + history.versions.compactMap { $0.step?.json.canonicalText }
      .joined(separator: " ")
    guard let newest = history.newest, let oldest = history.version(0) else { return nil }

    // Without a change: the old data, and the new data again.
    let same = bench.path("same.db")
    try POSIXFiles().copy(new, to: same, permissions: 0o600)
    let untouched = try Downgrade(path: same, from: old, target: target).run()
    #expect(untouched.changes.isEmpty, "\(label)")
    #expect(try digest(same, target) == digest(old, target), "\(label)")
    try upgrade(same, target)
    #expect(try digest(same, target) == digest(new, target), "\(label)")

    let before = try Rows(new, newest.schema)
    var edits = RandomEdits(seed: seed)
    try edits.run(new, newest.schema)
    let after = try Rows(new, newest.schema)
    let edited = try digest(new, target)

    let down = bench.path("down.db")
    var options = Downgrade.Options()
    options.output = down
    options.acceptsLoss = true
    let report = try Downgrade(path: new, from: old, target: target, options: options).run()

    #expect(try bench.sql(down, "PRAGMA foreign_key_check").isEmpty, "\(label)")
    #expect(try bench.sql(down, "PRAGMA integrity_check") == [[.text("ok")]], "\(label)")
    let expectation = Expectation(
      history: history, ours: try Rows(old, oldest.schema), before: before, after: after,
      report: report)
    for problem in expectation.problems(of: try Rows(down, oldest.schema)) {
      Issue.record("\(problem); \(label); \(report.text)")
    }
    if report.isLossless {
      try upgrade(down, target)
      #expect(try digest(down, target) == edited, "\(label)")
    }
    return report.isLossless
  }
}

/// All rows of a file.
private struct Rows {
  enum Cell: Equatable {
    case value(SQLiteValue)
    case elements([[SQLiteValue]])
  }

  private(set) var models: [String: [Int64: [String: Cell]]] = [:]

  init(_ path: String, _ schema: Schema) throws {
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    for model in schema.storedModels {
      var objects: [Int64: [String: Cell]] = [:]
      let columns = model.columnProperties.map(\.name)
      for row in try database.rows(
        "SELECT \(SQL.identifiers(["_row"] + columns)) FROM \(SQL.identifier(model.name))")
      {
        var object: [String: Cell] = [:]
        for (name, value) in zip(columns, row.dropFirst()) { object[name] = .value(value) }
        for property in model.collectionProperties { object[property.name] = .elements([]) }
        objects[row[0].ifInteger ?? 0] = object
      }
      for property in model.collectionProperties {
        let (key, order) =
          switch property.type {
          case .map: ("_index", "_index")
          case .set: ("NULL", "value")
          default: ("NULL", "_index")
          }
        for row in try database.rows(
          "SELECT _owner, \(key), value FROM \(SQL.identifier("\(model.name).\(property.name)")) ORDER BY _owner, \(order)"
        ) {
          guard let owner = row[0].ifInteger,
            case .elements(var elements)? = objects[owner]?[property.name]
          else { continue }
          elements.append(Array(row[1...]))
          objects[owner]?[property.name] = .elements(elements)
        }
      }
      models[model.name] = objects
    }
  }

  func cell(_ model: String, _ row: Int64, _ property: String) -> Cell? {
    models[model]?[row]?[property]
  }
}

/// What has to come of an old file.
private struct Expectation {
  let history: History
  let ours: Rows
  let before: Rows
  let after: Rows
  let report: DowngradeReport

  private var oldest: Schema { history.versions[0].schema }
  private var newest: Schema { history.versions[history.versions.count - 1].schema }

  /// The newest version's name of an old model.
  private func newName(of model: String) -> String? {
    guard let origin = lineages[0]?.origins[SchemaPath(model)] else { return nil }
    return lineages[lineages.count - 1]?.origins
      .first { $0.value == origin && $0.key.property == nil }?.key.model
  }

  /// A property in each version; nil where it ends on the way.
  private func chain(_ model: String, _ property: String) -> [Property]? {
    guard let origin = lineages[0]?.origins[SchemaPath(model, property)] else { return nil }
    var result: [Property] = []
    for (version, lineage) in zip(history.versions, lineages) {
      guard let path = lineage?.origins.first(where: { $0.value == origin })?.key,
        let name = path.property,
        let found = version.schema.model(named: path.model)?.property(named: name),
        version.step?.set[path.model]?[name] == nil
      else { return nil }
      result.append(found)
    }
    return result
  }

  private var lineages: [Lineage?] { history.versions.map { history.lineage(at: $0.number) } }

  private func isNamed(_ model: String, _ property: String?) -> Bool {
    report.losses.contains { $0.model == model && $0.property == property }
  }

  func problems(of down: Rows) -> [String] {
    var problems: [String] = []
    for model in oldest.storedModels {
      let name = newName(of: model.name)
      let chains = Dictionary(
        uniqueKeysWithValues: model.storedProperties.map {
          ($0.name, chain(model.name, $0.name))
        })
      let found = down.models[model.name] ?? [:]
      let (old, was, now) = (
        ours.models[model.name] ?? [:], name.flatMap { before.models[$0] } ?? [:],
        name.flatMap { after.models[$0] } ?? [:]
      )
      for row in Set(old.keys).union(now.keys).union(found.keys).sorted() {
        let isCreated = was[row] == nil && now[row] != nil && old[row] == nil
        let isDeleted = was[row] != nil && now[row] == nil
        let isThere = (old[row] != nil && !isDeleted) || isCreated
        guard let object = found[row] else {
          // What an owner has no more goes, too, and what the report names.
          if isThere, !model.isEmbedded, name.map({ isNamed($0, nil) }) != true {
            problems.append("\(model.name) \(row) is missing")
          }
          continue
        }
        guard isThere else {
          problems.append("\(model.name) \(row) is there")
          continue
        }
        for property in model.storedProperties {
          let chain = chains[property.name] ?? nil
          let expected = expected(
            property, chain, old: old[row]?[property.name],
            was: chain?.last.flatMap { was[row]?[$0.name] },
            now: chain?.last.flatMap { now[row]?[$0.name] }, isCreated: isCreated)
          guard let expected, let cell = object[property.name], cell != expected else { continue }
          if isCut(property, cell, expected, down) { continue }
          problems.append(
            "\(model.name) \(row).\(property.name) is \(cell), and has to be \(expected)")
        }
      }
    }
    return problems
  }

  /// Links to what is not there any more are cut.
  private func isCut(
    _ property: Property, _ cell: Rows.Cell, _ expected: Rows.Cell, _ down: Rows
  ) -> Bool {
    guard let target = property.type.linkedModel else { return false }
    func isGone(_ value: SQLiteValue?) -> Bool {
      value?.ifInteger.map { down.models[target]?[$0] == nil } ?? false
    }
    switch (cell, expected) {
    case (.value(.null), .value(let value)): return isGone(value)
    case (.elements(let own), .elements(let all)):
      return own == all.filter { !isGone($0.last) }
    default: return false
    }
  }

  /// Nil where this model does not say it.
  private func expected(
    _ property: Property, _ chain: [Property]?, old: Rows.Cell?, was: Rows.Cell?, now: Rows.Cell?,
    isCreated: Bool
  ) -> Rows.Cell? {
    guard let chain else { return isCreated ? nil : old }
    if !isCreated, was == now { return old }
    guard let now, let narrowed = narrow(now, chain) else { return nil }
    switch narrowed {
    case .fits(let cell): return cell
    case .misfit: return isCreated ? nil : old
    }
  }

  private enum Narrowed {
    case fits(Rows.Cell)
    case misfit
  }

  private func narrow(_ cell: Rows.Cell, _ chain: [Property]) -> Narrowed? {
    guard let first = chain.first?.type, let last = chain.last?.type,
      first.form == last.form, chain.allSatisfy({ $0.type.form == first.form }),
      let old = first.valueType?.base
    else { return nil }
    let isOptional = chain.allSatisfy { $0.type.valueType?.isOptional == true }
    func one(_ value: SQLiteValue) -> SQLiteValue? {
      if case .null = value { return isOptional ? .null : nil }
      guard let scalar = old.scalar, let new = last.valueType?.base.scalar, scalar != new else {
        return value
      }
      return Self.narrow(value, to: scalar)
    }
    switch cell {
    case .value(let value): return one(value).map { .fits(.value($0)) } ?? .misfit
    case .elements(let elements):
      var result: [[SQLiteValue]] = []
      for element in elements {
        guard let key = element.first, let value = element.last.flatMap(one) else { return .misfit }
        result.append([key, value])
      }
      return .fits(.elements(result))
    }
  }

  private static func narrow(_ value: SQLiteValue, to type: ScalarType) -> SQLiteValue? {
    let range: ClosedRange<Int64>
    switch type {
    case .int8: range = -128...127
    case .int16: range = -32768...32767
    case .int32: range = -2_147_483_648...2_147_483_647
    case .int, .int64: range = Int64.min...Int64.max
    default: return nil
    }
    let whole: Int64?
    switch value {
    case .integer(let number): whole = number
    case .real(let number):
      whole = number == 0 && number.sign == .minus ? nil : Int64(exactly: number)
    case .text(let text): whole = Int64(text).flatMap { String($0) == text ? $0 : nil }
    default: whole = nil
    }
    guard let whole, range.contains(whole) else { return nil }
    return .integer(whole)
  }
}

extension PropertyType {
  fileprivate var form: Int {
    switch self {
    case .value: 0
    case .list: 1
    case .set: 2
    case .map: 3
    case .inverse: 4
    }
  }
}

/// Edits of a file by another program: what its own constraints refuse is not made.
private struct RandomEdits {
  private static let count = 14
  private var random: StepRandom
  private var nextRow: Int64 = 1_000_000

  init(seed: UInt64) { random = StepRandom(seed: seed &* 31 &+ 7) }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

  mutating func run(_ path: String, _ schema: Schema) throws {
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try TableLayout(schema).allowFulltext(in: database)
    try database.configureForStrata()
    for _ in 0..<Self.count {
      let model = schema.storedModels[pick(schema.storedModels.count)]
      let row = try database.firstValue(
        "SELECT _row FROM \(SQL.identifier(model.name)) ORDER BY _row LIMIT 1 OFFSET \(pick(12))")?
        .ifInteger
      guard let row else { continue }
      try database.begin()
      do {
        try edit(model, row, schema, database)
        try database.commit()
      } catch let error as SQLiteError where error.primaryCode == .constraint {
        try database.rollback()
      }
    }
    try database.execute(
      "UPDATE _strata SET value = ? WHERE key = 'nextRow'", .integer(nextRow))
  }

  private mutating func edit(_ model: Model, _ row: Int64, _ schema: Schema, _ database: Database)
    throws
  {
    let table = SQL.identifier(model.name)
    switch pick(8) {
    case 0 where !model.isEmbedded:
      try database.execute("DELETE FROM \(table) WHERE _row = ?", .integer(row))
    case 1 where !model.isEmbedded:
      let copied = model.columnProperties.filter { !$0.owns(in: schema) }.map(\.name)
      let names = SQL.identifiers(copied)
      try database.execute(
        """
        INSERT INTO \(table) (_row\(copied.isEmpty ? "" : ", " + names)) \
        SELECT \(nextRow)\(copied.isEmpty ? "" : ", " + names) FROM \(table) WHERE _row = ?
        """, .integer(row))
      nextRow += 1
    case 2, 3:
      guard let property = model.collectionProperties.randomElement(using: &random) else { return }
      try editElements(property, model, row, schema, database)
    default:
      guard let property = model.columnProperties.randomElement(using: &random),
        let value = try value(property, schema, database)
      else { return }
      try database.execute(
        "UPDATE \(table) SET \(SQL.identifier(property.name)) = ? WHERE _row = ?", value,
        .integer(row))
    }
  }

  private mutating func editElements(
    _ property: Property, _ model: Model, _ row: Int64, _ schema: Schema, _ database: Database
  ) throws {
    let table = SQL.identifier("\(model.name).\(property.name)")
    if pick(2) == 0 {
      return try database.execute(
        "DELETE FROM \(table) WHERE _owner = ? AND value IN (SELECT value FROM \(table) WHERE _owner = ?1 LIMIT 1)",
        .integer(row))
    }
    guard let value = try value(property, schema, database) else { return }
    switch property.type {
    case .set: try database.execute("INSERT INTO \(table) VALUES (?, ?)", .integer(row), value)
    case .map:
      try database.execute(
        "INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?)", .integer(row), .text("k\(pick(3))"),
        value)
    default:
      try database.execute(
        "INSERT INTO \(table) SELECT ?1, ifnull(max(_index), 0) + 65536, ?2 FROM \(table) WHERE _owner = ?1",
        .integer(row), value)
    }
  }

  /// A value that the property may have.
  private mutating func value(_ property: Property, _ schema: Schema, _ database: Database) throws
    -> SQLiteValue?
  {
    guard let type = property.type.valueType else { return nil }
    if type.isOptional, pick(4) == 0, !property.type.isCollection { return .null }
    switch type.base {
    case .object(let name):
      guard schema.model(named: name)?.isEmbedded == false else { return nil }
      return try database.firstValue(
        "SELECT _row FROM \(SQL.identifier(name)) ORDER BY _row LIMIT 1 OFFSET \(pick(12))")
    case .scalar(let scalar):
      switch scalar {
      case .bool: return .integer(Int64(pick(2)))
      case .int, .int64: return .integer([0, 5, -7, Int64.max, 300][pick(5)])
      case .int32: return .integer([0, 5, -7, 70000][pick(4)])
      case .int16: return .integer([0, 5, -7, 300][pick(4)])
      case .int8: return .integer([0, 5, -7][pick(3)])
      case .float: return .real([0.5, 3, -2][pick(3)])
      case .double: return .real([0.5, 3, -0.0, 1e300, -2][pick(5)])
      case .date: return .real([0.5, 3, -1e9][pick(3)])
      case .string: return .text(["", "12", "007", "é", "-3"][pick(5)])
      case .any: return [.integer(1), .real(1), .text("a"), .integer(0)][pick(4)]
      default: return nil
      }
    case .enumeration: return nil
    }
  }
}
