import Testing

@testable import StrataSQLite

/// Rows in memory and the thread that inserts them.
@Suite struct RowInserterTests {
  let database: Database

  init() throws {
    database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, value ANY) STRICT")
  }

  private func inserter(rowsAtOnce: Int = 4) throws -> RowInserter {
    try RowInserter(database, table: "t", columns: ["id", "value"], rowsAtOnce: rowsAtOnce)
  }

  private func stored() throws -> [SQLiteValue] {
    try database.rows("SELECT value FROM t ORDER BY id").map { $0[0] }
  }

  @Test(arguments: [1, 3, 4, 100])
  func everyKindOfValueArrivesAsItIs(rowsAtOnce: Int) throws {
    let values: [SQLiteValue] = [
      .null, .integer(.min), .integer(.max), .real(-0.0), .real(1e300), .text(""), .text("ß\u{0}€"),
      .text(String(repeating: "x", count: 10_000)), .blob([]), .blob([0, 255]),
    ]
    let batch = RowBatch(cells: 2 * values.count)
    defer { batch.free() }
    for (index, value) in values.enumerated() {
      batch.move(to: 2 * index)
      batch.write(Int64(index))
      switch value {
      case .null: batch.writeNull()
      case .integer(let value): batch.write(value)
      case .real(let value): batch.write(value)
      case .text(let value): try batch.write(value)
      case .blob(let value): try batch.write(value)
      }
    }

    try inserter(rowsAtOnce: rowsAtOnce).insert(batch, rows: values.count)

    #expect(try stored() == values)
  }

  /// Short texts are copied in pieces.
  @Test func textsOfEachLengthArriveWhole() throws {
    let texts = (0...40).map { length in
      String((0..<length).map { Character(UnicodeScalar(UInt8(0x30 + $0))) })
    }
    let batch = RowBatch(cells: 2 * texts.count)
    defer { batch.free() }
    for (index, text) in texts.enumerated() {
      batch.move(to: 2 * index)
      batch.write(Int64(index))
      try batch.write(text)
    }
    try inserter().insert(batch, rows: texts.count)

    #expect(try stored() == texts.map { .text($0) })
  }

  @Test func aColumnIsTakenAsItStands() throws {
    let values: [SQLiteValue] = [
      .null, .integer(7), .real(0.5), .text("a"), .text(""), .blob([1]), .blob([]),
    ]
    for (index, value) in values.enumerated() {
      try database.execute("INSERT INTO t VALUES (?, ?)", .integer(Int64(index)), value)
    }
    try database.execute("CREATE TABLE copy(id INTEGER PRIMARY KEY, value ANY) STRICT")
    let batch = RowBatch(cells: 2 * values.count)
    defer { batch.free() }
    let rows = try database.prepare("SELECT id, value FROM t ORDER BY id")
    var count = 0
    while try rows.step() {
      batch.move(to: 2 * count)
      try batch.write(columnOf: rows.row, at: 0)
      try batch.write(columnOf: rows.row, at: 1)
      count += 1
    }

    try RowInserter(database, table: "copy", columns: ["id", "value"], rowsAtOnce: 3)
      .insert(batch, rows: count)

    #expect(try database.rows("SELECT value FROM copy ORDER BY id").map { $0[0] } == values)
  }

  /// A row that was begun and given up leaves nothing.
  @Test func aRowIsBegunAnew() throws {
    let batch = RowBatch(cells: 2)
    defer { batch.free() }
    batch.move(to: 0)
    batch.write(1 as Int64)
    batch.move(to: 0)
    batch.write(2 as Int64)
    try batch.write("second")

    try inserter().insert(batch, rows: 1)

    #expect(try database.rows("SELECT id, value FROM t") == [[.integer(2), .text("second")]])
  }

  // MARK: - The thread

  /// One row a batch.
  private func give(_ ids: [Int64], to background: BackgroundInserter) throws {
    var batch = RowBatch(cells: 2)
    defer { batch.free() }
    for id in ids {
      batch.move(to: 0)
      batch.write(id)
      try batch.write("row \(id)")
      batch = try background.exchange(batch, rows: 1)
    }
    try background.waitUntilIdle()
  }

  @Test func batchesAreInsertedInTheOrderInWhichTheyAreGiven() throws {
    try database.execute("CREATE TABLE log(number INTEGER PRIMARY KEY, id INTEGER) STRICT")
    try database.execute(
      "CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT INTO log(id) VALUES (new.id); END")
    let background = try #require(BackgroundInserter(try inserter(), cellsOfBatch: 2))
    let ids = (1...500).map { Int64($0 * 7919 % 503) }

    try give(ids, to: background)

    #expect(
      try database.rows("SELECT id FROM log ORDER BY number").map { $0[0] }
        == ids.map(SQLiteValue.integer))
  }

  @Test func nothingIsInsertedBehindWhatFailed() throws {
    let background = try #require(BackgroundInserter(try inserter(), cellsOfBatch: 2))

    let error = #expect(throws: SQLiteError.self) {
      try give([1, 2, 2, 3, 4, 5, 6, 7, 8], to: background)
    }

    #expect(error?.primaryCode == .constraint)
    #expect(throws: SQLiteError.self) { try background.waitUntilIdle() }
    background.end()
    #expect(try stored() == [.text("row 1"), .text("row 2")])
  }

  @Test func itEndsAlsoWithoutHavingBeenAskedTo() throws {
    do {
      let background = try #require(BackgroundInserter(try inserter(), cellsOfBatch: 2))
      try give([1], to: background)
    }
    #expect(try stored() == [.text("row 1")])
  }
}
