import Foundation
import StrataCipher
import StrataSQLite
import Testing

/// The log of a file whose pages are sealed, as it is found after all programs that had it open were killed.
@Suite struct LogPageTests {
  enum Sealing: CaseIterable {
    case plain, gcm, sqlCipher, checksums

    func vfs() -> String? {
      let key = FileKey.bytes([UInt8](repeating: 0x5A, count: 32))
      return switch self {
      case .plain: nil
      case .gcm: FileCipher(key: key, kind: .aesGCM).vfs()
      case .sqlCipher: FileCipher(key: key, kind: .sqlCipher).vfs()
      case .checksums: ChecksummedPages.vfs()
      }
    }
  }

  let folder: TemporaryFolder

  init() throws {
    PageCiphers.install()
    folder = try TemporaryFolder()
  }

  /// A connection with so small a cache that a transaction writes pages before its commit.
  private func open(_ name: String, _ sealing: Sealing) throws -> Database {
    let database = try Database(path: folder.file(name), vfs: sealing.vfs())
    try database.setPragma("journal_mode", "WAL")
    try database.setPragma("synchronous", "NORMAL")
    try database.setPragma("cache_size", 10)
    try database.setPragma("wal_autocheckpoint", 0)
    return database
  }

  private func fill(_ database: Database) throws {
    try database.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB)")
    try database.execute(
      """
      INSERT INTO t(b, c) WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      SELECT 'first', randomblob(1000) FROM n
      """)
  }

  /// What the next program finds.
  private func afterKill(_ sealing: Sealing) throws -> Database {
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("a.db") + suffix, toPath: folder.file("left.db") + suffix)
    }
    return try open("left.db", sealing)
  }

  /// Frames of the log that belong to transactions, as the index beside it says.
  private func committedFrames() throws -> UInt32 {
    let index = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db-shm")))
    return index[16..<20].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
  }

  private func writtenFrames() throws -> UInt32 {
    let log = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db-wal")))
    return UInt32((log.count - 32) / (24 + 4096))
  }

  /// The next transaction stands where the cancelled one ended, and behind those of another connection, which has written over it.
  @Test(arguments: Sealing.allCases)
  func aTransactionBehindACancelledOneIsKept(sealing: Sealing) throws {
    let cancelling = try open("a.db", sealing)
    let other = try open("a.db", sealing)
    try fill(cancelling)
    try? cancelling.transaction {
      try cancelling.execute("UPDATE t SET c = randomblob(1000)")
      throw CancellationError()
    }
    let end = try writtenFrames()
    #expect(try committedFrames() < end)
    var turns: Int64 = 0
    while try committedFrames() < end {
      // What does not change is not written.
      turns += 1
      try other.execute("UPDATE t SET b = 'other ' || ? WHERE a = 1", .integer(turns))
    }
    #expect(try committedFrames() == end)

    try cancelling.execute("UPDATE t SET b = 'behind' WHERE a = 2")
    try other.execute("UPDATE t SET b = 'last' WHERE a = 3")

    let left = try afterKill(sealing)
    #expect(try left.firstValue("PRAGMA integrity_check") == "ok")
    #expect(
      try left.firstValue("SELECT group_concat(b) FROM t WHERE a < 4")
        == .text("other \(turns),behind,last"))
  }

  /// SQLite mends the checksums of a transaction's frames last of all, where it has written over one of them.
  @Test(arguments: Sealing.allCases)
  func aTransactionThatChangedItsPagesTwiceIsKept(sealing: Sealing) throws {
    let database = try open("a.db", sealing)
    try fill(database)
    try database.transaction {
      try database.execute("UPDATE t SET b = 'second'")
      try database.execute("UPDATE t SET b = 'third'")
    }

    let left = try afterKill(sealing)
    #expect(try left.firstValue("PRAGMA integrity_check") == "ok")
    #expect(try left.firstValue("SELECT count(*) FROM t WHERE b = 'third'") == 300)
  }

  /// How a part of a transaction ends that is taken back.
  enum Ending: CaseIterable {
    case savepoint, outerSavepoint, failedStatement
  }

  /// SQLite leaves the checksums of frames that it writes over to the commit, and goes on to do so where they were taken back (docs/decisions/0141).
  @Test(arguments: Sealing.allCases, Ending.allCases)
  func whatFollowsSomethingTakenBackIsKept(sealing: Sealing, ending: Ending) throws {
    let database = try open("a.db", sealing)
    try database.execute("CREATE TABLE _strata(key TEXT PRIMARY KEY, value) WITHOUT ROWID")
    try database.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB UNIQUE)")
    try database.execute("INSERT INTO t(b, c) VALUES ('before', 0)")
    let insert300 = """
      INSERT INTO t(b, c) WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      SELECT 'undone', CASE i WHEN 300 THEN ? ELSE randomblob(500) END FROM n
      """
    try database.transaction {
      try database.execute("INSERT INTO t(b) VALUES ('first')")
      let outer = try database.beginSavepoint("outer")
      if ending == .failedStatement {
        #expect(throws: SQLiteError.self) { try database.execute(insert300, 0) }
      } else {
        let inner = try database.beginSavepoint("inner")
        try database.execute(insert300, 1)
        try database.execute("UPDATE t SET b = 'undone again' WHERE a > 200")
        try database.takeBack(inner)
        if ending == .outerSavepoint { try database.rollBack(to: outer) }
      }
      try database.release(outer)
      try database.execute("INSERT INTO t(b) VALUES ('second')")
    }
    try database.execute("INSERT INTO t(b) VALUES ('next transaction')")

    let left = try afterKill(sealing)

    #expect(try left.firstValue("PRAGMA integrity_check") == "ok")
    #expect(
      try left.firstValue("SELECT group_concat(b) FROM (SELECT b FROM t ORDER BY a)")
        == "before,first,second,next transaction")
    #expect(try left.firstValue("SELECT count(*) FROM _strata") == 0)
  }
}
