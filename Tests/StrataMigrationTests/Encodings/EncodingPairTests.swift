import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Every pair of stored types, on every way to upgrade a file, against an evaluation that shares no code with the engine.
@Suite struct EncodingPairTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  // MARK: - The table

  @Test(arguments: EncodingContract.types)
  func theTableIsTheContract(_ from: ScalarType) {
    for to in EncodingContract.types {
      let pair = TypePair(from, to)
      let wanted = EncodingContract.relation(from, to)
      let relation: EncodingContract.Relation =
        switch (pair.relation, pair.function) {
        case (.same, _): .same
        case (.widened, _): .widened
        case (.spelled, _): .spelled
        case (_, .total): .total
        case (_, .partial): .partial
        case (_, .none): .unrelated
        }
      #expect(relation == wanted, "\(from) → \(to)")
      #expect(pair.sharesCells == EncodingContract.sharesCells(from, to), "\(from) → \(to)")
    }
  }

  @Test(arguments: EncodingContract.types)
  func checkAsksForAStepWhereValuesAreNotOfTheOtherType(_ from: ScalarType) {
    for to in EncodingContract.types where to != from {
      let diff = SchemaDiff(
        from: Self.schema(0, [.optional("v", from)]), to: Self.schema(1, [.optional("v", to)]))
      let wanted: ChangeKind =
        switch EncodingContract.relation(from, to) {
        case .same, .widened: .typeWidened
        case .spelled, .total, .partial: .typeChangedLossy
        case .unrelated: .typeChangedIncompatible
        }
      #expect(diff.changes.map(\.kind) == [wanted], "\(from) → \(to)")
    }
  }

  // MARK: - Values

  /// One property for each target type and way to say it: `c` is carried over without a word, `e` is set to the old value, `f`
  /// by the function, `b` in a branch, `d` with another value for nil.
  private struct Assigned {
    let name: String
    let to: ScalarType
    let text: String?
    let expected: (Fact) -> Fact
  }

  private static func assignments(from: ScalarType) -> [Assigned] {
    EncodingContract.types.flatMap { to -> [Assigned] in
      let isCarried = EncodingContract.isCarriedOver(from, to)
      let isTaken = [.same, .widened].contains(EncodingContract.relation(from, to))
      var result = [
        Assigned(name: "c_\(to)", to: to, text: nil) {
          isCarried ? Self.carried($0, to) : .null
        }
      ]
      if isTaken {
        result += [
          Assigned(name: "e_\(to)", to: to, text: "old.e_\(to)") { Self.carried($0, to) },
          Assigned(name: "g_\(to)", to: to, text: "if(old.n > 0, old.g_\(to), nil)") {
            Self.carried($0, to)
          },
        ]
      }
      if EncodingContract.hasFunction(from, to) {
        let call = { (name: String) in "\(to.rawValue)(old.\(name)_\(to))" }
        result += [
          Assigned(name: "f_\(to)", to: to, text: call("f")) { $0.converted(to: to) },
          Assigned(name: "b_\(to)", to: to, text: "if(old.n > 0, \(call("b")), nil)") {
            $0.converted(to: to)
          },
          // In a property of type `any` it stays what the function gave.
          Assigned(name: "a_\(to)", to: .any, text: "\(call("a")) ?? 'none'") {
            let value = $0.converted(to: to)
            return value == .null ? .text("none") : value
          },
        ]
      }
      return result
    }
  }

  /// A value as one of a type that has all values of its own.
  private static func carried(_ fact: Fact, _ to: ScalarType) -> Fact {
    to == .any || fact == .null ? fact : fact.converted(to: to)
  }

  /// The ways that make one version of another.
  private enum Way: String, CaseIterable {
    case straight, objectByObject, workspace, backwards, output, stepwise
  }

  @Test(arguments: EncodingContract.types)
  func valuesAreTheSameOnEveryWay(_ from: ScalarType) throws {
    let assigned = Self.assignments(from: from)
    let facts = [.null] + Fact.boundaries(of: from)
    let olds = assigned.map { Property.optional($0.name, from) } + [.required("n", .int)]
    let news = assigned.map { Property.optional($0.name, $0.to) } + [.required("n", .int)]
    // At last everything becomes `any`, which keeps what it is.
    let lasts = assigned.map { Property.optional($0.name, .any) } + [.required("n", .int)]
    let target = Self.target(
      [olds, news, lasts],
      [
        1: Dictionary(
          uniqueKeysWithValues: assigned.compactMap { item in
            item.text.map { (item.name, expression($0)) }
          })
      ])
    let first = try bench.sample("first.db", version: 0, of: target, objects: 0)
    let names = assigned.map(\.name)
    try Self.insert(
      facts.map { fact in Array(repeating: fact.cell(in: from), count: names.count) }, names, first)

    let expected = facts.map { fact in assigned.map { $0.expected(fact) } }
    let steps = expected.map { zip($0, assigned).map { fact, item in fact.cell(in: item.to) } }
    let ends = expected.map { $0.map { $0.cell(in: .any) } }
    for way in Way.allCases {
      let file = bench.path("\(way).db")
      try POSIXFiles().copy(first, to: file, permissions: 0o600)
      if way == .stepwise {
        _ = try upgraded(file, target, way, to: 1)
        try expect(assigned, facts, file, way, steps)
      }
      let result = try upgraded(file, target, way, to: 2)
      try expect(assigned, facts, result, way, ends)
    }
  }

  private func expect(
    _ assigned: [Assigned], _ facts: [Fact], _ file: String, _ way: Way,
    _ wanted: [[SQLiteValue]]
  ) throws {
    let columns = SQL.identifiers(assigned.map(\.name))
    let rows = try bench.sql(file, "SELECT \(columns) FROM A ORDER BY _row").map { Array($0) }
    #expect(rows.count == facts.count, "\(way)")
    // All at once first: an expectation for each of the thousands of cells takes longer than the upgrade.
    if rows == wanted { return }
    for (fact, (row, cells)) in zip(facts, zip(rows, wanted)) {
      for (item, (found, cell)) in zip(assigned, zip(row, cells)) {
        #expect(
          found == cell, "\(way) \(item.name) of \("\(fact)".prefix(80)): \(item.text ?? "-")")
      }
    }
  }

  // MARK: - Classic

  @Test(arguments: EncodingContract.types, [false, true])
  func theClassicFormCarriesOverTheSame(_ from: ScalarType, hasBlock: Bool) throws {
    let types = EncodingContract.types
    let facts = [.null] + Fact.boundaries(of: from)
    let bench = try ClassicBench()
    let models = { (type: (ScalarType) -> ScalarType) in
      [Model(name: "A", properties: types.map { .optional("c_\($0)", type($0)) })]
    }
    try bench.write(1, models { _ in from })
    try Self.insert(
      facts.map { fact in types.map { _ in fact.cell(in: from) } }, types.map { "c_\($0)" },
      bench.path)

    try bench.migrate(to: 2, models { $0 }, hasBlock ? looking(at: "A") : nil)

    let columns = SQL.identifiers(types.map { "c_\($0)" })
    let rows = try bench.sql("SELECT \(columns) FROM A ORDER BY _row")
    for (fact, row) in zip(facts, rows) {
      for (to, found) in zip(types, row) {
        let isCarried = EncodingContract.isCarriedOver(from, to)
        let wanted = isCarried ? Self.carried(fact, to).cell(in: to) : .null
        #expect(found == wanted, "\(from) → \(to) of \("\(fact)".prefix(80))")
      }
    }
  }

  // MARK: - In place

  /// The file's rows stay as they are exactly where each cell is that of the same value.
  @Test(arguments: EncodingContract.types, [nil, "old.v"] as [String?])
  func rowsStayOnlyWhereTheirCellsMeanTheSame(_ from: ScalarType, _ text: String?) throws {
    for to in EncodingContract.types {
      let isTaken = [.same, .widened].contains(EncodingContract.relation(from, to))
      guard isTaken else { continue }
      let target = Self.target(
        [[.optional("v", from)], [.optional("v", to)]],
        text.map { [1: ["v": expression($0)]] } ?? [:])
      let file = try bench.sample("\(from)-\(to).db", version: 0, of: target, objects: 0)
      let facts = [.null] + Fact.boundaries(of: from)
      try Self.insert(facts.map { [$0.cell(in: from)] }, ["v"], file)

      let plan = try UpgradePlan.make(path: file, target: target, options: Upgrade.Options())
      try upgrade(file, target)

      let isInPlace = plan.write == .inPlace
      #expect(isInPlace == EncodingContract.isSameColumn(from, to), "\(from) → \(to)")
      let rows = try bench.sql(file, "SELECT v FROM A ORDER BY _row")
      #expect(rows.map { $0[0] } == facts.map { Self.carried($0, to).cell(in: to) })
    }
  }

  // MARK: - Collections

  private enum Shape: String, CaseIterable {
    case list, set, map, listToSet, setToList, one

    func types(_ from: ValueType, _ to: ValueType) -> (PropertyType, PropertyType) {
      switch self {
      case .list: (.list(from), .list(to))
      case .set: (.set(from), .set(to))
      case .map: (.map(from), .map(to))
      case .listToSet: (.list(from), .set(to))
      case .setToList: (.set(from), .list(to))
      case .one: (.value(from), .list(to))
      }
    }

    var hasKey: Bool { self == .list || self == .map || self == .listToSet }
  }

  @Test(arguments: EncodingContract.types, Shape.allCases)
  private func elementsAreTheSameOnEveryWay(_ from: ScalarType, _ shape: Shape) throws {
    // A set's key takes 0.0 and −0.0 for one, and 1 and 1.0 in `any`.
    let isSet = shape == .set || shape == .setToList || shape == .listToSet
    let negativeZeros = [Fact.real(-0.0), Fact.single(-0.0)]
    var facts = Fact.boundaries(of: from)
    if isSet { facts.removeAll { negativeZeros.contains($0) } }
    if isSet, from == .any { facts.removeAll { if case .double = $0 { true } else { false } } }
    if shape == .one { facts = [facts[facts.count - 1]] }
    var properties: [(name: String, to: ScalarType, text: String?)] = []
    for to in EncodingContract.types {
      if EncodingContract.isCarriedOver(from, to) { properties.append(("c_\(to)", to, nil)) }
      if EncodingContract.hasFunction(from, to) {
        properties.append(("f_\(to)", to, "\(to.rawValue)(old.f_\(to))"))
      }
    }
    let types = { (to: ScalarType) in
      shape.types(
        ValueType(.scalar(from), isOptional: true), ValueType(.scalar(to), isOptional: true))
    }
    let target = Self.target(
      [
        properties.map { Property(name: $0.name, type: types($0.to).0) },
        properties.map { Property(name: $0.name, type: types($0.to).1) },
      ],
      [
        1: Dictionary(
          uniqueKeysWithValues: properties.compactMap { item in
            item.text.map { (item.name, expression($0)) }
          })
      ])
    let first = try bench.sample("first.db", version: 0, of: target, objects: 0)
    let database = try Database(path: first, mode: .readWrite)
    try database.execute("INSERT INTO A (_row) VALUES (7)")
    for (name, _, _) in properties {
      let column = SQL.identifier(name)
      for (position, fact) in facts.enumerated() {
        let cell = fact.cell(in: from)
        if shape == .one {
          try database.execute("UPDATE A SET \(column) = ?", cell)
        } else if shape.hasKey {
          let key: SQLiteValue =
            shape == .map ? .text("k\(position)") : .integer(Int64(position + 1))
          try database.execute(
            "INSERT INTO \(SQL.identifier("A.\(name)")) VALUES (7, ?, ?)", key, cell)
        } else {
          try database.execute(
            "INSERT INTO \(SQL.identifier("A.\(name)")) VALUES (7, ?)", cell)
        }
      }
    }
    database.close()

    for way in [Way.straight, .output] {
      let file = bench.path("\(way).db")
      try POSIXFiles().copy(first, to: file, permissions: 0o600)
      let result = try upgraded(file, target, way, to: 1)
      for (name, to, text) in properties {
        var wanted = facts.map { fact in
          (text == nil ? Self.carried(fact, to) : fact.converted(to: to)).cell(in: to)
        }
        // Nil becomes an empty collection, and elements of a set are there once.
        if shape == .one { wanted.removeAll { $0 == .null } }
        let isOrdered = shape == .list || shape == .map || shape == .one
        let order = shape == .map ? "CAST(substr(_index, 2) AS INTEGER)" : "_index"
        let found = try bench.sql(
          result,
          "SELECT value FROM \(SQL.identifier("A.\(name)"))"
            + (isOrdered ? " ORDER BY \(order)" : "")
        ).map { $0[0] }
        if isOrdered {
          #expect(found == wanted, "\(way) \(shape) \(from) → \(to): \(text ?? "-")")
        } else if shape == .setToList {
          #expect(
            Self.counted(found) == Self.counted(wanted),
            "\(way) \(shape) \(from) → \(to): \(text ?? "-")"
          )
        } else {
          let keys = Set(wanted.map(Self.key))
          #expect(
            Set(found.map(Self.key)) == keys, "\(way) \(shape) \(from) → \(to): \(text ?? "-")")
          #expect(found.count == keys.count, "\(way) \(shape) \(from) → \(to)")
        }
      }
    }
  }

  /// What a set's key takes for one.
  private static func key(_ cell: SQLiteValue) -> SQLiteValue {
    cell == .real(-0.0) ? .real(0) : cell
  }

  private static func counted(_ cells: [SQLiteValue]) -> [SQLiteValue: Int] {
    Dictionary(cells.map { ($0, 1) }, uniquingKeysWith: +)
  }

  // MARK: - Files

  static func schema(_ version: Int, _ properties: [Property]) -> Schema {
    Schema(name: "Test", version: version, models: [Model(name: "A", properties: properties)])
  }

  static func target(
    _ versions: [[Property]], _ sets: [Int: [String: Expression]]
  ) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "Test",
        versions.enumerated().map { number, properties in
          (
            "2026-01-01", schema(number, properties),
            number == 0
              ? nil : step(number) { step in sets[number].map { step.set = ["A": $0] } }
          )
        }),
      steps: [])
  }

  /// Objects 1, 2, … with `n` = 1 where the model has it.
  private static func insert(_ rows: [[SQLiteValue]], _ names: [String], _ file: String) throws {
    let database = try Database(path: file, mode: .readWrite)
    defer { database.close() }
    let hasNumber = try database.rows("SELECT 1 FROM pragma_table_info('A') WHERE name = 'n'").count
    let columns = ["_row"] + names + (hasNumber > 0 ? ["n"] : [])
    for (position, row) in rows.enumerated() {
      let values: [SQLiteValue] =
        [.integer(Int64(position + 1))] + row + (hasNumber > 0 ? [.integer(1)] : [])
      try database.execute(
        "INSERT INTO A (\(SQL.identifiers(columns))) VALUES (\(SQL.placeholders(columns.count)))",
        values)
    }
    try database.execute("UPDATE _strata SET value = 1000 WHERE key = 'nextRow'")
  }
}

/// Upgrades a file one way; where the result is.
private func upgraded(
  _ file: String, _ target: UpgradeTarget, _ way: some RawRepresentable<String>, to version: Int
) throws -> String {
  var options = Upgrade.Options()
  options.target = version
  var switches = EngineSwitches()
  switch way.rawValue {
  case "objectByObject": options.isSetBased = false
  case "workspace": switches.usesWorkspaces = true
  case "backwards":
    switches.isBackwards = true
    options.isSetBased = false
  case "output": options.output = file + ".new"
  default: break
  }
  try EngineSwitches.$current.withValue(switches) {
    _ = try Upgrade(path: file, target: target, options: options).run()
  }
  return options.output ?? file
}
