import Strata
import StrataSQLite
import StrataTestModels
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Which version a frozen store is of, and where the store stands that froze it.
@Suite struct FrozenVersionsTests {
  let test: TestStore
  let store: Store

  init() throws {
    test = try .withAdaAndBob()
    store = test.store
  }

  private func ada() throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: 1))
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

    /// A write finds what others did, and no file can be opened then to move to it.
    @Test func observersAreToldThoughAWriteCouldNotMoveToWhatOthersDid() async {
      await #expect(processExitsWith: .success) {
        let test = try TestStore.withAdaAndBob()
        let store = test.store
        let log = ChangeLogbook()
        let token = try store.objects(Person.self).observe(log.note)
        let other = try test.open()
        try other.write { try other.add(Person(id: 3, name: "Cyd")) }
        let frozen = store.freeze()
        var limit = rlimit()
        limit.rlim_cur = 64
        limit.rlim_max = 64
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        var copies: [Int32] = []
        while true {
          let copy = dup(2)
          if copy < 0 { break }
          copies.append(copy)
        }
        #expect(throws: StoreError.self) { try store.write {} }
        for copy in copies { close(copy) }
        try store.refresh()

        #expect(log.take() == ["initial 2", "+2"])
        #expect(frozen.objects(Person.self).count == 2)
        token.invalidate()
      }
    }
  #endif

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
    #expect(error?.code == "STR5014" && text.contains("FrozenVersionsTests.swift"))
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
      error?.description.contains("a live store opened at StrataTests/FrozenVersionsTests.swift")
        == true)
    try reader.invalidate()
    try store.write {}
  }
}
