import Strata
import StrataTestModels
import Testing

/// `detached()` gives back what was added in a transaction that was cancelled, so that it can be added again.
@Suite struct CancelledCopyTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func graph() -> Person {
    let rex = Dog(name: "Rex")
    let ada = Person(
      id: 1, name: "Ada", home: Address(street: "Rue", country: Country(code: "FR")),
      dogs: [rex, Dog(name: "Max"), rex], offices: [Address(street: "Via")], notes: ["a", nil],
      tags: ["t"], scores: ["k": 1], pets: ["first": rex], thing: AnyValue(rex))
    ada.boss = Person(id: 2, name: "Grace", boss: ada)
    return ada
  }

  private func expectGraph(_ ada: Person, location: SourceLocation = #_sourceLocation) {
    #expect(ada.name == "Ada" && ada.home?.street == "Rue", sourceLocation: location)
    #expect(ada.home?.country?.code == "FR", sourceLocation: location)
    #expect(ada.dogs.map(\.name) == ["Rex", "Max", "Rex"], sourceLocation: location)
    #expect(ada.dogs[0] == ada.dogs[2] && ada.dogs[0] == ada.pets["first"])
    #expect(ada.thing == AnyValue(ada.dogs[0]), sourceLocation: location)
    #expect(ada.offices.map(\.street) == ["Via"], sourceLocation: location)
    #expect(Array(ada.notes) == ["a", nil] && Array(ada.tags) == ["t"], sourceLocation: location)
    #expect(ada.scores["k"] == 1, sourceLocation: location)
    #expect(ada.boss?.name == "Grace" && ada.boss?.boss == ada, sourceLocation: location)
  }

  @Test(arguments: [false, true])
  func aCopyHasAllThatTheObjectLedTo(isRead: Bool) throws {
    let gone = graph()
    #expect(throws: TestStore.Refusal.self) {
      try store.write {
        try store.add(gone)
        if isRead { expectGraph(gone) }
        throw TestStore.Refusal()
      }
    }
    let copy = gone.detached()
    expectGraph(copy)
    expectGraph(gone.detached(depth: 0))
    expectGraph(try Person(value: gone))
    try store.write { try store.add(copy) }

    expectGraph(copy)
    #expect(store.objects(Dog.self).count == 2 && store.objects(Person.self).count == 2)
    #expect(store.objects(Country.self).count == 1)
  }

  @Test func aCopyLeadsToWhatWasThereBefore() throws {
    let (rex, max) = (try test.added(Dog(name: "Rex")), try test.added(Dog(name: "Max")))
    let gone = try test.cancelled(Person(id: 1, name: "Ada", dogs: [rex, Dog(name: "New"), max]))
    let draft = gone.detached(depth: 0)
    try store.write { try store.add(draft) }

    #expect(draft.dogs[0] == rex && draft.dogs[2] == max)
    #expect(store.objects(Dog.self).map(\.name).sorted() == ["Max", "New", "Rex"])
  }

  @Test func theLastValuesAreThoseOfTheMomentOfTheCancel() throws {
    let gone = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex"), Dog(name: "Max")])
    try store.beginWrite()
    try store.add(gone)
    gone.dogs[0].name = "King"
    gone.dogs.remove(at: 1)
    gone.boss = Person(id: 2, name: "Grace")
    store.cancelWrite()

    #expect(gone.detached().dogs.map(\.name) == ["King"])
    #expect(gone.detached().boss?.name == "Grace")
  }

  /// What deletes rows reads the objects first, so that they keep their last values.
  enum Later: CaseIterable {
    case nothing, deletion, bulkDeletion, embedding, embeddingInAList, ownEmbedding, reading,
      failedCreation
  }

  @Test(arguments: Later.allCases)
  func aCopyHasItsCollectionsWhateverTheTransactionDidLater(_ later: Later) throws {
    let bob = try test.added(Person(id: 7, name: "Bob", home: Address(street: "a")))
    let (rex, max) = (try test.added(Dog(name: "Rex")), try test.added(Dog(name: "Max")))
    let gone = Person(id: 1, name: "Ada", dogs: [Dog(name: "New")], notes: ["n"])
    try store.beginWrite()
    try store.add(gone)
    switch later {
    case .nothing: break
    case .deletion: try store.delete(rex)
    case .bulkDeletion: try store.delete(Dog.self, where: "name = 'Rex'")
    case .embedding: bob.home = nil
    case .embeddingInAList: bob.offices.append(Address(street: "b"))
    case .ownEmbedding: gone.offices.append(Address(street: "c"))
    case .reading:
      try store.delete(rex)
      gone.name = "Eve"
      try store.delete(max)
    case .failedCreation:
      #expect(throws: StoreError.self) {
        try store.create(Person.self, value: ["id": 8, "name": "x", "dogs": [["name": 3]]])
      }
    }
    store.cancelWrite()
    let copy = gone.detached()

    #expect(copy.name == (later == .reading ? "Eve" : "Ada"))
    #expect(copy.dogs.map(\.name) == ["New"] && Array(copy.notes) == ["n"])
    #expect(copy.offices.map(\.street) == (later == .ownEmbedding ? ["c"] : []))
    try store.write { try store.add(copy) }
    #expect(copy.dogs.map(\.name) == ["New"] && store.objects(Dog.self).count == 3)
  }

  @Test func aCopyHasItsCollectionsWhenTheCommitFails() throws {
    let gone = Person(id: 1, name: "Ada", dogs: [Dog(name: "New")])
    let holder = Holder()
    holder.name = "one"
    #expect(throws: StoreError.missingRequired(model: "Holder", property: "needed")) {
      try store.write {
        try store.add(gone)
        try store.add(holder)
      }
    }
    #expect(gone.detached().dogs.map(\.name) == ["New"])
  }

  /// A thread that frees one of them waits while it is copied.
  @Test func objectsMayBeLetGoOnAnotherThreadDuringTheCancel() async throws {
    for _ in 0..<20 {
      nonisolated(unsafe) var gone = (0..<200).map { Dog(name: "\($0)") }
      try store.beginWrite()
      for dog in gone { try store.add(dog) }
      let ending = Task.detached { gone = [] }
      store.cancelWrite()
      await ending.value
    }

    #expect(store.objects(Dog.self).isEmpty)
  }

  @Test func anObjectThatWasAddedAndDeletedIsNotThereAfterACancelEither() throws {
    let (gone, dog) = (Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")]), Dog(name: "Max"))
    try store.beginWrite()
    try store.add(gone)
    try store.add(dog)
    try store.delete(gone)
    store.cancelWrite()

    #expect(gone.isInvalidated && gone.name == "Ada" && gone.detached().name == "Ada")
    #expect(dog.detached().name == "Max" && store.objects(Person.self).isEmpty)
  }

  /// Copied as in each detached copy, and told by what they were copied of.
  @Test func whatWasThereBeforeIsOneWithItsOriginalWhereTheCopyIsModified() throws {
    let rex = try test.added(Dog(name: "Rex"))
    let gone = try test.cancelled(Person(id: 1, name: "Ada", dogs: [rex, Dog(name: "New")]))
    let copy = gone.detached()
    try store.write { try store.add(copy, update: .modified) }

    #expect(copy.dogs.map(\.name) == ["Rex", "New"] && copy.dogs[0] == rex)
    #expect(store.objects(Dog.self).count == 2)
  }

  @Test func twoThatAreGoneAreTwoInACopy() throws {
    try store.beginWrite()
    let (rex, max) = (Dog(name: "Rex"), Dog(name: "Max"))
    for dog in [rex, max] { try store.add(dog) }
    store.cancelWrite()
    let copy = Person(id: 1, name: "Ada", dogs: [rex, max, rex]).detached()
    try store.write { try store.add(copy) }

    #expect(copy.dogs.map(\.name) == ["Rex", "Max", "Rex"])
    #expect(store.objects(Dog.self).count == 2)
  }

  @Test func whatIsFrozenOfThemIsTheSameObjectAndHasAllThatItLedTo() throws {
    try store.beginWrite()
    let (rex, max) = (Dog(name: "Rex"), Dog(name: "Max"))
    for dog in [rex, max] { try store.add(dog) }
    store.cancelWrite()
    let (frozen, other) = (rex.freeze(), max.freeze())
    #expect(frozen == rex && frozen != other && frozen.hashValue == rex.hashValue)
    #expect(frozen.isInvalidated && frozen.name == "Rex" && other.name == "Max")

    let gone = try test.cancelled(graph())
    expectGraph(gone.freeze().detached())
    store.close()
    expectGraph(gone.freeze().detached())
  }

  /// Another process may take the numbers of what is gone: its objects are not what it led to.
  @Test func aLinkToWhatIsGoneLeadsNowhere() throws {
    let gone = try test.cancelled(graph())
    #expect(gone.boss == nil && gone.home == nil && (gone.thing ?? .null).isNull)
    for row in 1...20 {
      try test.execute(
        """
        INSERT INTO Person (_row, id, name, age, score, mood) VALUES (\(row), \(row), 'x', 0, 0, 'calm')
        """)
    }
    try store.refresh()

    #expect(gone.boss == nil && gone.home == nil && gone.name == "Ada")
  }

  /// Nor is it what a copy was made of in the transaction.
  @Test(arguments: [UpdatePolicy.modified, .all])
  func aCopyThatWasMadeBeforeTheCancelIsANewObject(update: UpdatePolicy) throws {
    let (rex, ada) = (Dog(name: "Rex"), Person(id: 100, name: "Ada", tags: ["t"]))
    try store.beginWrite()
    try store.add(rex)
    try store.add(ada)
    let (dog, person) = (rex.detached(), ada.detached())
    let copy = dog.detached()
    store.cancelWrite()
    for row in 1...20 {
      try test.execute(
        "INSERT INTO Dog (_row, age, color, name) VALUES (\(row), 0, 'brown', 'Max')")
    }
    try store.refresh()
    dog.name = "King"
    try store.write {
      for object in [dog, copy, person] as [Object] { try store.add(object, update: update) }
    }

    #expect(store.objects(Dog.self).where { $0.name == "Max" }.count == 20)
    #expect(dog.name == "King" && copy.name == "Rex" && store.objects(Dog.self).count == 22)
    #expect(person.name == "Ada" && Array(person.tags) == ["t"])
  }

  @Test func soManyAreNotAllRemembered() throws {
    let gone = Person(id: 1, name: "Ada", dogs: (0..<20_000).map { Dog(name: "\($0)") })
    let last = Dog(name: "last")
    try store.beginWrite()
    for object in [gone, last] as [Object] { try store.add(object) }
    store.cancelWrite()

    #expect(gone.detached().name == "Ada" && gone.detached().dogs.isEmpty)
    #expect(last.detached().name == "last")
  }
}
