import Strata
import StrataTestModels
import Synchronization
import Testing

/// `Store()` is one store for all code of an actor or a thread. These tests alone set the default configuration.
@Suite(.serialized) struct DefaultStoreTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    Store.defaultConfiguration = Store.Configuration(
      path: folder.file("a.db"), schema: TestingSchema.self)
  }

  @Test func theSameStoreIsGivenForAsLongAsItIsHeld() throws {
    var store: Store? = try Store()
    weak let held = store
    #expect(try Store() === store && Dog.all().store === store)
    store = nil
    #expect(held == nil)
    #expect(try Store().objects(Dog.self).isEmpty)
  }

  @Test func theClassicSequenceOfCallsWorks() throws {
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
  }

  @Test func aClosedStoreAndAnotherConfigurationAreNotGivenAgain() throws {
    let first = try Store()
    first.close()
    let second = try Store()
    #expect(second !== first && !second.isClosed)

    Store.defaultConfiguration.fileURL = nil
    Store.defaultConfiguration.inMemoryIdentifier = folder.file("memory")
    #expect(try Store() !== second)
  }

  @Test func theLogIsToldOfStatements() throws {
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
    // Other tests may open stores at the same moment.
    #expect(statements.withLock { $0 }.contains("SELECT 1"))
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

  @Test func eachActorHasItsOwn() async throws {
    let (first, second) = (Kennel(), Kennel())
    let store = try Store()
    let stores = [ObjectIdentifier(store), try await first.open(), try await second.open()]

    #expect(Set(stores).count == 3)
    // The same in another task of the actor.
    let again = try await Task.detached { try await first.open() }.value
    #expect(again == stores[1])
    withExtendedLifetime(store) {}
  }
}
