import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Synchronization
import Testing

@Suite struct OpeningTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.db") }

  init() throws { folder = try TemporaryFolder() }

  private func configuration() -> Store.Configuration {
    Store.Configuration(path: path, schema: TestingSchema.self)
  }

  private func fill(_ path: String, dogs: Int = 1) throws {
    let store = try Store(path: path, schema: TestingSchema.self)
    try store.write { for number in 0..<dogs { try store.add(Dog(name: "Dog \(number)")) } }
    store.close()
  }

  /// The first one makes it, and the others open it.
  @Test func manyOpenANewFileAtOnce() throws {
    for number in 0..<20 {
      let path = folder.file("\(number).db")
      let configuration = Store.Configuration.patient(path)
      let errors = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        do {
          let store = try Store(configuration: configuration)
          try store.write { try store.add(Dog(name: "Rex")) }
          store.close()
        } catch {
          errors.withLock { $0.append("\(error)") }
        }
      }
      #expect(errors.withLock { $0 } == [])
      let store = try Store(path: path, schema: TestingSchema.self)
      #expect(store.objects(Dog.self).count == 8)
    }
  }

  /// As programs for Realm write it, where the block may stand behind the call.
  @Test func aConfigurationIsWrittenInOneCall() throws {
    let url = URL(fileURLWithPath: path)
    let seed = URL(fileURLWithPath: folder.file("seed.db"))
    let whole = Store.Configuration(
      fileURL: url, inMemoryIdentifier: "a", readOnly: true, encryptionKey: Data([1]),
      schema: TestingSchema.self, migrations: nil, migrationBlock: nil,
      deleteIfMigrationNeeded: true, keepsOldFile: .forDays(1),
      shouldCompactOnLaunch: { total, used in total > used }, seedFileURL: seed,
      maximumActiveVersions: 9, fileProtection: .complete)
    let withBlock = Store.Configuration(fileURL: url, schema: TestingSchema.self) { _, _ in }

    #expect(whole.fileURL == url && whole.inMemoryIdentifier == "a" && whole.readOnly)
    #expect(whole.encryptionKey == Data([1]) && whole.schema == TestingSchema.self)
    #expect(whole.deleteIfMigrationNeeded && whole.keepsOldFile == .forDays(1))
    #expect(whole.shouldCompactOnLaunch?(2, 1) == true && whole.seedFileURL == seed)
    #expect(whole.maximumActiveVersions == 9 && whole.fileProtection == .complete)
    #expect(withBlock.migrationBlock != nil && withBlock.shouldCompactOnLaunch == nil)
    #expect(Store.Configuration().encryptionKey == nil)
  }

  @Test func aSeedIsTheFirstContent() throws {
    try fill(folder.file("seed.db"))
    var configuration = configuration()
    configuration.seedFileURL = URL(fileURLWithPath: folder.file("seed.db"))
    do {
      let store = try Store(configuration: configuration)
      #expect(store.objects(Dog.self).map(\.name) == ["Dog 0"])
      try store.write { try store.deleteAll() }
      store.close()
    }

    // Only the first opening takes it.
    #expect(try Store(configuration: configuration).objects(Dog.self).isEmpty)
    #expect(
      try Store(path: folder.file("seed.db"), schema: TestingSchema.self)
        .objects(Dog.self).count == 1)
    configuration.fileURL = URL(fileURLWithPath: folder.file("b.db"))
    configuration.seedFileURL = URL(fileURLWithPath: folder.file("nowhere.db"))
    #expect(throws: StoreError.self) { try Store(configuration: configuration) }
  }

  @Test func aFolderThatIsMissingIsNamed() throws {
    let missing = folder.file("nowhere")
    let error = #expect(throws: StoreError.self) {
      try Store(path: missing + "/a.db", schema: TestingSchema.self)
    }
    #expect("\(try #require(error))".contains("\(missing): the folder does not exist"))
  }

  @Test func aFileIsCompactedWhenTheConfigurationWantsIt() throws {
    try fill(path, dogs: 30_000)
    do {
      let store = try Store(path: path, schema: TestingSchema.self)
      try store.write { try store.deleteAll() }
      store.close()
    }
    let before = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    var configuration = configuration()
    configuration.shouldCompactOnLaunch = { total, used in
      #expect(total == before)
      #expect(used < total / 2)
      return used < total / 2
    }
    try Store(configuration: configuration).close()
    let after = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)

    #expect(after < before / 2)
  }

  @Test func filesAreDeletedOnlyWhenNobodyHasThemOpen() throws {
    try fill(path)
    let store = try Store(configuration: configuration())
    #expect(throws: StoreError.fileIsOpen(path: path)) {
      try Store.deleteFiles(for: configuration())
    }
    store.close()

    #expect(try Store.deleteFiles(for: configuration()))
    #expect(try !Store.deleteFiles(for: configuration()))
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func aSeedsPlaceInAFolderThatIsNotThereIsNamed() throws {
    try fill(folder.file("seed.db"))
    var configuration = Store.Configuration(
      path: folder.file("nowhere") + "/a.db", schema: TestingSchema.self)
    configuration.seedFileURL = URL(fileURLWithPath: folder.file("seed.db"))

    #expect(
      throws: StoreError.fileAccess(
        path: folder.file("nowhere"),
        reason: "the folder does not exist: make it before the store is opened")
    ) { try Store(configuration: configuration) }
  }

  /// Who may write a folder may remove files of others from it, and cannot see whether these have them open.
  @Test(.enabled(if: geteuid() != 0))
  func whatCannotBeWrittenIsNotDeleted() throws {
    try fill(path)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)

    #expect(throws: StoreError.self) { try Store.deleteFiles(for: configuration()) }

    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try Store.deleteFiles(for: configuration()))
  }

  @Test(arguments: ["//a.db", "/./a.db", "/sub/../a.db", "/link.db", "/linked/a.db"])
  func aFileIsTheSameByEachSpelling(_ spelling: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder.file("sub"), withIntermediateDirectories: false)
    try manager.createSymbolicLink(
      atPath: folder.file("link.db"), withDestinationPath: folder.file("a.db"))
    try manager.createSymbolicLink(
      atPath: folder.file("linked"), withDestinationPath: folder.path)
    let store = try Store(configuration: configuration())
    let other = try Store(path: folder.path + spelling, schema: TestingSchema.self)

    // It would wait for itself otherwise.
    try store.write {
      let error = #expect(throws: StoreError.self) { try other.write {} }
      #expect(error?.code == "STR5035")
      try store.add(Dog(name: "Rex"))
    }
    try other.refresh()
    #expect(other.objects(Dog.self).first == store.objects(Dog.self).first)
  }

  @Test func aStoreThatIsGoneLetsGoOfItsFile() throws {
    do {
      let store = try Store(configuration: configuration())
      try store.write {
        try store.add(Person(id: 1, name: "Ada", boss: Person(id: 2, name: "Grace")))
      }
      #expect(store.objects(Person.self).sorted(by: \.name).map(\.name) == ["Ada", "Grace"])
    }

    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(try Store.deleteFiles(for: configuration()))
  }

  @Test func theVersionOfAFileIsToldWithoutOpeningIt() throws {
    try fill(path)

    #expect(try Store.schemaVersion(at: path) == 3)
    #expect(try Store.schemaVersion(at: URL(fileURLWithPath: path)) == 3)
    #expect(throws: StoreError.self) { try Store.schemaVersion(at: folder.file("nowhere.db")) }
  }

  @Test func openingTellsWhatThereIs() throws {
    guard case .current(let store) = try Store.open(configuration()) else {
      Issue.record("a new file is current")
      return
    }
    store.close()
    guard case .current = try Store.open(configuration()) else {
      Issue.record("a file of this version is current")
      return
    }
    let other = Store.Configuration(path: path, schema: OtherSchema.self)
    guard case .foreign(let shape) = try Store.open(other) else {
      Issue.record("a file of another schema is foreign")
      return
    }
    #expect(shape.count == 64)
    #expect(throws: StoreError.self) {
      try Data("no database".utf8).write(to: URL(fileURLWithPath: folder.file("b.db")))
      _ = try Store.open(
        Store.Configuration(path: folder.file("b.db"), schema: TestingSchema.self))
    }
  }

  /// What the system has written when it ends the first launch of an app.
  @Test(arguments: ["", "PRAGMA journal_mode = WAL"]) func openingGoesOnWithWhatAKilledOneBegan(
    written: String
  ) throws {
    if written.isEmpty {
      try Data().write(to: URL(fileURLWithPath: path))
    } else {
      let database = try Database(path: path)
      _ = try database.rows(written)
      database.close()
    }

    guard case .current(let store) = try Store.open(configuration()) else {
      Issue.record("a file without tables is new")
      return
    }

    try store.write { try store.add(Dog(name: "Rex")) }
    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
  }

  /// Another number for the same content.
  private func writeVersion(_ version: Int) throws {
    let database = try Database(path: path)
    try database.execute(
      "UPDATE _strata SET value = ?1 WHERE key = 'version'", .integer(Int64(version)))
    try database.execute(
      "UPDATE _strata SET value = replace(value, '\"version\":' || ?1, '\"version\":' || ?2) "
        + "WHERE key = 'definition'", try database.pragma("user_version"), .integer(Int64(version)))
    try database.setPragma("user_version", .integer(Int64(version)))
    database.close()
  }

  @Test func aFileOfAnotherVersionIsOlderOrNewer() throws {
    try fill(path)
    try writeVersion(9)
    guard case .newerThanApp(version: 9) = try Store.open(configuration()) else {
      Issue.record("\(try Store.open(configuration()))")
      return
    }
    try writeVersion(2)
    guard case .needsUpgrade(let plan) = try Store.open(configuration()) else {
      Issue.record("\(try Store.open(configuration()))")
      return
    }
    #expect(plan.from == 2)
    #expect(plan.to == 3)
    // Before an app is released nobody misses the old file.
    var configuration = configuration()
    configuration.deleteIfMigrationNeeded = true
    #expect(try Store(configuration: configuration).objects(Dog.self).isEmpty)
    #expect(try Store.schemaVersion(at: path) == 3)
  }

  /// A launch screen that offered an upgrade could not keep its word.
  @Test func anOlderFileThatMayOnlyBeReadIsRefused() throws {
    try fill(path)
    try writeVersion(2)
    var configuration = configuration()
    configuration.readOnly = true

    let error = #expect(throws: StoreError.self) { try Store.open(configuration) }

    #expect(
      error
        == .needsMigration(
          path: path, from: 2, to: 3, reason: "it was opened read-only, and is not upgraded"))
    #expect(error == #expect(throws: StoreError.self) { try Store(configuration: configuration) })
  }

  /// A process was killed while it made the file, before it had anything of a store.
  @Test(arguments: [false, true])
  func aFileThatIsBegunIsGoneOnWith(hasHeader: Bool) throws {
    try FileManager.default.createDirectory(
      atPath: FilePaths.folder(of: path), withIntermediateDirectories: true)
    try POSIXFiles().write([], to: path, permissions: 0o600)
    if hasHeader {
      let database = try Database(path: path, mode: .readWrite)
      try database.setPragma("journal_mode", "WAL")
      database.close()
    }
    var configuration = configuration()
    configuration.deleteIfMigrationNeeded = true
    #expect(try Store(configuration: configuration).objects(Dog.self).isEmpty)
    #expect(try Store.schemaVersion(at: path) == 3)
  }

  /// Another program reads it while it is opened, so that it gets no log; then another file comes into its place.
  @Test func aStoreWithoutALogWritesIntoNoOtherFile() throws {
    try fill(path)
    try fill(folder.file("new.db"), dogs: 2)
    let reader = try Database(path: path)
    try reader.setPragma("journal_mode", "DELETE")
    try reader.begin(.deferred)
    _ = try reader.rows("SELECT * FROM Dog")
    let store = try Store(configuration: configuration())
    reader.close()
    try POSIXFiles().rename(folder.file("new.db"), to: path)
    let new = try Store(configuration: configuration())
    try new.write { try new.add(Dog(name: "Tan")) }

    let error = #expect(throws: StoreError.self) { try store.write { try store.add(Dog()) } }
    #expect("\(try #require(error))".contains("put another file into its place"))
    store.close()
    new.close()

    let again = try Store(configuration: configuration())
    #expect(again.objects(Dog.self).map(\.name) == ["Dog 0", "Dog 1", "Tan"])
  }

  // MARK: - URLs

  @Test(arguments: ["file://localhost", "file://LOCALHOST", ""])
  func aURLMayNameThisMachine(start: String) throws {
    let url = try #require(URL(string: start + path))
    let configuration = Store.Configuration(fileURL: url, schema: TestingSchema.self)
    try Store(configuration: configuration).close()
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func aConfigurationWithoutAFileSaysSo() throws {
    func error(_ change: (inout Store.Configuration) -> Void) -> String? {
      var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
      change(&configuration)
      let (read, back) = (
        #expect(throws: StoreError.self) { _ = try Store.schemaVersion(of: configuration) },
        #expect(throws: StoreError.self) { _ = try Store.downgrade(configuration) }
      )
      #expect(read?.description == back?.description)
      return read?.description
    }
    #expect(
      error { $0.fileURL = nil }
        == "the configuration: no file is given: set its fileURL, or that of Store.defaultConfiguration"
    )
    #expect(
      error { $0.inMemoryIdentifier = "a" }
        == "the configuration: it is of a store in memory, which has no file")
  }

  /// The path of another URL is that of a file of this machine, which has nothing to do with it.
  @Test(arguments: ["https://example.com", "file://example.com", "//example.com"])
  func aURLOfNoFileIsRefused(start: String) throws {
    let url = try #require(URL(string: start + path))
    let configuration = Store.Configuration(fileURL: url, schema: TestingSchema.self)
    var seeded = Store.Configuration(path: path, schema: TestingSchema.self)
    seeded.seedFileURL = url
    func expectRefusal(_ body: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try body() }
      #expect(
        error?.description
          == "\(url): this URL names no file of this machine: make one of a path, with URL(fileURLWithPath:)"
      )
    }

    expectRefusal { _ = try Store(configuration: configuration) }
    expectRefusal { _ = try Store(configuration: seeded) }
    expectRefusal { _ = try Store.open(configuration) }
    #expect(!FileManager.default.fileExists(atPath: path))

    let store = try Store(path: path, schema: TestingSchema.self)
    expectRefusal { try store.writeCopy(to: url) }
    store.close()
    expectRefusal { _ = try Store.schemaVersion(at: url) }
    expectRefusal { _ = try Store.schemaVersion(of: configuration) }
    expectRefusal { try Store.deleteFiles(for: configuration) }
    #expect(FileManager.default.fileExists(atPath: path))
  }
}

/// Another schema, which has nothing in common with the file.
private enum OtherSchema: GeneratedSchema {
  static let definition = SchemaDefinition(
    json: #"{"enums":[],"language":1,"models":[],"schema":"Other","version":1}"#, classes: [])
}
