import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// What was added in a transaction that was cancelled is gone for good, and its identity is not used again.
@Suite struct CancelledWriteTests {
  let test: TestStore
  var store: Store { test.store }

  struct Refusal: Error {}

  init() throws { test = try TestStore() }

  /// Adds an object in a transaction that comes to nothing.
  private func cancelled<Added: Object>(_ object: Added) throws -> Added {
    #expect(throws: Refusal.self) {
      try store.write {
        try store.add(object)
        throw Refusal()
      }
    }
    return object
  }

  private func added<Added: Object>(_ object: Added) throws -> Added {
    try store.write { try store.add(object) }
    return object
  }

  private func row(_ object: Object) -> String? {
    object.description.split(separator: " ").first { $0.hasPrefix("#") }.map { String($0) }
  }

  @Test func theNextObjectIsAnotherOne() throws {
    let gone = try cancelled(Dog(name: "Rex"))
    let dog = try added(Dog(name: "Max"))

    #expect(gone.isInvalidated)
    #expect(!dog.isInvalidated)
    #expect(row(gone) != row(dog))
    #expect(!gone.isSameObject(as: dog))
    #expect(gone.name == "Rex")
    #expect(store.objects(Dog.self).map(\.name) == ["Max"])
    #expect(store.objects(Dog.self).index(of: gone) == nil)
  }

  @Test func aCancelledObjectIsRefusedWhereverItIsUsed() throws {
    let gone = try cancelled(Dog(name: "Rex"))
    let ada = try added(Person(id: 1, name: "Ada"))
    _ = try added(Dog(name: "Max"))
    let error = StoreError.invalidated(model: "Dog")

    #expect(throws: error) { try store.write { try store.add(gone) } }
    #expect(throws: error) { try store.write { try store.add(gone, update: .modified) } }
    #expect(throws: error) { try store.write { try store.delete(gone) } }
    #expect(throws: error) { try store.write { try gone.setValue("x", forKey: "name") } }
    #expect(throws: error) { try store.write { ada.dogs.append(gone) } }
    #expect(throws: error) { try store.write { ada.pets["a"] = gone } }
    #expect(throws: error) { try store.write { ada.thing = AnyValue(gone) } }
    #expect(throws: error) {
      try store.write { try store.add(Person(id: 2, name: "x", dogs: [gone])) }
    }
    #expect(throws: error) { _ = try store.objects(Person.self).filter("ANY dogs = %@", gone) }
    #expect(store.objects(Dog.self).map(\.name) == ["Max"])
    #expect(ada.dogs.isEmpty && ada.pets.isEmpty && (ada.thing ?? .null).isNull)
    try store.write { try store.add(gone.detached()) }
    #expect(store.objects(Dog.self).map(\.name) == ["Max", "Rex"])
  }

  @Test func settingACancelledObjectStopsTheProgram() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let test = try TestStore()
      let gone = Dog(name: "Rex")
      try test.store.beginWrite()
      try test.store.add(gone)
      test.store.cancelWrite()
      try test.store.write {
        try test.store.add(Dog(name: "Max"))
        gone.name = "x"
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Dog.name of a deleted object was set"))
  }

  @Test func changingAListOfACancelledObjectStopsTheProgram() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let test = try TestStore()
      let gone = Person(id: 1, name: "Ada")
      try test.store.beginWrite()
      try test.store.add(gone)
      let dogs = gone.dogs
      test.store.cancelWrite()
      try test.store.write {
        try test.store.add(Person(id: 1, name: "Grace"))
        dogs.append(Dog(name: "Rex"))
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Person.dogs of a deleted object was changed"))
  }

  @Test func collectionsInversesAndReferencesStayEmpty() throws {
    let ada = Person(
      id: 1, name: "Ada", dogs: [Dog(name: "Rex")], tags: ["t"], scores: ["k": 1])
    try store.beginWrite()
    try store.add(ada)
    let (dogs, tags, scores, reports) = (ada.dogs, ada.tags, ada.scores, ada.reports)
    let reference = try ObjectReference(to: ada)
    let list = CollectionReference(dogs)
    #expect(store.resolve(reference)?.name == "Ada")
    store.cancelWrite()
    let boss = try added(
      Person(id: 1, name: "Grace", dogs: [Dog(name: "Max")], tags: ["u"], scores: ["l": 2]))
    _ = try added(Person(id: 2, name: "Alan", boss: boss))

    #expect(dogs.isEmpty && tags.isEmpty && scores.isEmpty && reports.isEmpty)
    #expect(dogs.isInvalidated && tags.isInvalidated && scores.isInvalidated)
    #expect(store.resolve(reference) == nil)
    #expect(store.resolve(list) == nil)
    #expect(boss.dogs.map(\.name) == ["Max"])
  }

  /// Another process knows nothing of the numbers that this one has passed over.
  // MARK: - What was cancelled is added again

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
    #expect(throws: Refusal.self) {
      try store.write {
        try store.add(gone)
        if isRead { expectGraph(gone) }
        throw Refusal()
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
    let (rex, max) = (try added(Dog(name: "Rex")), try added(Dog(name: "Max")))
    let gone = try cancelled(Person(id: 1, name: "Ada", dogs: [rex, Dog(name: "New"), max]))
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
    let bob = try added(Person(id: 7, name: "Bob", home: Address(street: "a")))
    let (rex, max) = (try added(Dog(name: "Rex")), try added(Dog(name: "Max")))
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
    let rex = try added(Dog(name: "Rex"))
    let gone = try cancelled(Person(id: 1, name: "Ada", dogs: [rex, Dog(name: "New")]))
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

  /// Another process may take the numbers of what is gone: its objects are not what it led to.
  @Test func aLinkToWhatIsGoneLeadsNowhere() throws {
    let gone = try cancelled(graph())
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

  @Test func soManyAreNotAllRemembered() throws {
    let gone = Person(id: 1, name: "Ada", dogs: (0..<20_000).map { Dog(name: "\($0)") })
    let last = Dog(name: "last")
    try store.beginWrite()
    for object in [gone, last] as [Object] { try store.add(object) }
    store.cancelWrite()

    #expect(gone.detached().name == "Ada" && gone.detached().dogs.isEmpty)
    #expect(last.detached().name == "last")
  }

  @Test func anotherProcessMayTakeTheNumber() throws {
    let row = try #require(
      Database(path: test.folder.file("a.db")).firstValue(
        "SELECT value FROM _strata WHERE key = 'nextRow'"
      )?.ifInteger)
    try store.beginWrite()
    let (gone, home) = (Person(id: 1, name: "Ada"), Address(street: "Rue"))
    try store.add(gone)
    gone.home = home
    let (dogs, reports, reference) = (gone.dogs, gone.reports, try ObjectReference(to: gone))
    store.cancelWrite()
    let database = try Database(path: test.folder.file("a.db"))
    try database.execute("PRAGMA foreign_keys = ON")
    for row in row...(row + 1) {
      try database.execute(
        "INSERT INTO Person (_row, id, name, age, score, mood, boss) VALUES (?, ?, 'Max', 0, 0, 'calm', ?)",
        .integer(row), .integer(row), .integer(row))
    }
    try database.execute("INSERT INTO Dog (_row, age, color, name) VALUES (100, 0, 'brown', 'Bo')")
    try database.execute(
      "INSERT INTO \"Person.dogs\" VALUES (?, 1, 100), (?, 1, 100)", .integer(row),
      .integer(row + 1))
    try store.refresh()

    #expect(store.objects(Person.self).count == 2)
    #expect(gone.isInvalidated && home.isInvalidated)
    #expect(gone.name == "Ada")
    #expect(dogs.isEmpty && reports.isEmpty && store.resolve(reference) == nil)
    let theirs = try #require(store.objects(Person.self).first)
    #expect(!gone.isSameObject(as: theirs) && gone != theirs)
    #expect(throws: StoreError.invalidated(model: "Person")) {
      try store.write { try store.delete(gone) }
    }
    #expect(theirs.name == "Max" && theirs.dogs.map(\.name) == ["Bo"])
  }

  @Test func twoStoresOfOneProcessShareWhatIsPassedOver() throws {
    let other = try test.open()
    let gone = try cancelled(Dog(name: "Rex"))
    let reference = try ObjectReference(to: gone)
    try other.write { try other.add(Dog(name: "Max")) }
    try store.refresh()

    #expect(gone.isInvalidated)
    #expect(store.resolve(reference) == nil && other.resolve(reference) == nil)
    let max = try #require(other.objects(Dog.self).first)
    #expect(row(max) != row(gone))
  }

  @Test func whatFailsAtTheCommitIsGoneToo() throws {
    let holder = Holder()
    holder.name = "one"
    #expect(throws: StoreError.missingRequired(model: "Holder", property: "needed")) {
      try store.write { try store.add(holder) }
    }
    let next = try added(Holder(name: "two", needed: Needed(name: "n")))

    #expect(holder.isInvalidated && holder.name == "one")
    #expect(!next.isInvalidated && next.name == "two")
  }

  @Test func writeAsyncAndClosingCancelAsWell() async throws {
    let gone = Dog(name: "Rex")
    await #expect(throws: Refusal.self) {
      try await store.writeAsync {
        try store.add(gone)
        throw Refusal()
      }
    }
    let other = try test.open()
    let open = Dog(name: "Bo")
    try other.beginWrite()
    try other.add(open)
    other.close()
    let dog = try added(Dog(name: "Max"))

    #expect(gone.isInvalidated && open.isInvalidated)
    #expect(Set([gone, open, dog].compactMap(row)).count == 3)
    #expect(gone.name == "Rex" && open.name == "Bo")
  }

  @Test func whatWasDeletedOrChangedIsAsBefore() throws {
    let ada = try added(
      Person(id: 1, name: "Ada", home: Address(street: "Rue"), dogs: [Dog(name: "Rex")]))
    let (rex, home) = (try #require(ada.dogs.first), try #require(ada.home))
    try store.beginWrite()
    try store.delete(rex)
    ada.dogs.append(Dog(name: "Bo"))
    ada.home = Address(street: "Way")
    ada.name = "Grace"
    let (bo, way) = (ada.dogs[0], try #require(ada.home))
    try store.delete(ada)
    #expect(ada.isInvalidated && rex.isInvalidated && home.isInvalidated)
    store.cancelWrite()

    #expect(!ada.isInvalidated && !rex.isInvalidated && !home.isInvalidated)
    #expect(ada.name == "Ada" && ada.home?.street == "Rue" && ada.dogs.map(\.name) == ["Rex"])
    #expect(bo.isInvalidated && way.isInvalidated)
  }

  @Test func anObjectSeenByAQueryOfTheTransactionIsGoneToo() throws {
    try store.beginWrite()
    try store.add(Dog(name: "Rex"))
    let (walked, found) = (Array(store.objects(Dog.self)), store.objects(Dog.self)[0])
    store.cancelWrite()
    _ = try added(Dog(name: "Max"))

    #expect(walked.allSatisfy(\.isInvalidated) && found.isInvalidated)
    #expect(walked.map(\.name) == ["Rex"] && found.name == "Rex")
  }

  // MARK: Files

  @Test func aReferenceDoesNotLeadIntoAFileThatTookThePlace() throws {
    let path = test.folder.file("b.db")
    let configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    func dog(_ name: String) throws -> ObjectReference<Dog> {
      let store = try Store(configuration: configuration)
      defer { store.close() }
      let dog = Dog(name: name)
      try store.write { try store.add(dog) }
      return try ObjectReference(to: dog)
    }
    let old = try dog("Rex")
    let kept = try Store(configuration: configuration)
    #expect(kept.resolve(old)?.name == "Rex")
    kept.close()
    try Store.deleteFiles(for: configuration)
    let new = try dog("Max")
    let store = try Store(configuration: configuration)

    #expect(store.resolve(old) == nil)
    #expect(store.resolve(new)?.name == "Max")
    #expect(old != new)
  }

  @Test func aCopyIsAnotherFile() throws {
    let rex = try added(Dog(name: "Rex"))
    let reference = try ObjectReference(to: rex)
    try store.writeCopy(to: test.folder.file("copy.db"))
    let copy = try Store(path: test.folder.file("copy.db"), schema: TestingSchema.self)

    #expect(copy.objects(Dog.self).count == 1)
    #expect(copy.resolve(reference) == nil)
    #expect(rex.thaw(in: copy) == nil)
  }
}
