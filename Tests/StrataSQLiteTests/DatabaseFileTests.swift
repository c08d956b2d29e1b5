import StrataSQLite
import Testing

@Suite struct DatabaseFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aMissingFileIsCreatedOnlyWhenAsked() throws {
    let error = #expect(throws: SQLiteError.self) {
      try Database(path: folder.file("a.db"), mode: .readWrite)
    }
    #expect(error?.primaryCode == .cannotOpen)

    let database = try Database(path: folder.file("a.db"))
    try database.execute("CREATE TABLE t (a)")
    #expect(!database.isReadOnly())
  }

  @Test func anUnknownVFSIsAnError() throws {
    #expect(throws: SQLiteError.self) { try Database(path: folder.file("a.db"), vfs: "nobody") }
  }

  @Test func aReadOnlyConnectionRefusesWrites() throws {
    try Database(path: folder.file("a.db")).execute("CREATE TABLE t (a)")
    let database = try Database(path: folder.file("a.db"), mode: .readOnly)

    #expect(database.isReadOnly())
    let error = #expect(throws: SQLiteError.self) {
      try database.execute("INSERT INTO t VALUES (1)")
    }
    #expect(error?.primaryCode == .readOnly)
  }

  /// SQLite 3.40 takes the functions of JSON from no file that it does not trust, and compiles a statement anew at its first step.
  @Test(arguments: [true, false])
  func definitionsOfOthersAreReadAtTheFirstStep(ofARow isRow: Bool) throws {
    let database = try Database(path: folder.file("a.db"))
    try database.execute("CREATE TABLE t (a)")
    try database.execute("INSERT INTO t VALUES (1), (2)")
    let statement = try database.prepare("SELECT a FROM t")
    let other = try Database(path: folder.file("a.db"))
    try other.set(.trustedSchema, true)
    try other.execute("CREATE TABLE notes (json TEXT, title AS (json ->> '$.title'))")

    for expected in 1...2 as ClosedRange<Int64> {
      if isRow {
        guard case .row = statement.row.step() else { throw statement.stepError }
      } else {
        #expect(try statement.step())
      }
      #expect(statement.row.integer(at: 0) == expected)
    }
    #expect(try !statement.step())
  }

  @Test func dataVersionTellsOfOtherConnections() throws {
    let (one, other) = (
      try Database(path: folder.file("a.db")), try Database(path: folder.file("a.db"))
    )
    try one.execute("CREATE TABLE t (a)")
    let before = try other.dataVersion()
    try one.execute("INSERT INTO t VALUES (1)")

    #expect(try other.dataVersion() != before)
  }

  @Test func aSecondWriterIsBusy() throws {
    let (one, other) = (
      try Database(path: folder.file("a.db")), try Database(path: folder.file("a.db"))
    )
    other.setBusyTimeout(milliseconds: 0)
    try one.begin()

    let error = #expect(throws: SQLiteError.self) { try other.begin() }
    #expect(error?.primaryCode == .busy)
  }

  @Test func attachedDatabasesAreDetachedAgain() throws {
    let database = try Database(path: folder.file("a.db"))
    try database.attach(folder.file("b.db"), as: "aside")
    try database.execute("CREATE TABLE aside.t (a)")
    #expect(try database.firstValue("SELECT count(*) FROM aside.t") == 0)
    try database.detach("aside")

    #expect(throws: SQLiteError.self) { try database.firstValue("SELECT count(*) FROM aside.t") }
  }

  @Test func aBackupCopiesPageByPage() throws {
    let source = try Database(path: folder.file("a.db"))
    try source.execute("CREATE TABLE t (a)")
    for value in 0..<1000 {
      try source.execute("INSERT INTO t VALUES (?)", .text(String(repeating: "x", count: value)))
    }
    let target = try Database(path: folder.file("b.db"))
    let backup = try Backup(from: source, into: target)
    var steps = 0
    while try backup.step(pages: 10) == .more { steps += 1 }
    try backup.finish()

    #expect(steps > 1)
    #expect(backup.remainingPages == 0)
    #expect(try target.firstValue("SELECT sum(length(a)) FROM t") == 499_500)
  }

  @Test func aURIOfAPathWithTwoSlashesNamesNoHost() throws {
    try Database(path: folder.file("a.db")).execute("CREATE TABLE t (a)")
    let path = "/" + folder.file("a.db")
    #expect(FilePaths.uri("//srv/a b.db", "mode=ro") == "file:////srv/a%20b.db?mode=ro")
    #expect(FilePaths.uri("/srv/a.db", "mode=ro") == "file:/srv/a.db?mode=ro")

    let database = try Database(
      path: FilePaths.uri(path, "mode=ro"), mode: .readOnly, isURI: true)

    #expect(try database.firstValue("SELECT count(*) FROM t") == 0)
    #expect(Database.firstBytes(of: path, count: 16) == Database.magic)
    #expect(Database.isPlain(path))
  }

  /// A path that begins as a URI is a path: nothing stands there.
  @Test func onlyWhatIsGivenAsAURIIsOne() throws {
    try Database(path: folder.file("a.db")).execute("CREATE TABLE t (a)")
    let uri = FilePaths.uri(folder.file("a.db"), "mode=ro")

    #expect(Database.firstBytes(of: uri, count: 16) == nil)
    #expect(Database.firstBytes(of: uri, count: 16, isURI: true) == Database.magic)
  }

  @Test func anInterruptHandleOutlivesItsConnection() throws {
    let database = try Database(path: folder.file("a.db"))
    let handle = database.interruptHandle
    handle.interrupt()
    database.close()
    handle.interrupt()
  }
}
