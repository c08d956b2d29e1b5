import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

@Suite struct CopyTests {
  let test: TestStore
  let store: Store
  let copy: String

  init() throws {
    test = try TestStore()
    store = test.store
    copy = test.folder.file("copy.db")
    try store.write { for age in 0..<2_000 { try store.add(Dog(name: "Dog \(age)", age: age)) } }
    try store.write { try store.delete(Dog.self, where: "age > 9") }
  }

  private func size(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  @Test func aCopyHoldsTheDataAndIsSmall() throws {
    try store.writeCopy(to: copy)
    let opened = try Store(path: copy, schema: TestingSchema.self)

    #expect(opened.objects(Dog.self).map(\.age) == Array(0...9))
    try opened.write { try opened.deleteAll() }
    store.close()
    #expect(try size(copy) < size(test.folder.file("a.db")))
    #expect(!FileManager.default.fileExists(atPath: copy + ".copy"))
  }

  @Test func whatAKilledCallHasLeftIsRemoved() throws {
    for end in ["", "-wal", "-shm"] {
      let name = copy + "-strata-upgrade-new-strata-upgrade-copy" + end
      try Data("x".utf8).write(to: URL(fileURLWithPath: name))
    }
    try store.writeCopy(to: copy)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: URL(fileURLWithPath: copy).deletingLastPathComponent().path)
    #expect(names.filter { $0.hasPrefix("copy.db") } == ["copy.db"])
  }

  @Test("A copy of a private file is as private", arguments: [0o600, 0o640])
  func permissions(_ permissions: Int) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: test.folder.file("a.db"))
    try store.writeCopy(to: copy)
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == permissions)
    let opened = try Store(path: copy, schema: TestingSchema.self)
    #expect(opened.objects(Dog.self).count == 10)
  }

  @Test(.enabled(if: getuid() == 0, "only root gives a file to any group"))
  func aCopyIsForTheGroupOfTheFile() throws {
    let (files, group) = (POSIXFiles(), 2000 as UInt32)
    try files.setPermissions(0o640, of: test.folder.file("a.db"))
    try files.setOwner(user: 0, group: group, of: test.folder.file("a.db"))
    try store.writeCopy(to: copy)
    let status = try #require(try files.status(of: copy))
    #expect(status.group == group && status.permissions == 0o640)
  }

  /// The next opening would take it for what it has made itself, and remove it.
  @Test(arguments: ["-journal", ".kept-0-20260101", "-strata-upgrade-1"])
  func aNameThatBelongsToTheStoreIsRefused(end: String) {
    let error = #expect(throws: StoreError.self) {
      try store.writeCopy(to: test.folder.file("a.db") + end)
    }
    #expect(error?.description.contains("belongs to the store's own file") == true)
  }

  @Test func aPlaceThatCannotBeWrittenIsNamed() throws {
    let missing = test.folder.file("nowhere/copy.db")
    let error = #expect(throws: StoreError.self) { try store.writeCopy(to: missing) }
    #expect(error?.code == "STR5001")
    #expect(error?.description.contains("does not exist") == true, "\(error?.description ?? "")")
  }

  @Test func aCopyIsOfTheVersionThatTheStoreShows() throws {
    let frozen = store.freeze()
    #expect(store.objects(Dog.self).count == 10)
    let other = try test.open()
    try other.write { try other.deleteAll() }

    try frozen.writeCopy(to: copy)
    try store.writeCopy(to: URL(fileURLWithPath: copy + "2"))

    #expect(try Store(path: copy, schema: TestingSchema.self).objects(Dog.self).count == 10)
    #expect(try Store(path: copy + "2", schema: TestingSchema.self).objects(Dog.self).count == 10)
  }

  @Test func whyAStoreCannotBeReadIsSaid() throws {
    var configuration = Store.Configuration(
      inMemoryIdentifier: "copied while another writes", schema: TestingSchema.self)
    configuration.busyTimeout = .zero
    let (writer, reader) = (
      try Store(configuration: configuration), try Store(configuration: configuration)
    )
    try writer.beginWrite()
    try writer.add(Dog(name: "Rex"))

    let error = #expect(throws: StoreError.self) { try reader.writeCopy(to: copy) }

    #expect(error == .busy(path: ":memory:"))
    #expect(error?.description.contains("Another store in memory") == true)
    try writer.commitWrite()
    try reader.writeCopy(to: copy)
    #expect(try Store(path: copy, schema: TestingSchema.self).objects(Dog.self).count == 1)
  }

  @Test func aFileThatIsThereStays() throws {
    try "mine".write(toFile: copy, atomically: true, encoding: .utf8)

    #expect(throws: StoreError.fileAccess(path: copy, reason: "there is a file already")) {
      try store.writeCopy(to: copy)
    }
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == "mine")
  }

  @Test func whatCannotBeCopiedIsAnErrorAndNoFile() throws {
    #expect(
      throws: StoreError.invalidKey(path: copy, reason: "a key has 32 or 64 bytes, not 3")
    ) { try store.writeCopy(to: copy, encryptionKey: Data(repeating: 1, count: 3)) }
    try store.write {
      #expect(throws: StoreError.alreadyInWriteTransaction) { try store.writeCopy(to: copy) }
    }
    #expect(throws: StoreError.self) { try store.writeCopy(to: test.folder.file("no/copy.db")) }
    #expect(!FileManager.default.fileExists(atPath: copy))
  }
}
