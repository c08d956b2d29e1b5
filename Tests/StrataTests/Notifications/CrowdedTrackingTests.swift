import Observation
import Strata
import StrataTestModels
import Synchronization
import Testing

/// More is tracked than is told apart.
@Suite struct CrowdedTrackingTests {
  let test: TestStore
  let store: Store
  let ada = Person(id: 0, name: "Ada", age: 30)
  let bob = Person(id: 1, name: "Bob", age: 20)
  /// With one place for each property, more than 16,384 places.
  let crowd: [Person]

  init() throws {
    test = try TestStore()
    store = test.store
    crowd = (2..<1502).map { Person(id: $0, name: "") }
    let people = [ada, bob] + crowd
    try store.write { [store] in try store.add(people) }
  }

  /// Eleven properties.
  private func read(_ person: Person) {
    _ = (person.id, person.name, person.age, person.email, person.born, person.score)
    _ = (person.mood, person.rank, person.boss, person.home, person.thing)
  }

  private final class Count: Sendable {
    let value = Atomic<Int>(0)
  }

  private func track(_ reads: () -> Void) -> () -> Int {
    let count = Count()
    withObservationTracking(reads) { count.value.wrappingAdd(1, ordering: .relaxed) }
    return { count.value.load(ordering: .relaxed) }
  }

  /// Observation does not tell that cells are gone, as those that were scrolled by.
  @Test func whatIsFollowedNoMoreTakesNoRoomForLong() throws {
    let cells = crowd.map { person in track { read(person) } }
    let crowded = track { _ = ada.name }

    try store.write { bob.age += 1 }
    // It was told of any person, and all others with it, once.
    #expect(crowded() == 1 && cells.allSatisfy { $0() == 1 })

    let name = track { _ = ada.name }
    try store.write { bob.age += 1 }
    #expect(name() == 0)
    try store.write { ada.name = "Ida" }
    #expect(name() == 1)
  }

  @Test func aFunctionMayReadMoreThanHasRoom() throws {
    for person in [crowd[0], crowd[1499], crowd[700], crowd[1499]] {
      let all = track { for person in crowd { read(person) } }
      #expect(all() == 0)
      try store.write { person.age += 1 }
      #expect(all() == 1)
    }
  }

  /// What a tracked function has read is followed only when it has ended.
  @Test func aFunctionMayMoveTheStoreOn() throws {
    let other = try test.open()
    try other.write { other.objects(Person.self)[1].age += 1 }

    let all = track {
      for person in crowd { read(person) }
      #expect(throws: Never.self) { try store.refresh() }
    }
    try store.write { crowd[0].age += 1 }
    #expect(bob.age == 21 && all() == 1)
  }
}
