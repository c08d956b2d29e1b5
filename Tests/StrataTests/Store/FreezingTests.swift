import Strata
import StrataTestModels
import Synchronization
import Testing

@Suite struct FreezingTests {
  let test: TestStore
  let store: Store

  init() throws {
    test = try .withAdaAndBob()
    store = test.store
  }

  private func ada() throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: 1))
  }

  // MARK: - What stays and what goes on

  @Test func aFrozenObjectStaysAndTheLiveOneGoesOn() throws {
    let ada = try ada()
    let frozen = ada.freeze()

    try store.write { ada.name = "Ada King" }

    #expect(frozen.name == "Ada" && frozen.isFrozen && frozen.store?.isFrozen == true)
    #expect(ada.name == "Ada King" && !ada.isFrozen)
  }

  @Test func aFrozenObjectIsReadAfterItsOriginalWasDeletedAndTheStoreClosed() throws {
    let frozen = try ada().freeze()
    try store.write { try store.deleteAll() }
    store.close()

    #expect(frozen.name == "Ada" && !frozen.isInvalidated)
    #expect(frozen.dogs.map(\.name) == ["Rex", "Tan"])
    #expect(frozen.reports.map(\.name) == ["Bob"])
  }

  @Test func everyKindOfCollectionFreezes() throws {
    let ada = try ada()
    let dogs = ada.dogs.freeze()
    let tags = ada.tags.freeze()
    let scores = ada.scores.freeze()
    let reports = ada.reports.freeze()
    let people = try store.objects(Person.self).filter("age > 30").freeze()
    let whole = store.freeze()

    try store.write {
      ada.dogs.removeAll()
      ada.tags.removeAll()
      ada.scores.removeAll()
      ada.age = 1
      try store.delete(store.objects(Person.self).filter("id = 2"))
    }

    #expect(dogs.map(\.name) == ["Rex", "Tan"] && dogs.isFrozen && dogs[0].isFrozen)
    #expect(tags.contains("poet") && tags.isFrozen)
    #expect(scores["chess"] == 1 && scores.isFrozen)
    #expect(reports.map(\.name) == ["Bob"] && reports.isFrozen)
    #expect(people.map(\.name) == ["Ada"] && people.isFrozen && people.count == 1)
    #expect(whole.objects(Person.self).count == 2 && whole.isFrozen)
    #expect(ada.dogs.isEmpty && ada.tags.isEmpty && ada.scores.isEmpty && ada.reports.isEmpty)
  }

  @Test func narrowedSortedAndLimitedResultsFreezeAsTheyAre() throws {
    let results = try store.objects(Person.self).filter("name CONTAINS[c] %@", "B")
      .sorted(by: "name", ascending: false).distinct(by: ["age"]).limit(3)
    let frozen = results.freeze()
    try store.write { try store.add(Person(id: 3, name: "Bea")) }

    #expect(frozen.map(\.name) == ["Bob"])
    #expect(try frozen.filter("boss.name = 'Ada'").count == 1)
    #expect(frozen.max(of: \.id) == 2)
  }

  @Test func anObjectOfAClosedStoreFreezesWithItsLastValues() throws {
    let ada = try ada()
    #expect(ada.age == 36)
    store.close()
    let frozen = ada.freeze()

    #expect(frozen.isInvalidated && frozen.age == 36 && frozen.name == "Ada")
  }

  @Test func queriesOfFrozenStoresCallTheSameFunctions() throws {
    // Each is a number in the SQL, which connections that are handed on have to know.
    let condition = "name ENDSWITH[c] 'A'"
    let before = try store.objects(Person.self).filter(condition)
    #expect(before.count == 1)
    let frozen = store.freeze()
    let words = try frozen.objects(Person.self).filter("name CONTAINS[c] 'B' AND \(condition)")
    #expect(words.isEmpty && before.count == 1)

    try store.write { try ada().name = "Barbara" }

    let later = store.freeze()
    #expect(try later.objects(Person.self).filter("name CONTAINS[c] 'B'").count == 2)
    #expect(words.isEmpty && before.count == 1)
  }

  // MARK: - Sameness

  @Test func frozenObjectsAreEqualWhenTheyAreTheSameObject() throws {
    let dog = try #require(store.objects(Dog.self).first)
    let (first, second) = (dog.freeze(), dog.freeze())

    #expect(first == second && first.hashValue == second.hashValue && first !== second)
    #expect(first != store.objects(Dog.self)[1].freeze())
    #expect(first.isSameObject(as: dog))
    #expect(first == dog && dog == first)
  }

  // MARK: - Thawing

  @Test func thawingGivesTheLiveObject() throws {
    let frozen = try ada().freeze()
    try store.write { try ada().age = 40 }

    let thawed = try #require(frozen.thaw())
    try store.write { thawed.age += 1 }

    #expect(thawed.store === store && !thawed.isFrozen)
    #expect(frozen.age == 36)
    #expect(try ada().age == 41)
    let other = try test.open()
    #expect(frozen.thaw(in: other)?.age == 41)
  }

  @Test func thawingWhatWasDeletedGivesNil() throws {
    let ada = try ada()
    let (frozen, dogs, reports) = (ada.freeze(), ada.dogs.freeze(), ada.reports.freeze())
    try store.write { try store.delete(ada) }

    #expect(frozen.thaw() == nil && dogs.thaw() == nil)
    #expect(reports.thaw()?.isEmpty == true)
  }

  @Test func collectionsThaw() throws {
    let ada = try ada()
    let dogs = try #require(ada.dogs.freeze().thaw())
    let people = try #require(store.objects(Person.self).freeze().thaw())
    try store.write { dogs.append(Dog(name: "New")) }

    #expect(dogs.count == 3 && !dogs.isFrozen && ada.tags.freeze().thaw()?.count == 1)
    #expect(people.count == 2 && ada.scores.freeze().thaw()?["chess"] == 1)
    #expect(try store.freeze().thaw() === store)
  }

  @Test func anotherThreadThawsInAStoreOfItsOwn() async throws {
    let frozen = try ada().freeze()

    let age = await Task.detached { () -> Int? in
      guard let person = frozen.thaw(), let store = person.store else { return nil }
      try? store.write { person.age += 1 }
      return person.age
    }.value

    #expect(age == 37)
    try store.refresh()
    #expect(try ada().age == 37)
  }

  // MARK: - Threads

  @Test func oneVersionIsReadByManyThreadsAtOnce() async throws {
    try store.write {
      for id in 10..<500 { try store.add(Person(id: id, name: "Person \(id)", age: id)) }
    }
    _ = store.freeze()
    let sum = try store.objects(Person.self).sum(of: \.age)

    let sums = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        let people = store.objects(Person.self).freeze()
        group.addTask {
          var sum = 0
          for person in people { sum += person.age + person.dogs.count - person.dogs.count }
          let found = try? people.filter("name BEGINSWITH[c] 'person 4'").count
          return found == 110 ? sum : -1
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }

    #expect(sums == Array(repeating: sum, count: 8))
  }

  /// In Swift 6 the compiler gives one to one task; where it does not look, several may have it.
  @Test func oneFrozenObjectIsReadByManyThreadsAtOnce() async throws {
    for _ in 0..<50 {
      nonisolated(unsafe) let ada = try ada().freeze()
      let names = await withTaskGroup(of: [String].self) { group in
        for _ in 0..<4 {
          group.addTask {
            [ada.name] + ada.dogs.map(\.name) + ada.tags + ada.scores.keys
              + ada.reports.map { $0.boss?.name ?? "" }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let expected = ["Ada", "Rex", "Tan", "poet", "chess", "Ada"]
      #expect(names == Array(repeating: expected, count: 4))
      try store.write { try store.add(Dog(name: "New")) }
    }
  }

  @Test func aFrozenObjectIsReadWhileTheLiveStoreWrites() async throws {
    let frozen = try ada().dogs.freeze()
    let reader = Task.detached {
      (0..<200).allSatisfy { _ in frozen.map(\.name) == ["Rex", "Tan"] }
    }
    for round in 0..<50 { try store.write { try ada().dogs[0].name = "Rex \(round)" } }

    #expect(await reader.value)
  }

  /// Another store has written since, so that the live store reads on the connection of the frozen one.
  @Test func anObservationBeginsWhileAnotherThreadReadsWhatWasFrozen() async throws {
    let people = store.objects(Person.self)
    #expect(people.count == 2)
    let other = try test.open()
    try other.write { try other.add(Person(id: 3, name: "Cyd")) }
    let frozen = people.freeze()
    let reader = Task.detached {
      (0..<300).allSatisfy { _ in frozen.map(\.name) == ["Ada", "Bob"] }
    }

    for _ in 0..<300 {
      var counts: [Int] = []
      let token = try people.sorted(by: \.name).observe { change in
        if case .initial(let people) = change { counts.append(people.count) }
      }
      #expect(counts == [2])
      token.invalidate()
    }

    #expect(await reader.value)
  }

  @Test func aReferenceTravels() async throws {
    let ada = try ada()
    let reference = try ObjectReference(to: ada)
    let path = test.folder.file("a.db")

    try await Task.detached {
      let store = try Store(path: path, schema: TestingSchema.self)
      let ada = try #require(store.resolve(reference) as Person?)
      try store.write { ada.name = "Ada King" }
    }.value

    try store.refresh()
    #expect(store.resolve(reference)?.name == "Ada King")
    try store.write { try store.delete(ada) }
    #expect(store.resolve(reference) == nil)
    #expect(throws: StoreError.notManaged(model: "Dog")) {
      _ = try ObjectReference(to: Dog(name: ""))
    }
  }

  @Test func aReferenceToACollectionEndsWithItsOwner() throws {
    let ada = try ada()
    let (dogs, reports) = (CollectionReference(ada.dogs), CollectionReference(ada.reports))
    let other = try test.open()
    #expect(other.resolve(dogs)?.count == 2 && other.resolve(reports)?.map(\.name) == ["Bob"])

    try store.write { try store.delete(ada) }
    try other.refresh()
    #expect(other.resolve(dogs) == nil && other.resolve(reports) == nil)
  }

  // MARK: - Writing

  @Test func aFrozenStoreCannotBeWrittenTo() throws {
    let frozen = store.freeze()

    #expect(throws: StoreError.frozen) { try frozen.write {} }
    #expect(frozen.isFrozen && frozen.freeze() === frozen)
    #expect(try frozen.refresh() == false)
  }

  @Test func changingAFrozenObjectStopsTheProgram() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let test = try TestStore()
      try test.store.write { try test.store.add(Dog(name: "Rex")) }
      test.store.objects(Dog.self)[0].freeze().name = "Fido"
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Dog.name of a frozen object was set: change thaw() instead."))
  }

  @Test func changingAFrozenListStopsTheProgram() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let test = try TestStore()
      try test.store.write { try test.store.add(Person(id: 1, name: "Ada")) }
      test.store.objects(Person.self)[0].dogs.freeze().append(Dog(name: "Rex"))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("of a frozen object was changed (insert): change thaw() instead."))
  }

  // MARK: - Memory

  @Test func storesInMemoryFreezeAsCopies() throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "freezing \(test.folder.path)"
    let store = try Store(configuration: configuration)
    try store.write { try store.add(Dog(name: "Rex")) }
    let dog = try #require(store.objects(Dog.self).first)

    let frozen = dog.freeze()
    #expect(frozen.store === dog.freeze().store)
    try store.write { dog.name = "Fido" }

    #expect(frozen.name == "Rex" && frozen.thaw()?.name == "Fido" && dog.freeze().name == "Fido")
  }
}
