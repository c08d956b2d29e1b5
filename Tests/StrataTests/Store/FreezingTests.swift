import Strata
import StrataSQLite
import StrataTestModels
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct FreezingTests {
  let test: TestStore
  let store: Store

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      let ada = Person(id: 1, name: "Ada", age: 36)
      ada.dogs.append(Dog(name: "Rex"))
      ada.dogs.append(Dog(name: "Tan"))
      ada.tags.insert("poet")
      ada.scores["chess"] = 1
      try store.add(ada)
      try store.add(Person(id: 2, name: "Bob", boss: ada))
    }
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

  @Test func aStoreStaysOnItsVersionWhenItFreezesAndNobodyWrote() throws {
    let ada = try ada()
    let names = store.objects(Person.self).map { person -> String in
      _ = person.freeze()
      return person.name
    }

    #expect(names == ["Ada", "Bob"] && ada.name == "Ada")
  }

  /// - Parameter wasFrozen: whether the store has frozen an earlier version, so that it knows how to tell versions apart.
  @Test(arguments: [false, true])
  func aStoreStaysOnItsVersionWhenItFreezesAlthoughOthersWrote(wasFrozen: Bool) throws {
    if wasFrozen {
      _ = try ada().freeze()
      try store.write { try self.ada().age = 37 }
    }
    let (ada, age) = (try self.ada(), wasFrozen ? 37 : 36)
    #expect(ada.age == age)
    let other = try test.open()
    try other.write {
      try other.delete(other.objects(Person.self).filter("id = 2"))
      for id in 3...40 { try other.add(Person(id: id, name: "New")) }
      try other.update(Person.self, set: ["age": 99])
    }
    var names: [String] = []
    for person in store.objects(Person.self) {
      let frozen = person.freeze()
      #expect(frozen.name == person.name)
      names.append(person.name)
    }
    let frozen = ada.freeze()

    #expect(names == ["Ada", "Bob"] && frozen.age == age && ada.age == age)
    #expect(ada.reports.map(\.name) == ["Bob"] && frozen.reports.map(\.name) == ["Bob"])
    let again = store.freeze()
    #expect(store.objects(Person.self).count == 2 && again === frozen.store)
    #expect(try store.refresh())
    #expect(store.objects(Person.self).count == 39 && ada.age == 99 && ada.reports.isEmpty)
    #expect(frozen.age == age && frozen.reports.map(\.name) == ["Bob"])
    let later = ada.freeze()
    #expect(later.store !== frozen.store && later.age == 99)
  }

  /// Another store commits after this one asked whether there is a newer version, and before it stands on one.
  @Test func aVersionThatComesMeanwhileIsNotTakenForTheOneBefore() throws {
    let ada = try ada()
    _ = ada.freeze()
    try store.write { ada.age = 37 }
    let before = ada.freeze()
    let other = try test.open()
    let ages = Mutex([38])
    let database = store.database
    database.setStatementLog { text, _, _ in
      guard text.hasPrefix("BEGIN"), let age = ages.withLock({ $0.popLast() }) else { return }
      #expect(throws: Never.self) {
        try other.write { try other.update(Person.self, set: ["age": age]) }
      }
    }
    try store.refresh()
    database.setStatementLog(nil)

    #expect(ages.withLock { $0.isEmpty } && ada.age == 38)
    let after = ada.freeze()
    #expect(after.age == 38 && before.age == 37)
  }

  // How a limit is named differs from one C library to the next.
  #if canImport(Glibc)
    @Test func whoHasTooManyFilesOpenFreezesAllTheSame() async {
      await #expect(processExitsWith: .success) {
        let test = try TestStore()
        let ada = Person(id: 1, name: "Ada")
        try test.store.write { try test.store.add(ada) }
        var limit = rlimit()
        limit.rlim_cur = 64
        limit.rlim_max = 64
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        var frozen: [Person] = []
        var refusal: (any Error)?
        for age in 1...100 where refusal == nil {
          do {
            try test.store.write { ada.age = age }
          } catch {
            refusal = error
          }
          frozen.append(ada.freeze())
          #expect(frozen.last?.age == ada.age && frozen.last?.isInvalidated == false)
        }

        // The store stays where it is until it finds a file to open.
        #expect((refusal as? StoreError)?.code == "STR5001")
        #expect(frozen.map(\.age) == Array(1..<frozen.count) + [frozen.count - 1])
        frozen = []
        try test.store.write { ada.age = 200 }
        #expect(ada.age == 200 && ada.freeze().age == 200)
      }
    }
  #endif

  @Test func anObjectOfAClosedStoreFreezesWithItsLastValues() throws {
    let ada = try ada()
    #expect(ada.age == 36)
    store.close()
    let frozen = ada.freeze()

    #expect(frozen.isInvalidated && frozen.age == 36 && frozen.name == "Ada")
  }

  @Test func aWalkGoesOnWhereItWasWhenTheStoreFreezesAndMoves() throws {
    try store.write { for id in 3...100 { try store.add(Person(id: id, name: "\(id)")) } }
    let other = try test.open()
    var seen: [String] = []
    for person in store.objects(Person.self) {
      seen.append(person.name)
      // The walk has learnt by then that only names are read.
      if person.id == 50 {
        try other.write { try other.add(Person(id: 101, name: "New", age: 5)) }
        let frozen = person.freeze()
        #expect(frozen.name == "50")
      }
      if person.id == 60 { try store.refresh() }
      if person.id > 50 {
        let frozen = person.freeze()
        #expect(person.age == 0 && frozen.id == person.id)
      }
    }

    #expect(seen.count == 100 && seen.last == "100")
  }

  @Test func theFirstTwoOfAStoreShareTheirs() throws {
    let store = try test.open()
    let (one, two) = (store.freeze(), store.freeze())
    #expect(one === two)
  }

  /// What a table view shows is what it was told of.
  @Test func anObserverIsToldBeforeItsCollectionChanges() throws {
    let people = store.objects(Person.self)
    var counts: [Int] = []
    let token = try people.observe { _ in counts.append(people.count) }
    defer { token.invalidate() }
    let other = try test.open()
    for id in 3...6 {
      try other.write { try other.add(Person(id: id, name: "New")) }
      let shown = counts.last
      let frozen = try ada().freeze()
      #expect(frozen.name == "Ada" && people.count == shown)
      try store.refresh()
      #expect(people.count == id)
    }
    #expect(counts == [2, 3, 4, 5, 6])
  }

  @Test func aStoreThatFreezesAndClosesAtOnceLeavesTheFrozenOne() throws {
    let store = try test.open()
    let frozen = store.freeze()
    let people = store.objects(Person.self)
    #expect(people.count == 2)
    store.close()

    #expect(frozen.objects(Person.self).map(\.name) == ["Ada", "Bob"] && people.isEmpty)
  }

  /// The live store reads on the connection of the frozen one until it moves.
  @Test func bothAreReadAtOnceByDifferentThreads() async throws {
    try store.write { for id in 3...300 { try store.add(Person(id: id, name: "\(id)")) } }
    let people = try test.open().objects(Person.self).freeze()
    let reader = Task.detached {
      (0..<20).map { _ in people.reduce(0) { $0 + $1.id } + people.count }
    }
    try readAndFreeze()
    let sums = await reader.value

    #expect(sums == Array(repeating: 300 * 301 / 2 + 300, count: 20))
  }

  private func readAndFreeze() throws {
    let (live, other) = (try test.open(), try test.open())
    for round in 0..<20 {
      let frozen = live.objects(Person.self).freeze()
      try other.write { try other.add(Person(id: 1000 + round, name: "New")) }
      let ids = live.objects(Person.self).map(\.id)
      #expect(frozen.map(\.id) == ids && ids.count == live.objects(Person.self).count)
      #expect(try live.object(ofType: Person.self, forPrimaryKey: 7)?.name == "7")
      if round % 4 == 3 { try live.refresh() }
    }
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

  @Test func objectsOfOneVersionShareTheirStore() throws {
    _ = try ada().freeze()
    let all = store.objects(Person.self).map { $0.freeze() } + [try ada().freeze()]
    #expect(all.dropFirst().allSatisfy { $0.store === all[1].store })

    let other = try test.open()
    try other.write { try other.add(Dog(name: "New")) }
    try store.refresh()
    let later = store.freeze()

    #expect(later !== all[1].store && later.objects(Dog.self).count == 3)
    #expect(all[1].store?.objects(Dog.self).count == 2)
  }

  @Test func aFrozenStoreIsThereForTheNextObjectUntilTheStoreMovesOn() throws {
    let names = store.objects(Person.self).map { $0.freeze().name }
    weak let kept = try ada().freeze().store
    #expect(names == ["Ada", "Bob"] && kept != nil)

    try store.write { try ada().name = "Eva" }

    #expect(try kept == nil && ada().freeze().name == "Eva")
  }

  @Test func oneVersionHasOneFrozenStoreHoweverOftenTheStoreLooksForANewerOne() throws {
    let dog = try #require(store.objects(Dog.self).first)
    _ = dog.freeze()
    // From here on the store tells versions apart.
    try store.refresh()
    let frozen = try #require(dog.freeze().store)
    try store.refresh()
    #expect(dog.freeze().store === frozen)
    struct Cancelled: Error {}
    #expect(throws: Cancelled.self) {
      try store.write {
        dog.age += 1
        throw Cancelled()
      }
    }
    #expect(dog.age == frozen.objects(Dog.self).first?.age)
    #expect(dog.freeze().store === frozen)
    try store.write { dog.age += 1 }

    #expect(dog.freeze().store !== frozen)
    #expect(dog.freeze().age == dog.age)
  }

  /// A store that goes on keeps no old version, which the file's log would hold.
  @Test func aStoreThatGoesOnKeepsNoFrozenOne() throws {
    let dog = try #require(store.objects(Dog.self).first)
    _ = dog.freeze()
    weak var frozen = dog.freeze().store
    #expect(frozen != nil)
    try store.write { dog.age += 1 }
    #expect(frozen == nil)

    _ = dog.freeze()
    frozen = dog.freeze().store
    try store.invalidate()
    #expect(frozen == nil)

    _ = dog.freeze()
    frozen = dog.freeze().store
    let other = try test.open()
    try other.write { other.objects(Dog.self).first?.age += 1 }
    try store.refresh()
    #expect(frozen == nil)
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

  @Test func aFrozenObjectIsReadWhileTheLiveStoreWrites() async throws {
    let frozen = try ada().dogs.freeze()
    let reader = Task.detached {
      (0..<200).allSatisfy { _ in frozen.map(\.name) == ["Rex", "Tan"] }
    }
    for round in 0..<50 { try store.write { try ada().dogs[0].name = "Rex \(round)" } }

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

  // MARK: - Active versions

  @Test func tooManyVersionsAreRefusedAndTheErrorNamesWhoHolds() throws {
    var configuration = store.configuration
    configuration.maximumActiveVersions = 2
    let store = try Store(configuration: configuration)
    func write() throws { try store.write { try store.add(Dog(name: "New")) } }

    let first = store.freeze()
    try write()
    let second = store.freeze()
    try write()
    let error = #expect(throws: StoreError.self) { try write() }

    let text = try #require(error?.description)
    #expect(error?.code == "STR5014" && text.contains("FreezingTests.swift"))
    #expect(first.objects(Dog.self).count == 2 && second.objects(Dog.self).count == 3)
    // It is the readers' fault alone.
    #expect(!store.isInWriteTransaction && store.objects(Dog.self).count == 4)
  }

  @Test func aVersionIsFreeAgainWithItsLastReader() throws {
    var configuration = store.configuration
    configuration.maximumActiveVersions = 1
    let store = try Store(configuration: configuration)
    let reader = try Store(configuration: configuration)
    var frozen: Store? = store.freeze()
    try store.write { try store.add(Dog(name: "New")) }
    _ = frozen
    #expect(throws: StoreError.self) { try store.write {} }

    frozen = nil
    try store.write { try store.add(Dog(name: "New")) }

    _ = reader.objects(Dog.self).count
    try store.write { try store.add(Dog(name: "New")) }
    let error = #expect(throws: StoreError.self) { try store.write {} }
    #expect(
      error?.description.contains("a live store opened at StrataTests/FreezingTests.swift") == true)
    try reader.invalidate()
    try store.write {}
  }
}
