import StrataSchema
import StrataTestModels
import Testing

@testable import Strata

/// Who is asked behind a commit, and in which order.
@Suite struct ObserverRegisterTests {
  static let count = 1_000

  let test: TestStore
  let store: Store
  let people: [Person]

  init() throws {
    test = try TestStore()
    store = test.store
    let people = (0..<Self.count).map { Person(id: $0, name: "p") }
    self.people = people
    try store.write { [store] in try store.add(people) }
  }

  /// Counts how often it is looked at.
  private final class CountingObserver: Observer {
    var asked = 0

    override var hasPending: Bool {
      asked += 1
      return super.hasPending
    }

    override func deliver() { _ = takePending() }
  }

  private func counting(
    _ people: some Sequence<Person>, _ models: (ModelAccess) -> Set<Int> = { _ in [] }
  ) throws -> [CountingObserver] {
    let observers = try store.startObserving()
    return try people.map { person in
      let access = try #require(person.managedAccess)
      let observer = CountingObserver(
        ObservationState(of: store.following.identity),
        scope: .object(
          .init(model: access.index, row: person.row), andAllOf: models(access)))
      observers.add(observer)
      return observer
    }
  }

  @Test func aCommitLooksAtTheObserversOfWhatItChangedAlone() throws {
    let observers = try counting(people)

    try store.write { people[3].age += 1 }
    try store.write { try store.delete(people[5]) }
    try store.write { try store.add(Person(id: Self.count, name: "new")) }
    try store.write { try store.add(Dog(name: "Rex")) }

    #expect(observers.indices.filter { observers[$0].asked > 0 } == [3, 5])
  }

  /// As lists of objects are: of the model of their elements any object may be one.
  @Test func ofModelsThatMayConcernThemAllAreLookedAt() throws {
    let observers = try counting(people.prefix(9)) { access in
      Set(access.targets.compactMap { $0?.model.name == "Dog" ? $0?.index : nil })
    }
    func asked() -> [Int] {
      defer { for observer in observers { observer.asked = 0 } }
      return observers.indices.filter { observers[$0].asked > 0 }
    }

    try store.write { people[3].age += 1 }
    #expect(asked() == [3])
    try store.write { try store.add(Dog(name: "Rex")) }
    #expect(asked() == Array(0..<9))
  }

  @Test func aCommitOfManyLooksAtAllThatItChanged() throws {
    let observers = try counting(people.suffix(10))

    try store.write { for person in people.dropLast(4) { person.age += 1 } }

    #expect(observers.indices.filter { observers[$0].asked > 0 } == [0, 1, 2, 3, 4, 5])
  }

  @Test func objectsAndCollectionsAreToldInTheOrderInWhichTheyCame() throws {
    var told: [String] = []
    let tokens = [
      try people[1].observe { _ in told.append("object 1") },
      try store.objects(Person.self).observe { change in
        if case .update = change { told.append("people") }
      },
      try people[0].observe { _ in told.append("object 0") },
      try people[2].observe { _ in told.append("object 2") },
    ]

    try store.write { for person in people[0...2].reversed() { person.age += 1 } }

    #expect(told == ["object 1", "people", "object 0", "object 2"])
    for token in tokens { token.invalidate() }
  }

  /// More than there are rounds: who comes behind hears it in the same round.
  @Test func aChainOfObserversThatWriteEndsInOneDelivery() throws {
    let length = 2 * Observers.maximumRounds
    var tokens: [NotificationToken] = []
    for (person, next) in zip(people[..<length], people[1...]) {
      tokens.append(
        try person.observe { [store] _ in try? store.write { next.age = person.age + 1 } })
    }

    try store.write { people[0].age = 1 }

    #expect(people[length].age == length + 1)
    for token in tokens { token.invalidate() }
  }

  @Test func theOtherWayRoundItGoesOnForAsManyRoundsAsThereAre() throws {
    let length = Observers.maximumRounds / 2
    var tokens: [NotificationToken] = []
    for index in 0..<length {
      let (person, next) = (people[length - index], people[length - index - 1])
      tokens.insert(
        try person.observe { [store] _ in try? store.write { next.age = person.age + 1 } }, at: 0)
    }

    try store.write { people[length].age = 1 }

    #expect(people[0].age == length + 1)
    for token in tokens { token.invalidate() }
  }

  @Test func whoHasEndedIsForgottenBeforeAnotherIsTold() throws {
    var told = 0
    var tokens = try people.map { try $0.observe { _ in told += 1 } }
    for token in tokens.dropLast() { token.invalidate() }
    tokens.removeFirst(tokens.count - 1)

    try store.write { for person in people { person.age += 1 } }
    #expect(told == 1)

    tokens[0].invalidate()
    #expect(store.activeObservers == nil)
    try store.write { for person in people { person.age += 1 } }
    #expect(told == 1)
  }

  /// With as many deliveries as there are observers, those of single objects are looked through, too.
  @Test func whatHasEndedIsForgotten() throws {
    var register = ObserverRegister()
    let observers = people.map { person in
      Observer(
        ObservationState(of: store.following.identity),
        scope: .object(.init(model: 0, row: person.row), andAllOf: []))
    }
    for observer in observers { register.add(observer) }
    for observer in observers.dropFirst() { observer.state.end() }

    for _ in observers { register.noteDelivery() }

    #expect(register.count == 1 && register.anyActive === observers[0])
  }

  /// Nothing follows the deletion, which it is not told of.
  @Test func whoIsLeftOutOfTheDeletionOfItsObjectHasEnded() throws {
    let token = try people[0].observe { _ in Issue.record("It was told.") }

    try store.write(withoutNotifying: [token]) { try store.delete(people[0]) }

    #expect(store.activeObservers == nil)
    token.invalidate()
  }

  @Test func collectionsOfObjectsAreToldOfTheirElements() throws {
    let rex = Dog(name: "Rex")
    try store.write { for person in people.prefix(3) { person.dogs.append(rex) } }
    var told: [Int] = []
    let tokens = try people.prefix(5).map { person in
      try person.dogs.observe { change in
        if case .update = change { told.append(person.id) }
      }
    }

    try store.write { rex.name = "Max" }
    #expect(told == [0, 1, 2])
    try store.write { people[4].dogs.append(rex) }
    try store.write { people[3].age += 1 }
    #expect(told == [0, 1, 2, 4])
    for token in tokens { token.invalidate() }
  }

  /// A path that leads on is about other objects, too.
  @Test func aPathThroughALinkIsToldOfWhatItLeadsTo() throws {
    let rex = Dog(name: "Rex")
    try store.write { people[2].dogs.append(rex) }
    var told: [Int] = []
    let tokens = try people.prefix(5).map { person in
      try person.observe(keyPaths: ["dogs.name"]) { _ in told.append(person.id) }
    }

    try store.write { rex.name = "Max" }
    try store.write { people[2].age += 1 }
    #expect(told == [2])
    for token in tokens { token.invalidate() }
  }

  @Test func collectionsOfValuesAreToldOfTheirOwnerAlone() throws {
    var told: [Int] = []
    let tokens = try people.prefix(20).map { person in
      try person.tags.observe { change in
        if case .update = change { told.append(person.id) }
      }
    }

    try store.write { people[7].tags.insert("a") }
    try store.write { people[8].age += 1 }
    #expect(told == [7])

    try store.write { try store.delete(people[7]) }
    #expect(told == [7, 7])
    for token in tokens { token.invalidate() }
  }
}
