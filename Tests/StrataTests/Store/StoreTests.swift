import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

@Suite struct StoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String = "a.db") throws -> Store {
    try Store(path: folder.file(name), schema: TestingSchema.self)
  }

  @Test func whatWasAddedIsThereAfterReopening() throws {
    do {
      let store = try open()
      try store.write { for person in Person.samples() { try store.add(person) } }
    }
    let store = try open()

    #expect(store.objects(Person.self).map(\.name) == ["Ada", "Grace", "Alan"])
    #expect(store.objects(Person.self).count == 3)
  }

  @Test func anotherToolReadsTheFile() throws {
    let store = try open()
    try store.write { try store.add(Person(id: 1, name: "Ada", age: 36, dogs: [Dog(name: "Rex")])) }
    let other = try Database(path: folder.file("a.db"), mode: .readOnly)

    #expect(try other.rows("SELECT name, age FROM Person") == [["Ada", 36]])
    #expect(
      try other.rows("SELECT name FROM Dog JOIN \"Person.dogs\" ON value = _row") == [["Rex"]])
    #expect(try other.pragma("journal_mode") == "wal")
    #expect(try other.pragma("page_size") == 4096)
    #expect(try other.pragma("user_version") == 3)
  }

  // MARK: Transactions

  @Test func aThrowingWriteLeavesNothing() throws {
    struct Refusal: Error {}
    let store = try open()
    let person = Person(id: 1, name: "Ada")
    #expect(throws: Refusal.self) {
      try store.write {
        try store.add(person)
        throw Refusal()
      }
    }

    #expect(store.objects(Person.self).isEmpty)
    #expect(!store.isInWriteTransaction)
    #expect(person.isInvalidated)
  }

  @Test func aCancelledChangeIsUndone() throws {
    let store = try open()
    let person = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")])
    try store.write { try store.add(person) }
    try store.beginWrite()
    person.name = "Grace"
    person.dogs.removeAll()
    #expect(person.name == "Grace")
    store.cancelWrite()

    #expect(person.name == "Ada")
    #expect(person.dogs.map(\.name) == ["Rex"])
  }

  @Test func transactionsAreNotNested() throws {
    let store = try open()
    try store.write {
      #expect(throws: StoreError.alreadyInWriteTransaction) { try store.beginWrite() }
    }
    #expect(throws: StoreError.notInWriteTransaction) { try store.commitWrite() }
    #expect(throws: StoreError.notInWriteTransaction) {
      try store.add(Person(id: 1, name: "Ada"))
    }
  }

  @Test func aStoreStandsOnOneVersionUntilItIsRefreshed() throws {
    let (reader, writer) = (try open(), try open())
    #expect(reader.objects(Person.self).count == 0)
    try writer.write { try writer.add(Person(id: 1, name: "Ada")) }

    #expect(reader.objects(Person.self).count == 0)
    #expect(try reader.refresh())
    #expect(reader.objects(Person.self).count == 1)
    #expect(try !reader.refresh())
  }

  @Test func aWriteBeginsOnTheNewestVersion() throws {
    let (first, second) = (try open(), try open())
    #expect(second.objects(Person.self).count == 0)
    try first.write { try first.add(Person(id: 1, name: "Ada")) }
    try second.write {
      #expect(second.objects(Person.self).count == 1)
      try second.add(Person(id: 2, name: "Grace"))
    }
    try first.refresh()

    #expect(first.objects(Person.self).map(\.name) == ["Ada", "Grace"])
  }

  @Test func aSecondWriterIsToldThatTheStoreIsBusy() throws {
    let first = try open()
    var configuration = Store.Configuration(path: folder.file("a.db"), schema: TestingSchema.self)
    configuration.busyTimeout = .zero
    let second = try Store(configuration: configuration)
    try first.beginWrite()

    #expect(throws: StoreError.busy(path: folder.file("a.db"))) { try second.beginWrite() }
    try first.commitWrite()
    try second.write {}
  }

  @Test func objectsOutliveTheVariableOfTheirStore() throws {
    func person() throws -> Person {
      let store = try open()
      try store.write { try store.add(Person(id: 1, name: "Ada")) }
      return try #require(store.objects(Person.self).first)
    }

    #expect(try person().name == "Ada")
  }

  @Test func aClosedStoreInvalidatesItsObjects() throws {
    let store = try open()
    let person = Person(id: 1, name: "Ada")
    try store.write { try store.add(person) }
    #expect(person.name == "Ada")
    store.close()

    #expect(person.isInvalidated)
    #expect(person.name == "Ada")
    #expect(throws: StoreError.closed) { try store.beginWrite() }
  }

  // MARK: Files

  @Test func identitiesAreNeverUsedAgain() throws {
    var rows: Set<Int64> = []
    for id in 1...3 {
      let store = try open()
      try store.write { try store.add(Person(id: id, name: "Ada")) }
      let database = try Database(path: folder.file("a.db"), mode: .readOnly)
      rows.insert(try #require(try database.firstValue("SELECT _row FROM Person")).integer)
      try store.write { try store.deleteAll(Person.self) }
    }

    #expect(rows.count == 3)
  }

  @Test func everyWriteIsInTheChangeLog() throws {
    let store = try open()
    let rex = Dog(name: "Rex")
    let people = Person.samples()
    try store.write {
      for person in people { try store.add(person) }
      people[0].dogs.append(rex)
    }
    try store.write { people[1].age = 7 }
    try store.write { try store.delete(rex) }
    let database = try Database(path: folder.file("a.db"), mode: .readOnly)
    let log = try database.rows(
      "SELECT \"transaction\", model, change, row, last, columns FROM _strata_changes ORDER BY entry"
    )

    #expect(
      log.map { row in
        row.map { $0.ifText ?? ($0.isNull ? "" : "\($0.integer)") }.joined(separator: " ")
      }
        == [
          "1 Dog insert 4 4 ", "1 Person insert 1 3 ", "2 Person update 2 2 age",
          "3 Dog delete 4 4 ", "3 Person update 1 1 dogs",
        ])
  }

  @Test func aMemoryStoreIsSharedByItsName() throws {
    let name = UUID().uuidString
    func open() throws -> Store {
      try Store(
        configuration: .init(inMemoryIdentifier: name, schema: TestingSchema.self))
    }
    let (first, second) = (try open(), try open())
    #expect(second.objects(Person.self).count == 0)
    try first.write { try first.add(Person(id: 1, name: "Ada")) }
    try second.refresh()

    #expect(second.objects(Person.self).map(\.name) == ["Ada"])
    try second.write { try second.deleteAll() }
    try first.refresh()
    #expect(first.objects(Person.self).isEmpty)
  }

  @Test func filesThatAreNoStoresAreNamed() throws {
    let path = folder.file("a.db")
    try Data("This is a text and certainly no database. ".utf8 + Data(count: 4096)).write(
      to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.notADatabase(path: path)) { try open() }

    #expect(throws: StoreError.fileAccess(path: folder.path, reason: "it is a directory")) {
      try Store(path: folder.path, schema: TestingSchema.self)
    }
    let other = folder.file("other.db")
    try Database(path: other).execute("CREATE TABLE t (a)")
    #expect(throws: StoreError.notAStore(path: other)) {
      try Store(path: other, schema: TestingSchema.self)
    }
    let missing = folder.file("missing.db")
    var configuration = Store.Configuration(path: missing, schema: TestingSchema.self)
    configuration.readOnly = true
    #expect(
      throws: StoreError.fileAccess(path: missing, reason: "No such file or directory")
    ) { try Store(configuration: configuration) }
    #expect(!FileManager.default.fileExists(atPath: missing))
  }

  @Test func aNewerFileIsRefused() throws {
    _ = try open()
    let database = try Database(path: folder.file("a.db"))
    try database.execute("UPDATE _strata SET value = 9 WHERE key = 'version'")

    #expect(
      throws: StoreError.fileIsNewer(path: folder.file("a.db"), version: 9, newest: 3)
    ) { try open() }
  }

  @Test func aReadOnlyStoreReads() throws {
    do {
      let store = try open()
      try store.write { try store.add(Person(id: 1, name: "Ada")) }
    }
    var configuration = Store.Configuration(path: folder.file("a.db"), schema: TestingSchema.self)
    configuration.readOnly = true
    let store = try Store(configuration: configuration)

    #expect(store.objects(Person.self).map(\.name) == ["Ada"])
    #expect(throws: StoreError.readOnly(path: folder.file("a.db"))) { try store.beginWrite() }
  }
}

/// Walking over results, whatever happens meanwhile.
@Suite struct IterationTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    try test.store.write {
      for id in 1...200 { try test.store.add(Person(id: id, name: "P\(id)", age: id)) }
    }
  }

  @Test func objectsThatAreKeptKeepTheirRows() {
    let people = Array(store.objects(Person.self))

    #expect(people.map(\.id) == Array(1...200))
    #expect(people.map(\.name) == (1...200).map { "P\($0)" })
  }

  @Test func objectsThatAreKeptLaterKeepTheirRows() {
    var kept: [Person] = []
    var sum = 0
    for person in store.objects(Person.self) {
      sum += person.age
      if person.age > 100 { kept.append(person) }
    }

    #expect(sum == 20_100)
    #expect(kept.map(\.name) == (101...200).map { "P\($0)" })
    #expect(kept.map(\.email) == kept.map { _ in nil })
  }

  @Test func aPropertyThatIsAskedForLateIsThere() {
    var names: [String] = []
    for person in store.objects(Person.self) {
      if person.age % 50 == 0 { names.append(person.name) }
      if person.age == 180 { names.append("\(person.score) \(person.mood)") }
    }

    #expect(names == ["P50", "P100", "P150", "0.0 calm", "P200"])
  }

  @Test func objectsAreChangedWhileTheyAreWalkedOver() throws {
    try store.write {
      for person in store.objects(Person.self) {
        person.age += 1
        #expect(person.age == person.id + 1)
      }
    }

    #expect(store.objects(Person.self).map(\.age) == Array(2...201))
  }

  @Test func objectsAreDeletedWhileTheyAreWalkedOver() throws {
    try store.write {
      for person in store.objects(Person.self) where person.age % 2 == 0 {
        try store.delete(person)
      }
    }

    #expect(store.objects(Person.self).map(\.age) == Array(stride(from: 1, to: 200, by: 2)))
  }

  @Test func transactionsBeginAndEndWhileObjectsAreWalkedOver() throws {
    var count = 0
    for person in store.objects(Person.self) {
      try store.write { person.name = "changed" }
      count += 1
    }

    #expect(count == 200)
    #expect(store.objects(Person.self).allSatisfy { $0.name == "changed" })
  }

  @Test func nestedWalksDoNotDisturbEachOther() {
    var pairs = 0
    for outer in store.objects(Person.self) where outer.age <= 20 {
      for inner in store.objects(Person.self) where inner.age == outer.age { pairs += 1 }
    }

    #expect(pairs == 20)
  }

  @Test func aWalkThatIsGivenUpLeavesItsObject() {
    var found: Person?
    for person in store.objects(Person.self) where person.age == 77 {
      found = person
      break
    }

    #expect(found?.name == "P77")
    #expect(found?.mood == .calm)
  }

  @Test func positionsGiveTheSameObjects() {
    let people = store.objects(Person.self)

    #expect(people[0].id == 1)
    #expect(people[199].id == 200)
    #expect(people.indices.map { people[$0].id } == Array(1...200))
    #expect(people.last?.id == 200)
    #expect(people.prefix(3).map(\.id) == [1, 2, 3])
  }
}
