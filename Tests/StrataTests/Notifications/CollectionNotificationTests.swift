import Strata
import StrataTestModels
import Testing

@Suite struct CollectionNotificationTests {
  let test: TestStore
  let store: Store
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      for (index, name) in ["Ada", "Bob", "Cyd", "Dan"].enumerated() {
        try store.add(Person(id: index, name: name, age: 10 * index))
      }
    }
  }

  func person(_ id: Int) throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: id))
  }

  // MARK: - Results

  @Test func resultsTellWhatCameWentAndChanged() throws {
    let people = store.objects(Person.self)
    let token = try people.observe(log.note)
    #expect(log.take() == ["initial 4"])

    try store.write { try store.add(Person(id: 9, name: "Eve")) }
    #expect(log.take() == ["+4"])
    try store.write { try person(2).name = "Cid" }
    #expect(log.take() == ["*2"])
    try store.write { try store.delete(person(1)) }
    #expect(log.take() == ["-1"])
    try store.write {
      try store.delete(person(0))
      try person(9).age = 3
      try store.add(Person(id: 10, name: "Fay"))
    }
    // The modification is told by its old position.
    #expect(log.take() == ["-0 +3 *3"])
    token.invalidate()
  }

  @Test func aFilterTellsWhoFulfilsItNow() throws {
    let old = store.objects(Person.self).where { $0.age >= 20 }
    let token = try old.observe(log.note)
    try store.write {
      try person(0).age = 40
      try person(3).age = 1
    }

    #expect(log.take() == ["initial 2", "-1 +0"])
    #expect(old.map(\.name) == ["Ada", "Cyd"])
    token.invalidate()
  }

  @Test func sortedResultsTellMoves() throws {
    let sorted = store.objects(Person.self).sorted(by: \.age)
    let token = try sorted.observe(log.note)
    try store.write { try person(0).age = 25 }

    // Only one has moved, and it was changed.
    #expect(log.take() == ["initial 4", "*0 >0→2"])
    #expect(sorted.map(\.name) == ["Bob", "Cyd", "Ada", "Dan"])
    token.invalidate()
  }

  @Test func theCallbackGetsTheCallersCollectionOnTheVersionThatIsTold() throws {
    let people = store.objects(Person.self)
    var names: [[String]] = []
    let token = try people.observe { change in
      switch change {
      case .initial(let people), .update(let people, _, _, _, _): names.append(people.map(\.name))
      case .error: break
      }
    }
    try store.write { try store.delete(store.objects(Person.self)) }

    #expect(names == [["Ada", "Bob", "Cyd", "Dan"], []] && people.isEmpty)
    token.invalidate()
  }

  @Test func nothingIsToldWhenNothingOfInterestHappens() throws {
    let token = try store.objects(Person.self).where { $0.age > 100 }.observe(log.note)
    try store.write { try store.add(Dog(name: "Rex")) }
    try store.write { try person(1).age = 12 }
    try store.write {}
    try store.beginWrite()
    try person(1).age = 200
    store.cancelWrite()

    #expect(log.take() == ["initial 0"])
    token.invalidate()
  }

  @Test func whatLinksLeadToCountsAsModification() throws {
    let dog = Dog(name: "Rex")
    try store.write {
      try person(1).boss = person(0)
      try person(2).boss = person(1)
      try person(3).dogs.append(dog)
    }
    let token = try store.objects(Person.self).observe(log.note)
    _ = log.take()

    try store.write { dog.name = "Max" }
    #expect(log.take() == ["*3"])
    try store.write { try person(0).name = "Ida" }
    #expect(log.take() == ["*0,1,2"])
    try store.write { try person(0).home = Address(street: "Rue") }
    #expect(log.take() == ["*0,1,2"])
    try store.write { try person(0).home?.street = "Allee" }
    #expect(log.take() == ["*0,1,2"])
    token.invalidate()
  }

  // MARK: - Key paths

  @Test func keyPathsSayWhatCountsAsModification() throws {
    let dog = Dog(name: "Rex", age: 1)
    try store.write { try person(2).dogs.append(dog) }
    let people = store.objects(Person.self)
    let names = ChangeLogbook()
    let typed = ChangeLogbook()
    let tokens = [
      try people.observe(keyPaths: ["dogs.age", "name"], log.note),
      try people.observe(keyPaths: ["dogs"], names.note),
      try people.observe(keyPaths: [\Person.age], typed.note),
    ]
    for log in [log, names, typed] { _ = log.take() }

    try store.write { dog.age = 2 }
    try store.write { dog.name = "Max" }
    try store.write { try person(1).age = 1 }
    try store.write { try person(1).name = "Bea" }
    try store.write { try person(0).dogs.append(dog) }
    try store.write { try store.delete(person(3)) }

    #expect(log.take() == ["*2", "*1", "*0", "-3"])
    #expect(names.take() == ["*0", "-3"])
    #expect(typed.take() == ["*1", "-3"])
    for token in tokens { token.invalidate() }
  }

  @Test func wrongKeyPathsAreErrors() throws {
    let people = store.objects(Person.self)
    for path in ["nick", "name.first", "dogs.nick", "reports", ""] {
      let error = #expect(throws: StoreError.self) { try people.observe(keyPaths: [path]) { _ in } }
      #expect(error?.code == "STR5023", "\(path)")
    }
    #expect(throws: StoreError.self) {
      try person(0).tags.observe(keyPaths: ["length"]) { _ in }
    }
  }

  // MARK: - Lists, sets, maps, inverses

  @Test func listsTell() throws {
    let dogs = try person(0).dogs
    let token = try dogs.observe(log.note)
    try store.write { for name in ["a", "b", "c", "d"] { dogs.append(Dog(name: name)) } }
    try store.write { dogs.move(from: 0, to: 3) }
    try store.write { dogs.swapAt(0, 1) }
    try store.write { dogs[2].name = "z" }
    try store.write { dogs.remove(at: 1) }
    try store.write { try store.delete(dogs[0]) }
    try store.write { dogs.insert(Dog(name: "n"), at: 0) }
    try store.write { try person(0).name = "Ida" }

    #expect(
      log.take() == [
        "initial 0", "+0,1,2,3", ">0→3", ">0→1", "*2", "-1", "-0", "+0",
      ])
    #expect(dogs.map(\.name) == ["n", "z", "a"] || dogs.count == 3)
    token.invalidate()
  }

  @Test func listsOfValuesTellReplacements() throws {
    let notes = try person(0).notes
    try store.write { notes.append(contentsOf: ["a", "b", "b", nil]) }
    let token = try notes.observe(log.note)
    try store.write { notes[1] = "x" }
    try store.write { notes[1] = "x" }
    try store.write { notes.insert("b", at: 0) }
    try store.write { notes.remove(at: 1) }
    try store.write { notes.removeAll() }

    #expect(log.take() == ["initial 4", "*1", "+0", "-1", "-0,1,2,3"])
    token.invalidate()
  }

  @Test func setsAndMapsAndInversesTell() throws {
    let ada = try person(0)
    let (tags, scores, reports) = (ChangeLogbook(), ChangeLogbook(), ChangeLogbook())
    let tokens = [
      try ada.tags.observe(tags.note), try ada.scores.observe(scores.note),
      try ada.reports.observe(reports.note),
    ]
    try store.write {
      ada.tags.insert("b")
      ada.scores["chess"] = 1
      ada.scores["go"] = 2
      try person(1).boss = ada
    }
    try store.write {
      ada.tags.insert("a")
      ada.scores["chess"] = 3
      ada.scores["go"] = nil
      try person(1).name = "Bea"
    }
    try store.write {
      ada.tags.remove("b")
      try person(1).boss = nil
    }

    #expect(tags.take() == ["initial 0", "+0", "+0", "-1"])
    #expect(scores.take() == ["initial 0", "+chess,go", "-go *chess"])
    #expect(reports.take() == ["initial 0", "+0", "*0", "-0"])
    for token in tokens { token.invalidate() }
  }

  @Test func aListWhoseOwnerIsDeletedIsEmpty() throws {
    let ada = try person(0)
    try store.write { ada.notes.append("a") }
    let notes = ada.notes
    let token = try notes.observe(log.note)
    try store.write { try store.delete(ada) }

    #expect(log.take() == ["initial 1", "-0"] && notes.isInvalidated)
    token.invalidate()
  }

  // MARK: - What links lead to

  @Test(arguments: [(1, true), (2, true), (3, true), (4, true), (5, false)])
  func fourLinksAreFollowed(links: Int, isTold: Bool) throws {
    var chain = [Target(name: "0")]
    for index in 1...5 {
      let next = Target(name: "\(index)")
      chain[index - 1].next = next
      chain.append(next)
    }
    try store.write { try store.add(chain[0]) }
    let token = try store.objects(Target.self).where { $0.name == "0" }.observe(log.note)
    try store.write { chain[links].name = "set" }

    #expect(log.take() == ["initial 1"] + (isTold ? ["*0"] : []))
    token.invalidate()
  }

  @Test func linksInPropertiesOfTypeAnyAreFollowed() throws {
    let rex = Dog(name: "Rex")
    let (ada, bob) = (try person(0), try person(1))
    try store.write {
      try store.add(rex)
      ada.thing = AnyValue(rex)
      bob.boss = ada
    }
    let token = try store.objects(Person.self).observe(log.note)
    try store.write { rex.name = "Max" }
    #expect(log.take() == ["initial 4", "*0,1"])

    try store.write { ada.thing = 7 }
    #expect(log.take() == ["*0,1"])
    try store.write { rex.name = "Rex" }
    #expect(log.take() == [])
    token.invalidate()
  }

  // MARK: - Observers that write

  @Test func observersMayWriteAndTheirResultsStayRight() throws {
    let people = store.objects(Person.self)
    var counts: [Int] = []
    let first = try people.observe { [store] change in
      guard case .update(let people, _, _, _, _) = change, people.count > 3 else { return }
      try? store.write { try store.delete(people[people.count - 1]) }
    }
    // The second observer is told when the first one has written already.
    let second = try people.observe { change in
      guard case .update(let people, let deletions, let insertions, let modifications, _) = change
      else { return }
      for index in insertions + modifications { _ = people[index].name }
      counts.append(people.count)
      #expect(deletions.count + insertions.count > 0)
    }
    try store.write { for id in 20..<30 { try store.add(Person(id: id, name: "\(id)")) } }

    #expect(people.count == 3 && counts.last == 3)
    first.invalidate()
    second.invalidate()
  }

  // MARK: - Refusals

  @Test func observingIsRefusedWithASentence() throws {
    let people = store.objects(Person.self)
    func reason(_ body: () throws -> NotificationToken) -> String {
      do {
        _ = try body()
        return ""
      } catch { return "\(error)" }
    }
    let inWrite = try store.write { reason { try people.observe { _ in } } }
    var configuration = store.configuration
    configuration.readOnly = true
    let readOnly = try Store(configuration: configuration)

    #expect(
      inWrite
        == "A result cannot be observed: its store is in a write transaction: observe before or after it."
    )
    #expect(
      reason { try readOnly.objects(Person.self).observe { _ in } }
        == "A result cannot be observed: its store was opened read-only: open one that may write.")
    #expect(
      reason { try readOnly.observe { _, _ in } }
        == "A store cannot be observed: its store was opened read-only: open one that may write.")
    #expect(
      reason { try Person(id: 1, name: "").dogs.observe { _ in } }
        == "A list cannot be observed: it belongs to no store: add it first.")
    #expect(
      reason { try people.freeze().observe { _ in } }
        == "A result cannot be observed: it is frozen and never changes: observe thaw() of it.")
    #expect(
      reason { try Person(id: 1, name: "").observe { _ in } }
        == "A Person cannot be observed: it belongs to no store: add it first.")
  }

  // MARK: - Stores

  @Test func storesTellWhichModelsChanged() throws {
    var changes: [Set<String>] = []
    let token = try store.observe { change, told in
      if case .didChange(let models) = change { changes.append(models) }
      #expect(told.objects(Person.self).count >= 3)
    }
    try store.write { try store.add(Dog(name: "Rex")) }
    try store.write { try person(0).dogs.append(Dog(name: "Max")) }
    try store.write { try store.delete(person(1)) }
    try store.write {}

    #expect(changes == [["Dog"], ["Dog", "Person"], ["Person"]])
    token.invalidate()
  }

  @Test func storesTellThatAnotherProcessHasUpgradedTheFile() throws {
    var changes: [StoreChange] = []
    let tokens = [
      try store.observe { change, _ in changes.append(change) },
      try store.objects(Person.self).observe(log.note),
    ]
    try test.execute("UPDATE _strata SET value = 9 WHERE key = 'version'")
    try test.execute("CREATE TABLE later (a)")
    let newer = StoreError.fileIsNewer(path: test.folder.file("a.db"), version: 9, newest: 3)
    #expect(throws: newer) { try store.refresh() }
    #expect(throws: newer) { try store.refresh() }

    #expect(changes == [.error(newer)])
    #expect(log.take() == ["initial 4", "error STR5005"])
    for token in tokens { token.invalidate() }
  }
}
