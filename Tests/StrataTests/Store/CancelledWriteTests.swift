import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// What was added in a transaction that was cancelled is gone for good, and its identity is not used again.
@Suite struct CancelledWriteTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func row(_ object: Object) -> String? {
    object.description.split(separator: " ").first { $0.hasPrefix("#") }.map { String($0) }
  }

  @Test func theNextObjectIsAnotherOne() throws {
    let gone = try test.cancelled(Dog(name: "Rex"))
    let dog = try test.added(Dog(name: "Max"))

    #expect(gone.isInvalidated)
    #expect(!dog.isInvalidated)
    #expect(row(gone) != row(dog))
    #expect(!gone.isSameObject(as: dog))
    #expect(gone.name == "Rex")
    #expect(store.objects(Dog.self).map(\.name) == ["Max"])
    #expect(store.objects(Dog.self).index(of: gone) == nil)
  }

  @Test func aCancelledObjectIsRefusedWhereverItIsUsed() throws {
    let gone = try test.cancelled(Dog(name: "Rex"))
    let ada = try test.added(Person(id: 1, name: "Ada"))
    _ = try test.added(Dog(name: "Max"))
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

  enum WayThere: CaseIterable { case key, link, walk, element, index }

  /// The program lets go of what it added, and holds what it has found in the transaction.
  @Test(arguments: WayThere.allCases)
  func whatWasFoundInItGivesBackAllThatItLedTo(way: WayThere) throws {
    let grace = try test.added(Person(id: 9, name: "Grace"))
    try store.beginWrite()
    try store.add(
      Person(
        id: 1, name: "Ada", boss: Person(id: 2, name: "Charles", boss: grace),
        dogs: [Dog(name: "Rex")], tags: ["first"], scores: ["chess": 1]))
    let ada = try #require(
      try store.object(ofType: Person.self, forPrimaryKey: 1))
    let found: Person? =
      switch way {
      case .key: ada
      case .link: ada.boss
      case .walk: store.objects(Person.self).first { $0.id == 1 }
      case .element: store.objects(Person.self).where { $0.dogs.count > 0 }.first
      case .index: store.objects(Person.self).sorted(by: \.id)[1]
      }
    #expect(found?.age == 0)
    store.cancelWrite()

    let copy = try #require(found).detached()
    if way == .link || way == .index {
      #expect(copy.name == "Charles")
      #expect(copy.boss?.name == "Grace")
    } else {
      #expect(copy.name == "Ada")
      #expect(copy.boss?.name == "Charles")
      #expect(copy.boss?.boss?.name == "Grace")
      #expect(copy.dogs.map(\.name) == ["Rex"])
      #expect(Array(copy.tags) == ["first"])
      #expect(copy.scores["chess"] == 1)
    }
  }

  @Test func viewsOfOneRowAreRememberedOnce() throws {
    let ada = Person(id: 1, name: "Ada", boss: try test.added(Person(id: 2, name: "Charles")))
    try store.beginWrite()
    try store.add(ada)
    let views = try (0...10_000).map { _ in
      try store.object(ofType: Person.self, forPrimaryKey: 1)
    }
    store.cancelWrite()

    #expect(ada.detached().boss?.name == "Charles")
    #expect(views[0]?.detached().boss?.name == "Charles")
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
    let (list, inverse) = (CollectionReference(dogs), CollectionReference(reports))
    #expect(store.resolve(reference)?.name == "Ada")
    store.cancelWrite()
    let boss = try test.added(
      Person(id: 1, name: "Grace", dogs: [Dog(name: "Max")], tags: ["u"], scores: ["l": 2]))
    _ = try test.added(Person(id: 2, name: "Alan", boss: boss))

    #expect(dogs.isEmpty && tags.isEmpty && scores.isEmpty && reports.isEmpty)
    #expect(dogs.isInvalidated && tags.isInvalidated && scores.isInvalidated)
    #expect(store.resolve(reference) == nil)
    #expect(store.resolve(list) == nil && store.resolve(inverse) == nil)
    #expect(boss.dogs.map(\.name) == ["Max"])
  }

  /// Another process knows nothing of the numbers that this one has passed over.
  @Test(arguments: [false, true])
  func anotherProcessMayTakeTheNumber(isLookedAt: Bool) throws {
    let row = try #require(
      Database(path: test.folder.file("a.db")).firstValue(
        "SELECT value FROM _strata WHERE key = 'nextRow'"
      )?.ifInteger)
    try store.beginWrite()
    let (gone, home) = (Person(id: 1, name: "Ada"), Address(street: "Rue"))
    try store.add(gone)
    gone.home = home
    let (dogs, reports, reference) = (gone.dogs, gone.reports, try ObjectReference(to: gone))
    if isLookedAt { #expect(dogs.isEmpty) }
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
    #expect(dogs.isEmpty && gone.dogs.isEmpty)
    try store.write { theirs.dogs.append(Dog(name: "New")) }
    #expect(theirs.dogs.map(\.name) == ["Bo", "New"] && dogs.isEmpty)
  }

  @Test func twoStoresOfOneProcessShareWhatIsPassedOver() throws {
    let other = try test.open()
    let gone = try test.cancelled(Dog(name: "Rex"))
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
    let next = try test.added(Holder(name: "two", needed: Needed(name: "n")))

    #expect(holder.isInvalidated && holder.name == "one")
    #expect(!next.isInvalidated && next.name == "two")
  }

  @Test func writeAsyncAndClosingCancelAsWell() async throws {
    let gone = Dog(name: "Rex")
    await #expect(throws: TestStore.Refusal.self) {
      try await store.writeAsync {
        try store.add(gone)
        throw TestStore.Refusal()
      }
    }
    let other = try test.open()
    let open = Dog(name: "Bo")
    try other.beginWrite()
    try other.add(open)
    other.close()
    let dog = try test.added(Dog(name: "Max"))

    #expect(gone.isInvalidated && open.isInvalidated)
    #expect(Set([gone, open, dog].compactMap(row)).count == 3)
    #expect(gone.name == "Rex" && open.name == "Bo")
  }

  @Test func whatWasDeletedOrChangedIsAsBefore() throws {
    let ada = try test.added(
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
    _ = try test.added(Dog(name: "Max"))

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
    let rex = try test.added(Dog(name: "Rex"))
    let reference = try ObjectReference(to: rex)
    try store.writeCopy(to: test.folder.file("copy.db"))
    let copy = try Store(path: test.folder.file("copy.db"), schema: TestingSchema.self)

    #expect(copy.objects(Dog.self).count == 1)
    #expect(copy.resolve(reference) == nil)
    #expect(rex.thaw(in: copy) == nil)
  }
}
