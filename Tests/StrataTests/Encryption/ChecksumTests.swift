import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// Plain files whose pages have checksums.
@Suite struct ChecksumTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.db")
  }

  private func fill(checksums: Bool) throws {
    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.checksums = checksums
    let store = try Store(configuration: configuration)
    try store.write { for age in 0..<400 { try store.add(Dog(name: "Dog \(age)", age: age)) } }
    store.close()
  }

  /// Changes a letter of a name, in the place of every `Dog 1…` of the file.
  private func changeNames() throws -> Bool {
    var content = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    var hasChanged = false
    for place in content.indices.dropLast(5)
    where content[place..<place + 5].elementsEqual("Dog 1".utf8) {
      content[place] = UInt8(ascii: "F")
      hasChanged = true
    }
    try Data(content).write(to: URL(fileURLWithPath: path))
    return hasChanged
  }

  private func names() throws -> [String] {
    let store = try Store(path: path, schema: TestingSchema.self)
    defer { store.close() }
    return store.objects(Dog.self).map { $0.name }
  }

  @Test func aChangedByteIsAnErrorAndNoOtherValue() throws {
    try fill(checksums: true)
    #expect(try names().count == 400)
    #expect(try changeNames())
    let store = try? Store(path: path, schema: TestingSchema.self)
    let found = store?.objects(Dog.self).map { $0.name } ?? []
    #expect(!found.contains { $0.hasPrefix("Fog") })
  }

  @Test func withoutThemItIsAnotherValue() throws {
    try fill(checksums: false)
    #expect(try changeNames())
    #expect(try names().contains { $0.hasPrefix("Fog") })
  }

  /// The header's byte says that pages have checksums: where it is damaged, the pages say so.
  @Test func aHeaderThatNoLongerSaysSoIsDamaged() throws {
    try fill(checksums: true)
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    for value: UInt8 in [0, 9, 12, 40] {
      content[20] = value
      try content.write(to: URL(fileURLWithPath: path))
      let error = #expect(throws: StoreError.self) {
        try Store(path: path, schema: TestingSchema.self)
      }
      #expect(error?.code == "STR5004", "\(value): \(String(describing: error))")
    }
    content[20] = 8
    try content.write(to: URL(fileURLWithPath: path))
    #expect(try names().count == 400)
  }

  /// A transaction that outgrows its cache writes pages before the first one, in any order and more than once.
  @Test(arguments: ["DELETE", "OFF"])
  func aNewFileMayOutgrowTheCache(journal: String) throws {
    let database = try Database(path: path, vfs: ChecksummedPages.vfs())
    try database.set(.defensive, false)
    try database.setPragma("journal_mode", journal == "OFF" ? "OFF" : "DELETE")
    try database.setPragma("cache_size", 10)
    try database.begin()
    try database.execute("CREATE TABLE Dog(name TEXT, more BLOB)")
    try database.execute(
      "INSERT INTO Dog WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT 'Dog ' || i, zeroblob(i % 5000) FROM n"
    )
    try database.execute(
      "UPDATE Dog SET name = name || '!', more = randomblob(length(more)) WHERE rowid % 3 = 0")
    try database.execute("CREATE INDEX byName ON Dog(name)")
    try database.commit()
    #expect(try database.firstValue("PRAGMA integrity_check") == "ok")
    database.close()

    let again = try Database(path: path)
    #expect(try again.firstValue("PRAGMA integrity_check") == "ok")
    #expect(try again.firstValue("SELECT count(*) FROM Dog WHERE name LIKE '%!'") == 300)
    try everyPageHasAChecksum()
  }

  /// A copy keeps the number of bytes that are free: one of a file without checksums has none, and its content stays.
  @Test(arguments: [false, true])
  func aLargeCopyIsThatOfItsFile(hasChecksums: Bool) throws {
    let source = try Database(
      path: folder.file("source.db"), vfs: hasChecksums ? ChecksummedPages.vfs() : nil)
    try source.execute("CREATE TABLE Dog(name TEXT, more BLOB)")
    try source.execute(
      "INSERT INTO Dog WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT 'Dog ' || i, zeroblob(9000) FROM n"
    )
    let target = try Database(path: path, vfs: ChecksummedPages.vfs())
    try target.setPragma("cache_size", 10)
    let backup = try Backup(from: source, into: target)
    while try backup.step(pages: 50) != .done {}
    try backup.finish()
    target.close()

    let copy = try Database(path: path)
    #expect(try copy.firstValue("PRAGMA integrity_check") == "ok")
    #expect(try copy.firstValue("SELECT count(*) FROM Dog WHERE more = zeroblob(9000)") == 900)
    if hasChecksums { try everyPageHasAChecksum() }
  }

  private func everyPageHasAChecksum() throws {
    let content = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(content[20] == 8)
    for start in stride(from: 0, to: content.count, by: 4096) {
      func word(_ place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(content[start + place + $1]) << UInt32(8 * $1) }
      }
      var (one, two): (UInt32, UInt32) = (0, 0)
      for place in stride(from: 0, to: 4088, by: 8) {
        one &+= word(place) &+ two
        two &+= word(place + 4) &+ one
      }
      #expect(one == word(4088) && two == word(4092), "page \(start / 4096 + 1)")
    }
  }

  /// SQLite takes a size that makes no sense for its own, and asks for pieces that are no pages of the file.
  @Test(arguments: [512, 1024, 4096, 16_384, 65_536], [0, 3, 0x4000, 0xFFFF] as [UInt16])
  func aHeaderWithAnotherSizeIsDamaged(pageSize: Int64, size: UInt16) throws {
    let database = try Database(path: path, vfs: ChecksummedPages.vfs())
    try database.setPragma("page_size", .integer(pageSize))
    try database.execute("CREATE TABLE Dog(name TEXT)")
    try database.execute(
      "INSERT INTO Dog WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT 'Dog ' || i FROM n"
    )
    database.close()
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    guard Int(content[16]) << 8 | Int(content[17]) != Int(size) else { return }
    (content[16], content[17]) = (UInt8(size >> 8), UInt8(truncatingIfNeeded: size))
    try content.write(to: URL(fileURLWithPath: path))

    let error = #expect(throws: SQLiteError.self) {
      try Database(path: path).rows("SELECT name FROM Dog")
    }

    #expect(error?.meaning.isDamage == true, "\(String(describing: error))")
  }

  /// A size of pages that makes no sense is taken back by the journal of a process that was killed; what else is damaged is not.
  @Test(arguments: [8, 0])
  func aHeaderWithoutASizeHasChecksums(reserved: UInt8) throws {
    let database = try Database(path: path, vfs: ChecksummedPages.vfs())
    try database.execute("CREATE TABLE Dog(name TEXT)")
    try database.execute(
      "INSERT INTO Dog WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT 'Dog ' || i FROM n"
    )
    try database.setPragma("cache_size", 5)
    try database.begin()
    try database.execute("CREATE TABLE half(a)")
    try database.execute(
      "INSERT INTO half WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 50) SELECT randomblob(3000) FROM n"
    )
    let left = folder.file("left.db")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
    }
    try database.rollback()
    var content = try Data(contentsOf: URL(fileURLWithPath: left))
    content[17] = 0x44
    content[20] = reserved
    try content.write(to: URL(fileURLWithPath: left))
    let whole = folder.file("whole.db")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: left + suffix, toPath: whole + suffix)
    }
    let name = try #require(content.range(of: Data("Dog 1234".utf8)))
    content[name.lowerBound] = UInt8(ascii: "F")
    try content.write(to: URL(fileURLWithPath: left))

    let error = #expect(throws: SQLiteError.self) {
      try Database(path: left).rows("SELECT name FROM Dog")
    }

    #expect(error?.meaning.isDamage == true)
    #expect(try Database(path: whole).firstValue("SELECT count(name) FROM Dog") == 2000)
  }

  /// The trailer is that of SQLite's checksum extension: two sums over little-endian words.
  @Test func theTrailerIsSQLitesOwn() throws {
    try fill(checksums: true)
    try everyPageHasAChecksum()
  }

  @Test func everySQLiteReadsIt() throws {
    try fill(checksums: true)
    let database = try Database(path: path, mode: .readOnly, vfs: Database.systemVFS)
    #expect(try database.firstValue("SELECT count(*) FROM Dog") == 400)
    #expect(try database.firstValue("PRAGMA integrity_check") == "ok")
  }

  /// A file that has checksums keeps them, whoever writes it here.
  @Test func theyAreKept() throws {
    try fill(checksums: true)
    let store = try Store(path: path, schema: TestingSchema.self)
    try store.write { for age in 400..<900 { try store.add(Dog(name: "Dog \(age)", age: age)) } }
    try store.writeCopy(to: folder.file("copy.db"))
    store.close()
    try theTrailerIsSQLitesOwnOf(path)
    try theTrailerIsSQLitesOwnOf(folder.file("copy.db"))
  }

  /// What only reads may be what writes the log's pages into the file: as the last program that closes it, or as the first one after a
  /// process was killed.
  @Test(arguments: [false, true])
  func aReaderWithoutTheExtensionLeavesTheFileSound(afterAKill: Bool) throws {
    try fill(checksums: true)
    let store = try Store(path: path, schema: TestingSchema.self)
    var reader = try Database(path: path, mode: .readWrite)
    #expect(try reader.firstValue("SELECT count(*) FROM Dog") == 400)
    try store.write { for age in 400..<900 { try store.add(Dog(name: "Dog \(age)", age: age)) } }
    var file = path
    if afterAKill {
      file = folder.file("killed.db")
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: file + suffix)
      }
      reader.close()
      reader = try Database(path: file, mode: .readWrite)
    }
    store.close()
    #expect(try reader.firstValue("SELECT count(*) FROM Dog") == 900)
    reader.close()
    #expect(!FileManager.default.fileExists(atPath: file + "-wal"))

    let other = try Store(path: file, schema: TestingSchema.self)
    #expect(other.objects(Dog.self).map(\.age) == Array(0..<900))
    try other.write { try other.add(Dog(name: "Max")) }
    other.close()
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: file)))[20] == 8)
  }

  /// VACUUM would give a file what was asked for new ones, while its log and other connections still have pages without checksums.
  @Test func aFileThatHasNoneIsCompactedWithout() throws {
    try fill(checksums: false)
    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.checksums = true
    let other = try Store(configuration: configuration)
    configuration.shouldCompactOnLaunch = { _, _ in true }

    let store = try Store(configuration: configuration)

    try other.write { try other.add(Dog(name: "Max")) }
    store.close()
    other.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path))[20] == 0)
    #expect(try names().count == 401)
  }

  /// As the upgrade of an earlier edition has left it: the header says nothing of checksums, and the log's first page does.
  @Test func aLogThatBringsChecksumsIsWrittenBackWithThem() throws {
    try fill(checksums: false)
    let vfs = ChecksummedPages.vfs()
    let source = try Database(path: folder.file("source.db"), vfs: vfs)
    try source.setPragma("page_size", .integer(Database.strataPageSize))
    try source.execute("CREATE TABLE Dog(name TEXT, more BLOB)")
    try source.execute(
      "INSERT INTO Dog WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT 'Dog ' || i, zeroblob(900) FROM n"
    )
    let writer = try Database(path: path, mode: .readWrite, vfs: vfs)
    let backup = try Backup(from: source, into: writer)
    while try backup.step(pages: 50) != .done {}
    try backup.finish()
    try writer.set(.noCheckpointOnClose, true)
    writer.close()
    let plain = try Database(path: path, mode: .readWrite)
    #expect(try plain.firstValue("SELECT count(*) FROM Dog") == 500)
    #expect(plain.lacksChecksums)
    try plain.set(.noCheckpointOnClose, true)
    plain.close()

    let database = try Database.inPlace(path: path, mode: .readWrite, busyTimeout: 0)
    #expect(!database.lacksChecksums)
    #expect(try database.firstValue("PRAGMA integrity_check") == "ok")
    database.close()

    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    try everyPageHasAChecksum()
    let again = try Database(path: path)
    #expect(try again.firstValue("SELECT count(*) FROM Dog WHERE more = zeroblob(900)") == 500)
  }

  /// A compact copy with checksums changes nothing for its source.
  @Test func aFileThatHasNoneStaysSoAfterACopyWithThem() throws {
    try fill(checksums: false)
    let database = try Database(path: FilePaths.uri(path, "mode=rw"), mode: .readWrite, isURI: true)
    try database.vacuum(into: folder.file("copy.db"), vfs: ChecksummedPages.vfs())

    try database.execute("VACUUM")

    database.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path))[20] == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("copy.db")))[20] == 8)
    #expect(try names().count == 400)
  }

  /// A plain copy has none, and its pages leave no bytes free that would say so.
  @Test func aPlainCopyHasNone() throws {
    try fill(checksums: true)
    let store = try Store(path: path, schema: TestingSchema.self)
    try store.writePlainCopy(to: folder.file("copy.db"))
    let copy = folder.file("copy.db")
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy))[20] == 0)
    let other = try Store(path: copy, schema: TestingSchema.self)
    #expect(other.objects(Dog.self).map(\.age) == store.objects(Dog.self).map(\.age))
    try other.write { try other.add(Dog(name: "Max")) }
  }

  private func theTrailerIsSQLitesOwnOf(_ path: String) throws {
    let content = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(content[20] == 8)
    let database = try Database(path: path, mode: .readOnly)
    #expect(try database.firstValue("PRAGMA integrity_check") == "ok")
    #expect(try database.firstValue("SELECT count(*) FROM Dog") == 900)
  }
}
