import StrataSQLite
import Testing

/// Another process puts a new file into the place of one that is being opened.
@Suite struct ReplacedFileTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    try fill(path, with: "old")
  }

  private func fill(_ path: String, with text: String) throws {
    let database = try Database(path: path)
    try database.execute("CREATE TABLE t (a)")
    try database.execute("INSERT INTO t VALUES (?)", .text(text))
    try database.setPragma("journal_mode", "WAL")
    database.close()
  }

  /// Puts a file that holds "new" into the place, and commits "more" into its log.
  ///
  /// - Returns: a connection that keeps the log.
  private func replace() throws -> Database {
    try fill(folder.file("b.db"), with: "new")
    try POSIXFiles().rename(folder.file("b.db"), to: path)
    let database = try Database(path: path)
    try database.execute("INSERT INTO t VALUES ('more')")
    return database
  }

  private func rows() throws -> [String] {
    try Database(path: path).rows("SELECT a FROM t").compactMap { $0[0].ifText }
  }

  @Test func aFileThatIsReplacedBeforeItIsReadKeepsItsLog() throws {
    let late = try Database(path: path, mode: .readWrite)
    #expect(!late.isReplaced)
    let new = try replace()

    #expect(late.isReplaced)
    #expect(try !late.isInPlace())
    late.close()

    #expect(try new.rows("SELECT a FROM t") == [[.text("new")], [.text("more")]])
    new.close()
    #expect(try rows() == ["new", "more"])
  }

  /// With the log that a killed process has left.
  @Test func theLogOfAnotherFileIsLeftThereWithTheLastConnection() throws {
    let late = try Database(path: path, mode: .readWrite)
    let new = try replace()
    try new.set(.noCheckpointOnClose, true)
    new.close()

    #expect(try !late.isInPlace())
    late.close()

    #expect(try rows() == ["new", "more"])
  }

  @Test func whatIsInPlaceIsReadAndWritten() throws {
    let database = try Database.inPlace(path: path, mode: .readWrite, busyTimeout: 0)
    #expect(try database.isInPlace())
    try database.execute("INSERT INTO t VALUES ('more')")
    database.close()

    #expect(try POSIXFiles().exists(path + "-wal") == false)
    #expect(try rows() == ["old", "more"])
  }

  @Test func whatIsOnNoDiskIsInPlace() throws {
    let database = try Database.inPlace(path: ":memory:", mode: .create, busyTimeout: 0)
    #expect(try database.isInPlace())
  }
}
