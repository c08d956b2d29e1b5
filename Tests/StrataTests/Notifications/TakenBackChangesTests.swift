import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// Changes of a call that fails are taken back, and the transaction goes on. No observer hears of them.
@Suite struct TakenBackChangesTests {
  let test: TestStore
  var store: Store { test.store }
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    try store.write {
      try store.add(Person(id: 1, name: "Ada", email: "a@b.c"))
      try store.add(Person(id: 2, name: "Grace"))
    }
  }

  private func person(_ id: Int) throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: id))
  }

  /// How many transactions the file counts.
  private func transactions() throws -> Int64? {
    let database = try Database(path: test.folder.file("a.db"), mode: .readOnly)
    defer { database.close() }
    return try database.firstValue("SELECT value FROM _strata WHERE key = 'transaction'")?.ifInteger
  }

  enum Failure: CaseIterable { case create, update, add, addWithMore, setByName }

  private func fail(_ failure: Failure) {
    #expect(throws: StoreError.self) {
      switch failure {
      case .create:
        try store.create(Person.self, value: ["id": 3, "name": "Alan", "email": "a@b.c"])
      case .update:
        try store.create(
          Person.self, value: ["id": 2, "age": 7, "email": "a@b.c"], update: .modified)
      case .add:
        try store.add(
          Person(id: 2, name: "Grace", age: 7, email: "a@b.c"), update: .all)
      case .addWithMore:
        let alan = Person(id: 3, name: "Alan")
        alan.friends.insert(Person(id: 4, name: "Emmy", email: "a@b.c"))
        try store.add(alan)
      case .setByName:
        try person(2).setValue(
          [Person(id: 3, name: "Alan"), Person(id: 4, name: "Emmy", email: "a@b.c")],
          forKey: "friends")
      }
    }
  }

  @Test(arguments: Failure.allCases)
  func aTransactionWithNothingElseStoresNothing(failure: Failure) throws {
    let tokens = [
      try person(2).observe(log.note), try store.objects(Person.self).observe(log.note),
    ]
    _ = log.take()
    let before = try transactions()
    try store.write { fail(failure) }
    #expect(log.take() == [])
    #expect(try transactions() == before)
    for token in tokens { token.invalidate() }
  }

  @Test(arguments: Failure.allCases)
  func whatElseTheTransactionChangedIsTold(failure: Failure) throws {
    let (ada, grace) = (try person(1), try person(2))
    let tokens = [try ada.observe(log.note), try grace.observe(log.note)]
    try store.write {
      ada.age = 36
      fail(failure)
      grace.age = 40
    }
    #expect(log.take() == ["age: 0 → 36", "age: 0 → 40"])
    for token in tokens { token.invalidate() }
  }

  /// The first person loses her boss, which a trigger tells, before the second one gets an email that the first has by then.
  @Test func anUpdateOfManyThatFailsIsNotTold() throws {
    try store.write {
      let boss = Person(id: 3, name: "Mary")
      for id in [1, 2] { try person(id).boss = boss }
      // From now on triggers tell of links to people that are gone.
      let other = Person(id: 4, name: "Emmy")
      try store.add(other)
      try store.delete(other)
    }
    let tokens = [try person(1).observe(log.note), try person(2).observe(log.note)]
    _ = log.take()
    let before = try transactions()
    try store.write {
      #expect(throws: StoreError.self) {
        try store.update(
          Person.self, set: [\.boss: nil, \.email: "x@y.z"], where: { $0.id < 3 })
      }
      let ada = try person(1)
      #expect(ada.boss?.name == "Mary")
      #expect(ada.email == "a@b.c")
    }
    #expect(log.take() == [])
    #expect(try transactions() == before)
    for token in tokens { token.invalidate() }
  }

  /// SQLite refuses to delete people; dogs go before them.
  @Test func aDeletionOfAllThatFailsDeletesNothing() throws {
    try store.write { try store.add(Dog(name: "Rex")) }
    try store.database.execute(
      "CREATE TEMP TRIGGER stop BEFORE DELETE ON main.Person BEGIN SELECT RAISE(ABORT, 'no'); END")
    let token = try store.objects(Dog.self).observe(log.note)
    _ = log.take()
    let before = try transactions()

    try store.write {
      #expect(throws: StoreError.self) { try store.deleteAll() }
    }

    #expect(store.objects(Dog.self).count == 1)
    #expect(store.objects(Person.self).count == 2)
    #expect(log.take() == [])
    #expect(try transactions() == before)
    token.invalidate()
  }
}
