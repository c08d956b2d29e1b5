import Strata
import StrataTestModels
import Synchronization
import Testing

/// `Store()` is one store for all code of an actor or a thread.
///
/// The default configuration and the log belong to the process, and `Store(path:)` takes its settings from them: each test has a
/// process of its own, so that tests beside it open their files as they mean to.
@Suite struct DefaultStoreTests {
  /// Makes a new file the default of this process; it goes with the folder.
  private static func makeDefault() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    Store.defaultConfiguration = Store.Configuration(
      path: folder.file("a.db"), schema: TestingSchema.self)
    return folder
  }

  @Test func theSameStoreIsGivenForAsLongAsItIsHeld() async {
    await #expect(processExitsWith: .success) {
      let folder = try Self.makeDefault()
      var store: Store? = try Store()
      weak let held = store
      #expect(try Store() === store && Dog.all().store === store)
      store = nil
      #expect(held == nil)
      #expect(try Store().objects(Dog.self).isEmpty)
      withExtendedLifetime(folder) {}
    }
  }

  @Test func theClassicSequenceOfCallsWorks() async {
    await #expect(processExitsWith: .success) {
      let folder = try Self.makeDefault()
      let store = try Store()
      let ada = Person(id: 1, name: "Ada")
      try store.write {
        try store.add(ada)
        ada.dogs.append(Dog(name: "Rex"))
        ada.dogs.append(Dog(name: "Mo"))
      }

      let again = try Store()
      let dogs = try #require(try Person.find(1)).dogs
      try again.beginWrite()
      dogs.move(from: 0, to: 1)
      try again.commitWrite()

      #expect(ada.dogs.map(\.name) == ["Mo", "Rex"])
      withExtendedLifetime(folder) {}
    }
  }

  @Test func aClosedStoreAndAnotherConfigurationAreNotGivenAgain() async {
    await #expect(processExitsWith: .success) {
      let folder = try Self.makeDefault()
      let first = try Store()
      first.close()
      let second = try Store()
      #expect(second !== first && !second.isClosed)

      Store.defaultConfiguration.fileURL = nil
      Store.defaultConfiguration.inMemoryIdentifier = folder.file("memory")
      #expect(try Store() !== second)
      withExtendedLifetime(folder) {}
    }
  }

  @Test func theLogIsToldOfStatements() async {
    await #expect(processExitsWith: .success) {
      let folder = try Self.makeDefault()
      let statements = Mutex<[String]>([])
      Store.log = { statement, duration, rows in
        if duration < .zero || !statement.contains("\"Dog\"") { return }
        statements.withLock { $0.append("\(statement.prefix(6)) \(rows)") }
      }
      let store = try Store()
      Store.log = nil
      try store.write { try store.add([Dog(name: "Rex"), Dog(name: "Mo")]) }
      statements.withLock { $0 = [] }

      #expect(store.objects(Dog.self).where { $0.name == "Rex" }.map(\.name) == ["Rex"])
      #expect(statements.withLock { $0 }.contains("SELECT 1"))
      withExtendedLifetime(folder) {}
    }
  }

  private actor Kennel {
    func open() throws -> ObjectIdentifier {
      let store = try Store()
      let again = try Store()
      #expect(again === store)
      kept = store
      return ObjectIdentifier(store)
    }

    private var kept: Store?
  }

  @Test func eachActorHasItsOwn() async {
    await #expect(processExitsWith: .success) {
      let folder = try Self.makeDefault()
      let (first, second) = (Kennel(), Kennel())
      let store = try Store()
      let stores = [ObjectIdentifier(store), try await first.open(), try await second.open()]

      #expect(Set(stores).count == 3)
      // The same in another task of the actor.
      let again = try await Task.detached { try await first.open() }.value
      #expect(again == stores[1])
      withExtendedLifetime((store, folder)) {}
    }
  }
}
