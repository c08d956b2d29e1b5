import Strata
import StrataTestModels
import Testing

/// A setter cannot throw. What it refuses keeps the whole transaction from being stored, whatever else is thrown and caught meanwhile.
@Suite struct RefusedSetterTests {
  let test: TestStore
  var store: Store { test.store }
  private let taken = StoreError.notUnique(model: "Person", properties: ["email"])

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

  enum Next: CaseIterable { case create, createUpdating, update, add, refresh, lookUp }

  @Test(arguments: Next.allCases)
  func theCommitThrowsItBehindACallThatSucceeds(next: Next) throws {
    let grace = try person(2)
    #expect(throws: taken) {
      try store.write {
        grace.email = "a@b.c"
        do {
          switch next {
          case .create: try store.create(Person.self, value: ["id": 3, "name": "Alan"])
          case .createUpdating:
            try store.create(Person.self, value: ["id": 2, "age": 7], update: .modified)
          case .update: try store.update(Person.self, set: ["age": 1], where: "id = 1")
          case .add: try store.add(Person(id: 3, name: "Alan"))
          case .refresh: try store.refresh()
          case .lookUp: _ = try store.object(ofType: Person.self, forPrimaryKey: 2)
          }
        } catch {
          Issue.record(error, "it is about another object")
        }
      }
    }
    #expect(store.objects(Person.self).map(\.id) == [1, 2])
    #expect(try person(2).age == 0)
    #expect(try person(2).email == nil)
    try store.write { grace.age = 3 }
    #expect(grace.age == 3)
  }

  @Test func theCommitThrowsItBehindAnErrorThatIsCaught() throws {
    let grace = try person(2)
    #expect(throws: taken) {
      try store.write {
        grace.email = "a@b.c"
        do {
          try store.create(Person.self, value: ["id": 3], update: .modified)
          Issue.record("a person without a name was made")
        } catch let error as StoreError {
          #expect(error == .missingRequired(model: "Person", property: "name"))
        }
      }
    }
    #expect(store.objects(Person.self).count == 2)
  }

  @Test func whatACreateRefusesIsTakenBackAndKeepsTheRest() throws {
    try store.write {
      #expect(throws: taken) {
        try store.create(
          Person.self, value: ["id": 2, "age": 7, "email": "a@b.c"], update: .modified)
      }
      try store.add(Person(id: 3, name: "Alan"))
    }
    #expect(store.objects(Person.self).map(\.id) == [1, 2, 3])
    #expect(try person(2).age == 0)
  }

  @Test func theNextTransactionKnowsNothingOfIt() throws {
    let grace = try person(2)
    try store.beginWrite()
    grace.email = "a@b.c"
    store.cancelWrite()
    try store.write { grace.age = 1 }
    #expect(grace.age == 1)
  }
}
