import Strata
import StrataSQLite
import StrataSchema
import Testing

@Suite struct ColumnCodecTests {
  struct Example: CustomTestStringConvertible {
    let type: ScalarType
    let value: Value
    var testDescription: String { "\(type.rawValue) \(value)" }
  }

  static let examples: [Example] =
    integers + floats + texts + [
      Example(type: .bool, value: .bool(true)), Example(type: .bool, value: .bool(false)),
      Example(type: .data, value: .data([])), Example(type: .data, value: .data([0, 1, 255])),
      Example(type: .uuid, value: .uuid(UUIDValue(high: 0, low: .max))),
      Example(type: .objectID, value: .objectID(ObjectIDValue(high: .max, low: 0))),
    ] + anything

  static let integers: [Example] = ScalarType.allCases.flatMap { type in
    type.integerRange.map { range in
      [range.lowerBound, -1, 0, 1, range.upperBound].map { Example(type: type, value: .int($0)) }
    } ?? []
  }

  static let floats: [Example] =
    [
      0.0, -0.0, 0.1, 1, -1e300, .infinity, -.infinity, .leastNonzeroMagnitude,
      .greatestFiniteMagnitude, .nan, .signalingNaN, -.nan,
      Double(bitPattern: 0x7FF8_0000_DEAD_BEEF),
    ].flatMap {
      [Example(type: .double, value: .double($0)), Example(type: .date, value: .date($0))]
    }
    + [
      0.0, -0.0, 0.1, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .nan,
      .signalingNaN, Float(bitPattern: 0xFFC1_2345),
    ].map { Example(type: .float, value: .float($0)) }

  static let texts: [Example] =
    [
      "", "a", "a\u{0}b", "\u{0}", "e\u{301}", "é", "\u{10FFFF}",
      String(repeating: "x", count: 100_000),
    ]
    .map { Example(type: .string, value: .string($0)) }
    + ["0", "-1.5", "12345678901234567890.123456789", "NaN"].compactMap { DecimalValue($0) }
    .map { Example(type: .decimal, value: .decimal($0)) }

  static let anything: [Example] =
    (integers + floats + texts).map(\.value).filter { value in
      if case .string(let text) = value { return text.utf8.count < 100 }
      return true
    }.map { Example(type: .any, value: $0) }
    + [
      .null, .bool(true), .bool(false), .data([]), .data([9]), .uuid(UUIDValue(high: 1, low: 2)),
      .objectID(ObjectIDValue(high: 1, low: 2)), .object(model: "Person", identity: 7),
      .object(model: "Ärger", identity: .max),
    ].map { Example(type: .any, value: $0) }

  /// Through a file, closed and opened again.
  @Test func everyValueComesBackBitForBit() throws {
    let folder = try TemporaryFolder()
    let types = ScalarType.allCases
    let schema = Schema(
      name: "Test", version: 1,
      models: types.map { type in
        Model(
          name: "M_\(type.rawValue)",
          properties: [
            Property(name: "value", type: .value(ValueType(.scalar(type), isOptional: true)))
          ])
      })
    let layout = TableLayout(schema)
    do {
      let database = try Database(path: folder.file("a.db"))
      try layout.create(in: database, lineage: Lineage(beginning: schema), chain: nil)
      for (row, example) in Self.examples.enumerated() {
        let table = SQL.identifier("M_\(example.type.rawValue)")
        let insert = try database.prepare("INSERT INTO \(table) (_row, value) VALUES (?, ?)")
        try insert.bind(Int64(row), at: 1)
        try codec(example).bind(example.value, to: insert, at: 2)
        try insert.run()
      }
    }
    let database = try Database(path: folder.file("a.db"), mode: .readOnly)
    for (row, example) in Self.examples.enumerated() {
      let table = SQL.identifier("M_\(example.type.rawValue)")
      let select = try database.prepare("SELECT value FROM \(table) WHERE _row = \(row)")
      #expect(try select.step())

      #expect(try codec(example).read(select, at: 0) == example.value, "\(example.testDescription)")
    }
  }

  private func codec(_ example: Example) -> ColumnCodec {
    ColumnCodec(
      ValueType(.scalar(example.type), isOptional: true), in: Schema(name: "Test", version: 1))
  }

  /// What a REAL or BLOB column holds must be what other programs expect there.
  @Test(arguments: [
    (ColumnCodec.Kind.double, Value.double(1), SQLiteValue.real(1)),
    (.date, .date(0.5), .real(0.5)),
    (.float, .float(0.5), .real(0.5)),
    (.bool, .bool(true), .integer(1)),
    (
      .double, .double(Double(bitPattern: 0x7FF8_0000_0000_0001)),
      .blob([0x7F, 0xF8, 0, 0, 0, 0, 0, 1])
    ),
    (.decimal, .decimal(DecimalValue("1.50")!), .text("1.5")),
    (
      .uuid, .uuid(UUIDValue(high: 1, low: 2)),
      .blob([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2])
    ),
    (.any, .int(1), .integer(1)),
    (.any, .bool(true), .blob([1, 1])),
    (.any, .object(model: "P", identity: 1), .blob([9, 0, 0, 0, 0, 0, 0, 0, 1, 0x50])),
  ])
  func theEncodingIsThatOfTheDocument(
    kind: ColumnCodec.Kind, value: Value, expected: SQLiteValue
  ) throws {
    #expect(try ColumnCodec(kind, isOptional: true).sqliteValue(of: value) == expected)
  }

  @Test func aRequiredLinkThatIsNotSetYetIsZero() throws {
    let codec = ColumnCodec(.link, isOptional: false)

    #expect(try codec.sqliteValue(of: .null) == .integer(0))
    #expect(try codec.decode(SQLiteValue.integer(0)) == .null)
  }

  @Test(arguments: [
    (ColumnCodec.Kind.integer(.int8), SQLiteValue.integer(128)), (.uuid, .blob([1])),
    (.decimal, .text("1,5")), (.string, .blob([1])), (.any, .blob([])), (.any, .blob([200, 1])),
    (.double, .text("1")), (.bool, .real(1)),
  ])
  func aCellThatIsNotOfItsTypeIsAnError(kind: ColumnCodec.Kind, cell: SQLiteValue) {
    #expect(throws: ColumnError.self) { try ColumnCodec(kind, isOptional: false).decode(cell) }
  }

  @Test(arguments: [
    (ColumnCodec.Kind.integer(.int16), Value.int(40_000)), (.string, .int(1)), (.bool, .int(1)),
    (.any, .link(1)),
  ])
  func aValueOfAnotherTypeIsNotWritten(kind: ColumnCodec.Kind, value: Value) {
    #expect(throws: ColumnError.self) {
      try ColumnCodec(kind, isOptional: false).sqliteValue(of: value)
    }
  }

  @Test func aWholeNumberCountsAsADouble() throws {
    #expect(
      try ColumnCodec(.double, isOptional: false).decode(SQLiteValue.integer(2)) == .double(2))
    #expect(try ColumnCodec(.date, isOptional: false).decode(SQLiteValue.integer(2)) == .date(2))
  }
}
