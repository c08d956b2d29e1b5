import Foundation
import Strata
import StrataTestModels
import Synchronization
import Testing

/// What stands where the copy of a seed is to be.
@Suite struct SeedPlaceTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.db") }

  init() throws {
    folder = try TemporaryFolder()
    let store = try Store(path: folder.file("seed.db"), schema: TestingSchema.self)
    try store.write { try store.add(Dog(name: "Rex")) }
    store.close()
  }

  private static func configuration(_ path: String, seed: String) -> Store.Configuration {
    var configuration = Store.Configuration.patient(path)
    configuration.seedFileURL = URL(fileURLWithPath: seed)
    return configuration
  }

  private var seed: String { folder.file("seed.db") }

  private func openWithSeed() throws -> Store {
    try Store(configuration: Self.configuration(path, seed: seed))
  }

  /// As a program makes it that gives the file its permissions first.
  @Test func aFileWithoutAByteIsNoStore() throws {
    try Data().write(to: URL(fileURLWithPath: path))

    let store = try openWithSeed()

    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
  }

  @Test func itsPermissionsStay() throws {
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data(), attributes: [.posixPermissions: 0o600]))

    _ = try openWithSeed()

    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func ofManyThatOpenItAtOnceAllHaveTheSeed() throws {
    for round in 0..<5 {
      let file = folder.file("\(round).db")
      try Data().write(to: URL(fileURLWithPath: file))
      let found = Mutex<[[String]]>([])
      let configuration = Self.configuration(file, seed: seed)
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let names = (try? Store(configuration: configuration))?.objects(Dog.self).map(\.name)
        found.withLock { $0.append(names ?? []) }
      }
      #expect(found.withLock { $0 } == Array(repeating: ["Rex"], count: 4))
    }
  }

  /// Who waits for the end of a deletion finds no file, as at the first opening.
  @Test func beforeAFileThatIsDeletedMeanwhileComesTheSeed() throws {
    let others = Mutex<[[String]]>([])
    let configuration = Self.configuration(path, seed: seed)
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for _ in 0..<20 {
        if index == 0 {
          _ = try? Store.deleteFiles(for: configuration)
        } else if let store = try? Store(configuration: configuration) {
          let names = Array(store.objects(Dog.self).map(\.name))
          if names != ["Rex"] { others.withLock { $0.append(names) } }
          store.close()
        }
      }
    }
    #expect(others.withLock { $0 } == [])
  }

  @Test func anEmptyStoreStays() throws {
    try Store(path: path, schema: TestingSchema.self).close()

    #expect(try openWithSeed().objects(Dog.self).isEmpty)
  }

  @Test(arguments: [false, true]) func aLinkThatLeadsToNoFileYetStays(isRelative: Bool) throws {
    let target = folder.file("target.db")
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: isRelative ? "target.db" : target)

    let store = try openWithSeed()

    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: path).hasSuffix("target.db"))
    #expect(FileManager.default.fileExists(atPath: target))
  }

  @Test func aLinkIntoAFolderThatIsNotThereIsNamed() throws {
    let missing = folder.file("nowhere")
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: missing + "/a.db")

    #expect(
      throws: StoreError.fileAccess(
        path: missing, reason: "the folder does not exist: make it before the store is opened")
    ) { try openWithSeed() }
  }
}
