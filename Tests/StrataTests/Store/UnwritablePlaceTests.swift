import Foundation
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Testing

@testable import Strata

/// Stores on media and in folders that this user cannot write: read without leaving anything beside the file.
@Suite(.enabled(if: MountedFolder.isPermitted)) struct UnwritablePlaceTests {
  let folder: TemporaryFolder
  let medium: MountedFolder
  var file: String { medium.path + "/seed.db" }

  init() throws {
    folder = try TemporaryFolder()
    medium = try MountedFolder(megabytes: 8)
    let store = try Store(path: file, schema: TestingSchema.self)
    try store.write { try store.add(Dog(name: "Rex")) }
    store.close()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: medium.path).sorted()
  }

  private var readOnly: Store.Configuration {
    Store.Configuration(
      fileURL: URL(fileURLWithPath: file), readOnly: true, schema: TestingSchema.self)
  }

  @Test func readOnlyOpensWhatCannotBeWritten() throws {
    try medium.makeReadOnly()

    let store = try Store(configuration: readOnly)

    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
    #expect(store.freeze().objects(Dog.self).map(\.name) == ["Rex"])
    try store.refresh()
    #expect(throws: StoreError.readOnly(path: file)) { try store.write {} }
    #expect(try names() == ["seed.db"])
  }

  /// The log of a process that was killed holds the newest objects.
  @Test func whatStandsInALogIsReadToo() throws {
    let other = medium.path + "/other.db"
    do {
      let store = try Store(path: file, schema: TestingSchema.self)
      try store.write { try store.add(Dog(name: "Max")) }
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: file + suffix, toPath: other + suffix)
      }
      store.close()
    }
    try medium.makeReadOnly()
    var configuration = readOnly
    configuration.fileURL = URL(fileURLWithPath: other)

    let store = try Store(configuration: configuration)

    #expect(store.objects(Dog.self).map(\.name) == ["Rex", "Max"])
    #expect(try names() == ["other.db", "other.db-wal", "seed.db"])
  }

  @Test func withoutReadOnlyTheSentenceNamesTheFolder() throws {
    try medium.makeReadOnly()
    let error = #expect(throws: StoreError.self) {
      try Store(path: file, schema: TestingSchema.self)
    }
    #expect(error?.description.hasPrefix(file) == true)
    #expect(error?.description.contains("readOnly") == true)
  }

  @Test func aSeedOnAMediumIsCopied() throws {
    try medium.makeReadOnly()
    var configuration = Store.Configuration(
      path: folder.file("a.db"), schema: TestingSchema.self)
    configuration.seedFileURL = URL(fileURLWithPath: file)

    let store = try Store(configuration: configuration)

    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
    try store.write { try store.add(Dog(name: "Max")) }
    #expect(store.objects(Dog.self).count == 2)
    #expect(try names() == ["seed.db"])
  }

  /// What would make room is tried at another launch.
  @Test func aFullDiskKeepsNoStoreFromOpeningThatWouldBeCompacted() throws {
    let store = try Store(path: file, schema: TestingSchema.self)
    try store.write {
      for number in 0..<40 {
        try store.add(Dog(name: String(repeating: "\(number % 10)", count: 60_000)))
      }
    }
    store.close()
    let filler = medium.path + "/filler"
    #expect(FileManager.default.createFile(atPath: filler, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: filler))
    for _ in 0..<4 { try handle.write(contentsOf: Data(count: 1 << 20)) }
    try handle.close()
    var configuration = Store.Configuration(path: file, schema: TestingSchema.self)
    configuration.shouldCompactOnLaunch = { _, _ in true }

    #expect(try Store(configuration: configuration).objects(Dog.self).count == 41)

    try FileManager.default.removeItem(atPath: filler)
    #expect(try Store(configuration: configuration).objects(Dog.self).count == 41)
  }

  @Test func aPlaceForTheSeedThatCannotBeWrittenIsNamed() throws {
    let seed = folder.file("seed.db")
    try FileManager.default.copyItem(atPath: file, toPath: seed)
    try medium.makeReadOnly()
    var configuration = Store.Configuration(
      path: medium.path + "/new.db", schema: TestingSchema.self)
    configuration.seedFileURL = URL(fileURLWithPath: seed)

    #expect(
      throws: StoreError.fileAccess(
        path: medium.path, reason: "the seed cannot be copied into it: Permission denied")
    ) { try Store(configuration: configuration) }
  }
}

/// The same where one may write.
@Suite struct SeedTests {
  let folder: TemporaryFolder
  var seed: String { folder.file("seed.db") }

  init() throws {
    folder = try TemporaryFolder()
    let store = try Store(path: seed, schema: TestingSchema.self)
    try store.write { try store.add(Dog(name: "Rex")) }
    store.close()
  }

  private func configuration() -> Store.Configuration {
    var configuration = Store.Configuration(
      path: folder.file("a.db"), schema: TestingSchema.self)
    configuration.seedFileURL = URL(fileURLWithPath: seed)
    return configuration
  }

  @Test func nothingIsWrittenBesideASeed() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: seed))
    let store = try Store(configuration: configuration())
    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
    store.close()

    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == ["a.db", "seed.db"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: seed)) == before)
  }

  /// Readers of the copy stand on versions, as those of every store.
  @Test func theCopyHasALog() throws {
    let store = try Store(configuration: configuration())
    let other = try Store(configuration: configuration())
    let dogs = store.objects(Dog.self)
    #expect(dogs.count == 1)
    try other.write { try other.add(Dog(name: "Max")) }
    #expect(dogs.count == 1)
    try store.refresh()
    #expect(dogs.count == 2)
  }

  /// As another program, or a `rekey` that was killed, leaves it.
  @Test func aFileWithoutALogGetsOneWhereItIsWritten() throws {
    func mode(_ value: String? = nil) throws -> String? {
      let database = try Database(path: seed, mode: .readWrite)
      defer { database.close() }
      if let value { try database.setPragma("journal_mode", .word(value)) }
      return try database.pragma("journal_mode").ifText
    }
    #expect(try mode("DELETE") == "delete")
    var configuration = Store.Configuration(path: seed, schema: TestingSchema.self)
    configuration.readOnly = true
    try Store(configuration: configuration).close()
    #expect(try mode() == "delete")

    configuration.readOnly = false
    let store = try Store(configuration: configuration)
    let dogs = store.objects(Dog.self)
    #expect(dogs.count == 1)
    let other = try Store(configuration: configuration)
    try other.write { try other.add(Dog(name: "Max")) }
    #expect(dogs.count == 1)
    try store.refresh()
    #expect(dogs.count == 2)
    store.close()
    other.close()
    #expect(try mode() == "wal")
  }

  @Test func aSeedThatIsNoStoreIsNamedAndNotCopied() throws {
    try "Dear diary".write(toFile: seed, atomically: true, encoding: .utf8)
    let error = #expect(throws: StoreError.self) { try Store(configuration: configuration()) }
    #expect(error?.description.hasPrefix("\(seed) is not a database file") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["seed.db"])
  }
}
