import Observation
import Strata
import StrataTestModels
import Synchronization
import Testing

/// Swift's Observation sees what is read of objects, lists and results.
@Suite struct TrackingTests {
  let test: TestStore
  let store: Store
  let ada = Person(id: 0, name: "Ada", age: 30)
  let bob = Person(id: 1, name: "Bob", age: 20)

  init() throws {
    test = try TestStore()
    store = test.store
    let people = [ada, bob]
    try store.write { [store] in
      try store.add(people)
      people[0].dogs.append(Dog(name: "Rex"))
    }
  }

  /// How often what `reads` has read was told to change.
  private final class Count: Sendable {
    let value = Atomic<Int>(0)
  }

  private func track(_ reads: () -> Void) -> () -> Int {
    let count = Count()
    withObservationTracking(reads) { count.value.wrappingAdd(1, ordering: .relaxed) }
    return { count.value.load(ordering: .relaxed) }
  }

  @Test func aPropertyThatWasReadIsSeen() throws {
    let name = track { _ = ada.name }
    let other = track { _ = bob.name }
    try store.write { ada.age = 31 }
    #expect(name() == 0)

    try store.beginWrite()
    ada.name = "Ida"
    // Nothing has happened yet.
    #expect(name() == 0)
    try store.commitWrite()
    #expect(name() == 1 && other() == 0)

    // Once, as Observation has it.
    try store.write { ada.name = "Eva" }
    #expect(name() == 1)
  }

  @Test func listsLinksAndInversesAreSeen() throws {
    let dogs = ada.dogs
    let changes = [
      track { _ = dogs.count }, track { _ = ada.dogs.first?.name }, track { _ = bob.boss?.name },
      track { _ = ada.reports.count }, track { for dog in dogs { _ = dog.color } },
    ]
    try store.write { ada.notes.append("n") }
    #expect(changes.map { $0() } == [0, 0, 0, 0, 0])
    try store.write { dogs[0].name = "Max" }
    #expect(changes.map { $0() } == [0, 1, 0, 0, 0])
    try store.write { bob.boss = ada }
    #expect(changes.map { $0() } == [0, 1, 1, 1, 0])
    try store.write { dogs.append(Dog(name: "Mo")) }
    #expect(changes.map { $0() } == [1, 1, 1, 1, 1])
  }

  @Test func aggregatesOfValuesAreSeen() throws {
    let (scores, tags) = (ada.scores, ada.tags)
    let changes = [
      track { _ = scores.max() }, track { _ = try? scores.sum() }, track { _ = scores.average() },
      track { _ = tags.min() },
    ]
    try store.write { ada.notes.append("n") }
    #expect(changes.map { $0() } == [0, 0, 0, 0])
    try store.write { ada.scores["go"] = 3 }
    #expect(changes.map { $0() } == [1, 1, 1, 0])
    try store.write { _ = ada.tags.insert("t") }
    #expect(changes.map { $0() } == [1, 1, 1, 1])
  }

  @Test func resultsAreSeen() throws {
    let old = store.objects(Person.self).where { $0.age > 25 }
    let sorted = store.objects(Person.self).sorted(by: \.age)
    let changes = [
      track { _ = old.count }, track { for person in sorted { _ = person.name } },
      track { _ = sorted.first?.email }, track { _ = sorted.max(of: \.score) },
    ]
    try store.write { ada.notes.append("n") }
    #expect(changes.map { $0() } == [0, 0, 0, 0])
    try store.write { bob.name = "Rob" }
    #expect(changes.map { $0() } == [0, 1, 0, 0])
    try store.write { bob.score = 3 }
    #expect(changes.map { $0() } == [0, 1, 0, 1])
    try store.write { bob.age = 50 }
    #expect(changes.map { $0() } == [1, 1, 1, 1])
  }

  @Test func whatOthersSetIsSeenWhenTheStoreMovesOn() throws {
    let name = track { _ = ada.name }
    let other = try test.open()
    try other.write { other.objects(Person.self)[0].name = "Ida" }
    try store.refresh()
    #expect(name() == 1 && ada.name == "Ida")

    let again = track { _ = ada.name }
    try test.execute("UPDATE Person SET name = 'Eva' WHERE id = 0")
    try store.refresh()
    #expect(again() == 1)
  }

  @MainActor @Test func onTheMainActorTheStoreMovesOnByItself() async throws {
    let test = try TestStore()
    let store = test.store
    try store.write { try store.add(Person(id: 0, name: "Ada")) }
    let (told, continuation) = AsyncStream<Void>.makeStream()
    let ada = store.objects(Person.self)[0]
    withObservationTracking {
      _ = ada.name
    } onChange: {
      continuation.yield()
    }

    let other = try test.open()
    try other.write { other.objects(Person.self)[0].name = "Ida" }
    for await _ in told { break }
    #expect(ada.name == "Ida")
  }

  @Test func whatACancelledTransactionTakesBackIsSeen() throws {
    try store.beginWrite()
    ada.name = "Ida"
    let name = track { #expect(ada.name == "Ida") }
    store.cancelWrite()
    #expect(name() == 1 && ada.name == "Ada")
  }

  @Test func aStoreThatIsClosedTellsThatItsObjectsAreGone() throws {
    let dogs = ada.dogs
    let changes = [
      track { _ = ada.isInvalidated }, track { _ = dogs.isInvalidated }, track { _ = ada.name },
    ]
    store.close()

    // Their values stay as they were.
    #expect(changes.map { $0() } == [1, 1, 0])
    #expect(ada.isInvalidated && dogs.isInvalidated && ada.name == "Ada")
  }

  @Test func soDoesOneWhoseFileAnotherProcessHasUpgraded() throws {
    let dogs = ada.dogs
    let changes = [
      track { _ = ada.isInvalidated }, track { _ = dogs.isInvalidated }, track { _ = ada.name },
    ]
    try test.execute("UPDATE _strata SET value = 9 WHERE key = 'version'")
    try test.execute("CREATE TABLE later (a)")
    #expect(throws: StoreError.self) { try store.refresh() }

    #expect(changes.map { $0() } == [1, 1, 0])
    let again = track { #expect(ada.isInvalidated && dogs.isInvalidated && ada.name == "Ada") }
    store.close()
    #expect(again() == 0)
  }

  @Test func collectionsOfStandaloneObjectsAreSeen() throws {
    let draft = Person(id: 9, name: "Draft")
    let (notes, tags, scores) = (draft.notes, draft.tags, draft.scores)
    func tracked() -> [() -> Int] {
      [
        track { _ = notes.count }, track { _ = draft.notes.first }, track { for _ in notes {} },
        track { _ = tags.contains("a") }, track { _ = draft.tags.min() },
        track { _ = scores["go"] }, track { _ = scores.keys },
      ]
    }
    var changes = tracked()
    draft.name = "Named"
    #expect(changes.map { $0() } == [0, 0, 0, 0, 0, 0, 0])
    notes.append("n")
    #expect(changes.map { $0() } == [1, 1, 1, 0, 0, 0, 0])
    tags.insert("a")
    scores["go"] = 1
    #expect(changes.map { $0() } == [1, 1, 1, 1, 1, 1, 1])

    // An assignment is told when all of it is there.
    changes = tracked()
    // All of this is on one thread.
    nonisolated(unsafe) let told = notes
    nonisolated(unsafe) var seen: [String?] = []
    withObservationTracking {
      _ = notes.count
    } onChange: {
      seen = Array(told)
    }
    draft.notes = List(["x", "y"])
    #expect(seen == ["x", "y"])
    draft.tags.removeAll()
    scores["go"] = nil
    #expect(changes.map { $0() } == [1, 1, 1, 1, 1, 1, 1])
  }

  /// What the store has from now on is followed there. Nothing is told within the transaction, in which no handler could write.
  @Test(arguments: [true, false])
  func whatWasReadBeforeAnObjectIsAddedIsToldBehindTheTransaction(_ isCancelled: Bool) throws {
    let draft = Person(id: 9, name: "Draft")
    let notes = draft.notes
    let changes = [
      track { _ = draft.name }, track { _ = notes.count }, track { _ = draft.tags.count },
    ]
    try store.beginWrite()
    try store.add(draft)
    #expect(changes.map { $0() } == [0, 0, 0])
    if isCancelled { store.cancelWrite() } else { try store.commitWrite() }
    #expect(changes.map { $0() } == [1, 1, 1])

    if isCancelled { return }
    let later = [track { _ = notes.count }, track { _ = draft.tags.count }]
    try store.write { notes.append("n") }
    try store.write { _ = draft.tags.insert("t") }
    #expect(later.map { $0() } == [1, 1])
  }

  @Test func deletionsAndStandaloneObjectsAreSeen() throws {
    let name = track { _ = bob.name }
    try store.write { try store.delete(bob) }
    #expect(name() == 1)

    let draft = Person(id: 9, name: "Draft")
    let (standalone, age) = (track { _ = draft.name }, track { _ = draft.age })
    draft.name = "Named"
    #expect(standalone() == 1 && age() == 0)
  }

  @Test func whetherAnObjectIsThereIsSeen() throws {
    let dogs = ada.dogs
    let changes = [
      track { _ = ada.isInvalidated }, track { _ = bob.isInvalidated },
      track { _ = dogs.isInvalidated },
    ]
    try store.write {
      bob.name = "Rob"
      dogs.append(Dog(name: "Mo"))
    }
    #expect(changes.map { $0() } == [0, 0, 0])
    try store.write { try store.delete(bob) }
    #expect(changes.map { $0() } == [0, 1, 0])

    try store.beginWrite()
    try store.delete(ada)
    let gone = track { #expect(ada.isInvalidated) }
    store.cancelWrite()
    #expect(gone() == 1 && !ada.isInvalidated)

    let again = track { _ = (ada.isInvalidated, dogs.isInvalidated) }
    let other = try test.open()
    try other.write { try other.deleteAll() }
    try store.refresh()
    #expect(again() == 1 && ada.isInvalidated && dogs.isInvalidated)
  }

  @Test func lookupsByPrimaryKeyAreSeen() throws {
    func find(_ id: Int) -> Person? { try? store.object(ofType: Person.self, forPrimaryKey: id) }
    let adas = track { #expect(find(0) == ada) }
    let bobs = track { #expect(find(1) == bob) }
    let cleos = track { #expect(find(2) == nil) }
    try store.write { ada.name = "Ida" }
    #expect([adas(), bobs(), cleos()] == [0, 0, 0])

    try store.write { try store.add(Person(id: 2, name: "Cleo")) }
    #expect([adas(), bobs(), cleos()] == [0, 0, 1])

    // The key goes from one to the other.
    try store.write { ada.id = 3 }
    #expect([adas(), bobs()] == [1, 0])
    let next = track { #expect(find(0) == nil) }
    try store.write { bob.id = 0 }
    #expect(next() == 1 && bobs() == 1 && find(0) == bob)

    let gone = track { _ = find(2) }
    try store.write { try store.delete(try #require(find(2))) }
    #expect(gone() == 1 && find(2) == nil)

    let again = track { _ = find(2) }
    let other = try test.open()
    try other.write { try other.add(Person(id: 2, name: "Cleo")) }
    try store.refresh()
    #expect(again() == 1 && find(2)?.name == "Cleo")
  }

  @Test func lookupsByCompoundKeysAreSeen() throws {
    func find(_ number: Int?) -> Entry? {
      try? store.object(ofType: Entry.self, forPrimaryKey: "a", number)
    }
    let (first, unnumbered) = (track { _ = find(1) }, track { _ = find(nil) })
    try store.write { try store.add(Entry(account: "a", number: 1)) }
    #expect(first() == 1 && unnumbered() == 1)

    let (found, missing) = (track { _ = find(1) }, track { _ = find(nil) })
    try store.write { try #require(find(1)).text = "one" }
    #expect(found() == 0 && missing() == 0)
    try store.write { try #require(find(1)).number = nil }
    #expect(found() == 1 && missing() == 1)
  }

  @Test func lookupsOfWhatIsTakenBackAreSeen() throws {
    func find(_ id: Int) -> Person? { try? store.object(ofType: Person.self, forPrimaryKey: id) }
    try store.beginWrite()
    try store.delete(bob)
    try store.add(Person(id: 2, name: "Cleo"))
    let changes = [track { #expect(find(1) == nil) }, track { #expect(find(2) != nil) }]
    store.cancelWrite()
    #expect(changes.map { $0() } == [1, 1] && find(1) == bob && find(2) == nil)
  }

  /// A class of an app that holds results.
  @Observable final class People {
    var isShown = true
    let results: Results<Person>

    init(_ results: Results<Person>) { self.results = results }

    var names: [String] { isShown ? results.map(\.name) : [] }
  }

  @Test func aClassOfTheAppsOwnMayHoldResults() throws {
    let people = People(store.objects(Person.self))
    let names = track { _ = people.names }
    try store.write { ada.name = "Ida" }
    #expect(names() == 1)

    let shown = track { _ = people.names }
    people.isShown = false
    #expect(shown() == 1 && people.names.isEmpty)
  }

  @Test func objectsAreIdentifiable() throws {
    func identity<Known: Identifiable>(_ object: Known) -> Known.ID { object.id }
    #expect(identity(ada) == 0)
    let rex = try #require(store.objects(Dog.self).first)
    #expect(identity(rex) == identity(ada.dogs[0]))
    #expect(identity(Dog(name: "Rex")) != identity(rex))
  }
}
