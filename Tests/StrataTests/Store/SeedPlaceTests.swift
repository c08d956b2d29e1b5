import Foundation
import Strata
import StrataTestModels
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

  private func openWithSeed() throws -> Store {
    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.seedFileURL = URL(fileURLWithPath: folder.file("seed.db"))
    return try Store(configuration: configuration)
  }

  /// As a program makes it that gives the file its permissions first.
  @Test func aFileWithoutAByteIsNoStore() throws {
    try Data().write(to: URL(fileURLWithPath: path))

    let store = try openWithSeed()

    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
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
