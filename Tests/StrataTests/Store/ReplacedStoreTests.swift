import Foundation
import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// A file that moves away from its place while a store has it open. What it would write then is lost.
@Suite struct ReplacedStoreTests {
  let test: TestStore
  let path: String
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    path = test.folder.file("a.db")
    try store.write { try store.add(Person(id: 1, name: "Ada")) }
  }

  enum Move: CaseIterable { case replaced, deleted, renamed }

  private func make(_ move: Move) throws {
    let manager = FileManager.default
    switch move {
    case .replaced:
      let other = try Store(path: test.folder.file("b.db"), schema: TestingSchema.self)
      try other.write { try other.add(Person(id: 2, name: "Grace")) }
      other.close()
      #expect(rename(test.folder.file("b.db"), path) == 0)
    case .deleted: try manager.removeItem(atPath: path)
    case .renamed: try manager.moveItem(atPath: path, toPath: test.folder.file("c.db"))
    }
  }

  private func sentence(_ move: Move) -> String {
    move == .replaced
      ? "another process has put another file into its place. Nothing was written. \(path)-wal and "
      : "another process has moved or deleted the file. Nothing was written."
  }

  private func bytes() -> Data? { FileManager.default.contents(atPath: path) }

  @Test(arguments: Move.allCases) func aTransactionDoesNotBegin(move: Move) throws {
    try make(move)
    let before = bytes()
    let error = #expect(throws: StoreError.self) {
      try store.write { try store.add(Person(id: 3, name: "Emmy")) }
    }
    #expect(error?.description.contains(sentence(move)) == true, "\(error?.description ?? "")")
    #expect(!store.isInWriteTransaction)
    #expect(store.objects(Person.self).map(\.id) == [1])
    store.close()
    #expect(bytes() == before)
  }

  /// The store that is opened for another task would be that of another file, or make one.
  @Test(arguments: Move.allCases) func aFrozenStoreIsThawedInNoOtherFile(move: Move) async throws {
    let people = store.objects(Person.self).freeze()
    try make(move)
    let before = bytes()
    let isThawed = await Task.detached { people.thaw() != nil }.value

    #expect(!isThawed && bytes() == before)
  }

  @Test func aFrozenStoreInMemoryIsNotThawedBehindItsLastStore() async throws {
    var configuration = store.configuration
    configuration.inMemoryIdentifier = "thawing \(path)"
    let memory = try Store(configuration: configuration)
    try memory.write { try memory.add(Dog(name: "Rex")) }
    let dogs = memory.objects(Dog.self).freeze()
    memory.close()
    let isThawed = await Task.detached { dogs.thaw() != nil }.value

    #expect(!isThawed)
  }

  @Test(arguments: Move.allCases) func aTransactionThatHasBegunIsCancelled(move: Move) throws {
    try store.beginWrite()
    try store.add(Person(id: 3, name: "Emmy"))
    try make(move)
    let before = bytes()
    let error = #expect(throws: StoreError.self) { try store.commitWrite() }
    #expect(error?.description.contains(sentence(move)) == true, "\(error?.description ?? "")")
    #expect(store.objects(Person.self).map(\.id) == [1])
    store.close()
    #expect(bytes() == before)
  }

  /// A frozen version needs a connection more, and an observer, too.
  @Test(arguments: Move.allCases) func noOtherFileIsReadInItsPlace(move: Move) throws {
    try make(move)
    let before = bytes()
    let frozen = store.objects(Person.self).freeze()
    #expect(frozen.map(\.id) == [1])
    #expect(throws: StoreError.self) { try store.write {} }
    #expect(throws: StoreError.self) { try store.objects(Person.self).observe { _ in } }
    #expect(store.objects(Person.self).map(\.id) == [1])
    #expect(frozen.map(\.id) == [1])
    #expect(bytes() == before)
  }

  /// The file may move between the look at it and the opening of another connection to it, which then leads to another file, or makes one.
  @Test(arguments: Move.allCases) func noConnectionLeadsToAnotherFile(move: Move) throws {
    let (connection, _) = try store.connections.take()
    connection.close()
    try make(move)
    let before = bytes()
    let error = #expect(throws: StoreError.self) { try store.connections.take() }
    #expect(error == .replaced(path: path, hasLog: false))
    #expect(bytes() == before)
  }

  /// The reason is the system's where it says more than that the file is gone.
  @Test func aFileThatCannotBeLookedForSaysWhy() throws {
    let folder = test.folder.file("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let held = try Store(path: folder + "/a.db", schema: TestingSchema.self)
    #expect(rename(folder, test.folder.file("other")) == 0)
    #expect(symlink("folder", folder) == 0)

    let error = #expect(throws: StoreError.self) { try held.write {} }
    #expect(
      error?.description
        == "\(folder)/a.db: Too many levels of symbolic links. Nothing was written.")
    held.close()
  }

  /// A store that shares its connection with a frozen version goes on with its own when that is released, wherever the file is.
  @Test func aStoreGoesOnWhenAFrozenVersionIsReleased() throws {
    let held = try (2...4).map { id in
      try store.write { try store.add(Person(id: id, name: "")) }
      return store.objects(Person.self).freeze()
    }
    #expect(held.map(\.count) == [2, 3, 4])
    let other = try Store(path: path, schema: TestingSchema.self)
    var last: Results<Person>? = store.objects(Person.self).freeze()
    #expect(last?.count == 4)
    try other.write { try other.add(Person(id: 5, name: "")) }
    last = store.objects(Person.self).freeze()
    last = nil
    try store.refresh()
    #expect(store.objects(Person.self).count == 5)
    other.close()
  }

  @Test func aFileThatIsBackIsWritten() throws {
    try make(.renamed)
    #expect(throws: StoreError.self) { try store.beginWrite() }
    #expect(rename(test.folder.file("c.db"), path) == 0)
    try store.write { try store.add(Person(id: 3, name: "Emmy")) }
    store.close()
    let again = try Store(path: path, schema: TestingSchema.self)
    #expect(again.objects(Person.self).map(\.id) == [1, 3])
    again.close()
  }
}
