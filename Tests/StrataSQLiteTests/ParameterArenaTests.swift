import StrataSQLite
import Testing

/// Texts and blobs that SQLite reads where they are.
@Suite struct ParameterArenaTests {
  let database: Database
  let insert: Statement

  init() throws {
    database = try Database(path: ":memory:")
    try database.execute("CREATE TABLE t (a ANY, b ANY, c ANY) STRICT")
    insert = try database.prepare("INSERT INTO t VALUES (?, ?, ?)")
  }

  private func write(_ values: String...) throws {
    database.texts.begin()
    for (index, value) in values.enumerated() {
      try insert.parameter(at: index + 1, in: database.texts).write(value)
    }
    try insert.run()
  }

  /// Around the room that there is for one statement, 4,096 bytes.
  @Test(arguments: [0, 1, 15, 16, 1365, 1366, 4095, 4096, 4097, 100_000])
  func textsOfEachLengthAreStored(length: Int) throws {
    let texts = ["x", "é", "z"].map { String(repeating: $0, count: length) }
    try write(texts[0], texts[1], texts[2])
    try write("short", "", "after")

    #expect(
      try database.rows("SELECT * FROM t") == [
        texts.map { .text($0) }, ["short", "", "after"],
      ])
  }

  @Test func whatSQLiteHasCopiedIsFreed() throws {
    let long = String(repeating: "x", count: 100_000)
    try write("short", long, "after")
    database.texts.letGo(of: insert)

    // A value that is not there any more is NULL.
    try insert.run()
    #expect(
      try database.rows("SELECT * FROM t") == [
        ["short", .text(long), "after"], [.null, .null, .null],
      ])
  }

  @Test func whatWasBoundForAnEarlierRowIsNotReadAgain() throws {
    for number in 0..<200 {
      try write(
        "first \(number)", String(repeating: "\(number % 10)", count: number * 20), "\(number)")
    }
    let wrong = try database.firstValue(
      """
      SELECT count(*) FROM t WHERE a <> 'first ' || (rowid - 1) OR c <> (rowid - 1) || ''
        OR length(b) <> (rowid - 1) * 20 OR replace(b, ((rowid - 1) % 10) || '', '') <> ''
      """)

    #expect(wrong == .integer(0))
  }

  @Test(arguments: [[], [0], [UInt8](repeating: 7, count: 4097)] as [[UInt8]])
  func blobsAreStored(bytes: [UInt8]) throws {
    database.texts.begin()
    for parameter in 1...3 {
      try insert.parameter(at: parameter, in: database.texts).write(bytes)
    }
    try insert.run()

    #expect(
      try database.rows("SELECT * FROM t") == [[.blob(bytes), .blob(bytes), .blob(bytes)]])
  }
}
