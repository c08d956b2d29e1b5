import Foundation
import StrataCipher
import StrataSQLite
import Testing

/// The VFS below stores: what SQLite itself does with sealed pages.
@Suite struct EncryptedPageTests {
  static let kinds = CipherKind.allCases
  static let sizes: [Int64] = [512, 1024, 4096, 65_536]

  let folder: TemporaryFolder

  init() throws {
    PageCiphers.install()
    folder = try TemporaryFolder()
  }

  private func vfs(_ kind: CipherKind) throws -> String {
    let key = FileKey.bytes([UInt8](repeating: 0x5A, count: 32))
    return try #require(FileCipher(key: key, kind: kind).vfs())
  }

  private func open(_ name: String, _ kind: CipherKind) throws -> Database {
    try Database(path: folder.file(name), vfs: try vfs(kind))
  }

  private func fill(_ database: Database, rows: Int = 300) throws {
    try database.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b TEXT, c BLOB)")
    try database.execute(
      """
      INSERT INTO t(b, c) WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT 'needle ' || i, randomblob(i * 7 % 3000) FROM n
      """, .integer(Int64(rows)))
  }

  private func expectWhole(_ database: Database) throws {
    #expect(try database.firstValue("PRAGMA integrity_check") == "ok")
  }

  @Test(arguments: kinds, sizes)
  func everySizeOfPageAndEveryJournalWorks(kind: CipherKind, size: Int64) throws {
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "WAL"] {
      let name = "\(mode).db"
      let database = try open(name, kind)
      try database.setPragma("page_size", .integer(size))
      try database.setPragma("journal_mode", .word(mode))
      // A small cache writes pages before the commit, in any order.
      try database.setPragma("cache_size", 10)
      try database.transaction { try fill(database) }
      try? database.transaction {
        try database.execute("UPDATE t SET b = 'gone', c = randomblob(2000)")
        try database.execute("DELETE FROM t WHERE a % 3 = 0")
        throw CancellationError()
      }
      #expect(try database.firstValue("SELECT count(*) FROM t WHERE b LIKE 'needle%'") == 300)
      try database.transaction { try database.execute("DELETE FROM t WHERE a % 2 = 0") }
      try expectWhole(database)
      database.close()
      let again = try open(name, kind)
      // SQLite keeps 480 bytes of a page for itself.
      let smallest: Int64 = kind == .sqlCipher ? 1024 : 512
      #expect(try again.pragma("page_size") == .integer(max(size, smallest)))
      #expect(try again.firstValue("SELECT count(*) FROM t") == 150)
      try again.execute("VACUUM")
      try expectWhole(again)
      again.close()
      let last = try open(name, kind)
      try expectWhole(last)
      let content = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      #expect(content.range(of: Data("needle".utf8)) == nil)
      #expect(!Self.hasZeroPage(content, Int(size)))
    }
  }

  /// Whether a page is nothing but zeros.
  private static func hasZeroPage(_ content: Data, _ size: Int) -> Bool {
    stride(from: 0, to: content.count, by: size).contains { start in
      content[start..<min(content.count, start + size)].allSatisfy { $0 == 0 }
    }
  }

  /// A process that ended in the middle of a transaction leaves its journal.
  @Test(arguments: kinds, sizes)
  func aHotJournalIsRolledBack(kind: CipherKind, size: Int64) throws {
    let database = try open("a.db", kind)
    try database.setPragma("page_size", .integer(size))
    try fill(database)
    try database.setPragma("cache_size", 5)
    try database.begin()
    try database.execute("UPDATE t SET b = 'half', c = randomblob(3000)")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("a.db") + suffix, toPath: folder.file("left.db") + suffix)
    }
    let journal = try Data(contentsOf: URL(fileURLWithPath: folder.file("left.db-journal")))
    #expect(journal.count > 1024)
    #expect(journal.range(of: Data("needle".utf8)) == nil)
    let left = try open("left.db", kind)
    #expect(try left.firstValue("SELECT count(*) FROM t WHERE b LIKE 'needle%'") == 300)
    try expectWhole(left)
    try database.rollback()
  }

  /// How many pages the file had stands in no checksum of SQLite's: a rollback that believed it would fill the disk.
  @Test(arguments: kinds)
  func aJournalThatNamesTooManyPagesIsDamaged(kind: CipherKind) throws {
    let database = try open("a.db", kind)
    try fill(database)
    try database.setPragma("cache_size", 5)
    try database.begin()
    try database.execute("UPDATE t SET b = 'half', c = randomblob(3000)")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("a.db") + suffix, toPath: folder.file("left.db") + suffix)
    }
    try database.rollback()
    let journal = URL(fileURLWithPath: folder.file("left.db-journal"))
    var bytes = try Data(contentsOf: journal)
    bytes.replaceSubrange(16..<20, with: [0x3f, 0xff, 0xff, 0xf0])
    try bytes.write(to: journal)
    let content = try Data(contentsOf: URL(fileURLWithPath: folder.file("left.db")))

    let error = #expect(throws: SQLiteError.self) {
      try open("left.db", kind).firstValue("SELECT count(*) FROM t")
    }

    #expect(error?.meaning.isDamage == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("left.db"))) == content)
    #expect(try Data(contentsOf: journal) == bytes)
  }

  /// Sorting writes files of its own, which are sealed as well, and holds no more in memory for it.
  @Test(arguments: kinds)
  func temporaryFilesAreSealed(kind: CipherKind) throws {
    let database = try open("a.db", kind)
    try database.spillTemporaries(cacheSize: 100)
    try database.execute("CREATE TEMP TABLE copy(a INTEGER PRIMARY KEY, b TEXT)")
    try fill(database, rows: 4_000)
    try database.execute("INSERT INTO copy SELECT a, b || b || b FROM t")
    try database.execute("UPDATE copy SET b = b || '!' WHERE a % 2 = 0")
    #expect(
      try database.firstValue("SELECT count(*) FROM copy WHERE b LIKE 'needle%'") == 4_000)
    #expect(
      try database.rows("SELECT a FROM t ORDER BY c || b, a LIMIT 3").count == 3)
    #expect(
      try database.firstValue("SELECT count(DISTINCT b || hex(c)) FROM t") == 4_000)
  }

  /// A frame that was left out, doubled or moved is not taken, whoever mends the log's own checksums.
  @Test func framesAreBoundToTheirPlaces() throws {
    let cipher = GCMCodecProbe()
    #expect(cipher.opens(movedFrom: 4, to: 4))
    #expect(!cipher.opens(movedFrom: 4, to: 5))
  }

  @Test func aNonceIsNeverTheSame() throws {
    let database = try open("a.db", .aesGCM)
    try database.setPragma("journal_mode", "WAL")
    try fill(database, rows: 500)
    for _ in 0..<5 { try database.execute("UPDATE t SET b = b || 'x'") }
    let log = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db-wal")))
    var nonces: Set<Data> = []
    var frames = 0
    for start in stride(from: 32, to: log.count, by: 24 + 4096) where start + 4120 <= log.count {
      frames += 1
      nonces.insert(log[start + 24 + 4096 - 32..<start + 24 + 4096 - 20])
    }
    #expect(frames > 100 && nonces.count == frames)
  }

  @Test(arguments: kinds)
  func anAttachedFileIsEncryptedToo(kind: CipherKind) throws {
    let database = try open("a.db", kind)
    try fill(database)
    try database.attach(folder.file("b.db"), as: "other")
    try database.execute("CREATE TABLE other.t AS SELECT * FROM main.t")
    database.close()
    let other = try open("b.db", kind)
    #expect(try other.firstValue("SELECT count(*) FROM t") == 300)
    let content = try Data(contentsOf: URL(fileURLWithPath: folder.file("b.db")))
    #expect(content.range(of: Data("needle".utf8)) == nil)
  }
}

/// Seals a page as a frame of the log and opens it elsewhere.
private struct GCMCodecProbe {
  func opens(movedFrom old: UInt32, to new: UInt32) -> Bool {
    let scheme = PageCiphers.scheme(
      FileCipher(key: .bytes([UInt8](repeating: 1, count: 32)), kind: .aesGCM))
    let codec = scheme.codecOfNewFile()
    var page = [UInt8](repeating: 7, count: 4096)
    page.replaceSubrange(4096 - codec.reservedBytes..<4096, with: repeatElement(0, count: 32))
    var sealed = [UInt8](repeating: 0, count: 4096)
    func place(_ index: UInt32) -> PagePlace {
      PagePlace(file: .log, number: 9, frame: FramePlace(index: index, commitSize: 3, salts: 5))
    }
    let isSealed = sealed.withUnsafeMutableBytes { target in
      page.withUnsafeBytes {
        codec.seal($0.baseAddress!, into: target.baseAddress!, size: 4096, at: place(old))
      }
    }
    return isSealed
      && sealed.withUnsafeMutableBytes { codec.open($0.baseAddress!, size: 4096, at: place(new)) }
  }
}
