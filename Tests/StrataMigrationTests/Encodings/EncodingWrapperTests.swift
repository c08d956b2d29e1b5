import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What stands around a type: enums are stored as their raw types, required values are never nil, links and embedded objects
/// are their identities, and lines of JSON hold what widens.
@Suite struct EncodingWrapperTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// One property of the older version, and what becomes of it.
  private struct Assigned {
    let name: String
    let old: PropertyType
    let new: PropertyType
    /// Nil where nothing is said.
    let text: String?
    /// Of each object, in the order of their numbers.
    let cells: [SQLiteValue]
    let wanted: [SQLiteValue]
  }

  private static let embedded = Model(
    name: "Place", isEmbedded: true, properties: [.required("street", .string)])
  private static let linked = Model(name: "Link", properties: [.optional("name", .string)])

  private static func target(_ assigned: [Assigned], _ enums: [EnumType]) -> UpgradeTarget {
    func schema(_ version: Int, _ type: (Assigned) -> PropertyType) -> Schema {
      let properties = assigned.map { Property(name: $0.name, type: type($0)) }
      return Schema(
        name: "Test", version: version,
        models: [
          Model(name: "A", properties: properties + [.required("n", .int)]), embedded, linked,
        ],
        enums: enums)
    }
    return UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", schema(0) { $0.old }, nil),
          (
            "2026-01-02", schema(1) { $0.new },
            step(1) { step in
              let texts = assigned.compactMap { item in
                item.text.map { (item.name, expression($0)) }
              }
              if !texts.isEmpty { step.set = ["A": Dictionary(uniqueKeysWithValues: texts)] }
            }
          ),
        ]),
      steps: [])
  }

  /// Upgrades a file with these objects in each way, and compares every cell.
  private func expect(_ assigned: [Assigned], enums: [EnumType] = [], extra: [String] = []) throws {
    let target = Self.target(assigned, enums)
    let first = try bench.sample("first.db", version: 0, of: target, objects: 0)
    let database = try Database(path: first, mode: .readWrite)
    let names = ["_row"] + assigned.map(\.name) + ["n"]
    for sql in extra { try database.execute(sql) }
    for row in 0..<(assigned.first?.cells.count ?? 0) {
      try database.execute(
        "INSERT INTO A (\(SQL.identifiers(names))) VALUES (\(SQL.placeholders(names.count)))",
        [.integer(Int64(row + 1))] + assigned.map { $0.cells[row] } + [.integer(1)])
    }
    try database.execute("UPDATE _strata SET value = 1000 WHERE key = 'nextRow'")
    database.close()
    for way in ["straight", "object by object", "output"] {
      let file = bench.path("\(way).db")
      try POSIXFiles().copy(first, to: file, permissions: 0o600)
      var options = Upgrade.Options()
      options.isSetBased = way != "object by object"
      if way == "output" { options.output = file + ".new" }
      try Upgrade(path: file, target: target, options: options).run()
      for item in assigned {
        let found = try bench.sql(
          options.output ?? file, "SELECT \(SQL.identifier(item.name)) FROM A ORDER BY _row")
        #expect(
          found.map { $0[0] } == item.wanted, "\(way), \(item.name): \(item.text ?? "-")")
      }
    }
  }

  private static func value(_ type: ScalarType, isOptional: Bool = true) -> PropertyType {
    .value(ValueType(.scalar(type), isOptional: isOptional))
  }

  // MARK: - Enums

  @Test(arguments: [EnumType.RawType.int, .string])
  func anEnumIsItsRawType(_ rawType: EnumType.RawType) throws {
    let from = rawType.scalar
    let facts: [Fact] =
      rawType == .int
      ? [.null, .int(0), .int(1), .int(-7), .int(300), .int(16_777_217), .int(.max)]
      : [.null] + ["low", "", "7", "1.5", "true", "low tide", "é"].map(Fact.text)
    let cases = facts.dropFirst().enumerated().map { index, fact in
      let raw: Value =
        switch fact {
        case .int(let number): .int(number)
        case .text(let text): .string(text)
        default: .null
        }
      return EnumType.Case(name: "c\(index)", rawValue: raw)
    }
    let mood = EnumType(name: "Mood", rawType: rawType, cases: cases)
    let old = PropertyType.value(ValueType(.enumeration("Mood"), isOptional: true))
    let cells = facts.map { $0.cell(in: from) }
    var assigned = [
      Assigned(name: "same", old: old, new: old, text: nil, cells: cells, wanted: cells),
      Assigned(name: "set", old: old, new: old, text: "old.set", cells: cells, wanted: cells),
    ]
    for to in EncodingContract.types {
      let isCarried = EncodingContract.isCarriedOver(from, to)
      assigned.append(
        Assigned(
          name: "c_\(to)", old: old, new: Self.value(to), text: nil, cells: cells,
          wanted: facts.map { isCarried ? Self.carried($0, to).cell(in: to) : .null }))
      if EncodingContract.hasFunction(from, to) {
        assigned.append(
          Assigned(
            name: "f_\(to)", old: old, new: Self.value(to), text: "\(to.rawValue)(old.f_\(to))",
            cells: cells, wanted: facts.map { $0.converted(to: to).cell(in: to) }))
      }
      if [.same, .widened].contains(EncodingContract.relation(from, to)) {
        assigned.append(
          Assigned(
            name: "b_\(to)", old: old, new: Self.value(to),
            text: "if(old.n > 0, old.b_\(to), nil)", cells: cells,
            wanted: facts.map { Self.carried($0, to).cell(in: to) }))
      }
    }
    try expect(assigned, enums: [mood])
  }

  private static func carried(_ fact: Fact, _ to: ScalarType) -> Fact {
    to == .any || fact == .null ? fact : fact.converted(to: to)
  }

  // MARK: - Required

  private static let literals: [ScalarType: (text: String, fact: Fact)] = [
    .bool: ("true", .bool(true)), .int: ("5", .int(5)), .int8: ("5", .int(5)),
    .int16: ("5", .int(5)), .int32: ("5", .int(5)), .int64: ("5", .int(5)),
    .float: ("float('0.5')", .single(0.5)), .double: ("0.1", .real(0.1)),
    .decimal: ("decimal('9.95')", .decimal("9.95")), .string: ("'x'", .text("x")),
    .date: ("date(7)", .day(7)),
    .uuid: (
      "uuid('00000000-0000-0000-0000-000000000001')",
      .uuid(Array(repeating: 0, count: 15) + [1])
    ),
  ]

  @Test(arguments: EncodingContract.types)
  func requiredValuesAreTheSame(_ from: ScalarType) throws {
    let facts = Fact.boundaries(of: from).filter { $0 != .null }
    let old = Self.value(from, isOptional: from == .any)
    let cells = facts.map { $0.cell(in: from) }
    var assigned: [Assigned] = []
    for to in EncodingContract.types {
      let new = Self.value(to, isOptional: to == .any)
      if EncodingContract.isCarriedOver(from, to) {
        assigned.append(
          Assigned(
            name: "c_\(to)", old: old, new: new, text: nil, cells: cells,
            wanted: facts.map { Self.carried($0, to).cell(in: to) }))
      }
      guard let literal = Self.literals[to], EncodingContract.hasFunction(from, to) else {
        continue
      }
      assigned.append(
        Assigned(
          name: "f_\(to)", old: old, new: new,
          text: "\(to.rawValue)(old.f_\(to)) ?? \(literal.text)", cells: cells,
          wanted: facts.map { fact in
            let found = fact.converted(to: to)
            return (found == .null ? literal.fact : found).cell(in: to)
          }))
    }
    try expect(assigned)
  }

  @Test func nilBecomesWhatTheStepSays() throws {
    let assigned = Self.literals.sorted { $0.key.rawValue < $1.key.rawValue }.map { type, literal in
      let facts = [.null] + Fact.boundaries(of: type).prefix(1)
      return Assigned(
        name: "r_\(type)", old: Self.value(type), new: Self.value(type, isOptional: false),
        text: "old.r_\(type) ?? \(literal.text)", cells: facts.map { $0.cell(in: type) },
        wanted: facts.map { ($0 == .null ? literal.fact : $0).cell(in: type) })
    }
    try expect(assigned)
  }

  // MARK: - Objects

  @Test func objectsBelongToNoOtherType() {
    #expect(TypePair(.object, .object).sharesCells)
    for type in EncodingContract.types {
      for pair in [TypePair(.object, .scalar(type)), TypePair(.scalar(type), .object)] {
        #expect(pair.relation == .unrelated && !pair.sharesCells && pair.function == .none)
      }
    }
    for model in ["Link", "Place"] {
      let link = PropertyType.value(ValueType(.object(model), isOptional: true))
      for type in EncodingContract.types {
        for (old, new) in [(link, Self.value(type)), (Self.value(type), link)] {
          let (before, now) = (Self.schema(0, old), Self.schema(1, new))
          let kinds = SchemaDiff(from: before, to: now).changes.map(\.kind)
          #expect(kinds == [.typeChangedIncompatible], "\(model) and \(type)")
        }
      }
    }
  }

  private static func schema(_ version: Int, _ type: PropertyType) -> Schema {
    Schema(
      name: "Test", version: version,
      models: [Model(name: "A", properties: [Property(name: "v", type: type)]), embedded, linked])
  }

  @Test func linksStayWhatTheyAre() throws {
    let link = PropertyType.value(ValueType(.object("Link"), isOptional: true))
    let place = PropertyType.value(ValueType(.object("Place"), isOptional: true))
    let links: [SQLiteValue] = [.null, .integer(101), .integer(102)]
    let places: [SQLiteValue] = [.null, .integer(201), .integer(202)]
    func inAny(_ cell: SQLiteValue) -> SQLiteValue {
      guard case .integer(let row) = cell else { return .null }
      return .blob([9, 0, 0, 0, 0, 0, 0, 0, UInt8(row)] + Array("Link".utf8))
    }
    func same(_ name: String, _ type: PropertyType, _ cells: [SQLiteValue], _ text: String? = nil)
      -> Assigned
    {
      Assigned(name: name, old: type, new: type, text: text, cells: cells, wanted: cells)
    }
    let any = Self.value(.any)
    var assigned = [
      same("link", link, links), same("set", link, links, "old.set"),
      same("branch", link, links, "if(old.n > 0, old.branch, nil)"), same("place", place, places),
      Assigned(
        name: "any", old: link, new: any, text: "old.any", cells: links, wanted: links.map(inAny)),
      Assigned(
        name: "other", old: link, new: any, text: "if(old.n > 0, old.other, nil)", cells: links,
        wanted: links.map(inAny)),
    ]
    let nils = [SQLiteValue](repeating: .null, count: links.count)
    for type in EncodingContract.types where type != .any {
      let cell = Fact.boundaries(of: type)[0].cell(in: type)
      assigned += [
        Assigned(
          name: "to_\(type)", old: link, new: Self.value(type), text: nil, cells: links,
          wanted: nils),
        Assigned(
          name: "from_\(type)", old: Self.value(type), new: link, text: nil,
          cells: [.null, cell, cell], wanted: nils),
      ]
    }
    try expect(
      assigned,
      extra: [
        "INSERT INTO Link (_row) VALUES (101), (102)",
        "INSERT INTO Place (_row, street) VALUES (201, 'a'), (202, 'b')",
      ])
  }

  // MARK: - Lines

  /// A line that was exported of one version holds what a wider type of another takes.
  @Test(arguments: EncodingContract.types.filter(\.isInteger))
  func importTakesWhatWidens(_ from: ScalarType) throws {
    let types = EncodingContract.types.filter {
      [.same, .widened].contains(EncodingContract.relation(from, $0))
    }
    let facts = Fact.boundaries(of: from)
    let assigned = types.map { to in
      Assigned(
        name: "v_\(to)", old: Self.value(from), new: Self.value(to), text: nil, cells: [],
        wanted: [])
    }
    let target = Self.target(assigned, [])
    let first = try bench.sample("first.db", version: 0, of: target, objects: 0)
    let second = try bench.sample("second.db", version: 1, of: target, objects: 0)
    var lines: [[UInt8]] = []
    for fact in facts {
      guard case .int(let number) = fact else { continue }
      let members = assigned.map { "\"\($0.name)\": \(number)" } + ["\"n\": 1"]
      lines.append(Array("{\"$model\": \"A\", \(members.joined(separator: ", "))}".utf8))
    }
    var rest = lines[...]
    _ = try ObjectImporter.run(into: first, target: target, model: nil) { rest.popFirst() }
    var exported: [String] = []
    try ObjectExporter.export(first, target: nil) { exported.append($0) }

    var again = exported.map { Array($0.utf8) }[...]
    _ = try ObjectImporter.run(into: second, target: target, model: nil) { again.popFirst() }

    for (to, item) in zip(types, assigned) {
      let found = try bench.sql(second, "SELECT \(item.name) FROM A ORDER BY _row").map { $0[0] }
      #expect(found == facts.map { Self.carried($0, to).cell(in: to) }, "\(from) → \(to)")
    }
  }
}
