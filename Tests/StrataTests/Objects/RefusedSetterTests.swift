import Foundation
import Strata
import StrataSQLite
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

  @Test func aKeyOfSeveralPropertiesIsToldByTheirNames() throws {
    try store.write {
      for number in [1, 2] { try store.add(Entry(account: "a", number: number)) }
    }
    let first = try #require(store.objects(Entry.self).first)
    #expect(throws: StoreError.notUnique(model: "Entry", properties: ["account", "number"])) {
      try store.write { first.number = 2 }
    }
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

  @Test func whatASetOfACollectionByNameRefusesIsThrownByItAndTakenBack() throws {
    let grace = try person(2)
    let friend = Person(id: 5, name: "Emmy")
    try store.write {
      grace.friends.insert(try person(1))
      #expect(throws: taken) {
        try grace.setValue(
          [friend, Person(id: 3, name: "Alan", email: "a@b.c")], forKey: "friends")
      }
      #expect(friend.store == nil)
      try grace.setValue(4, forKey: "age")
    }
    #expect(grace.friends.map(\.id) == [1])
    #expect(grace.age == 4)
    #expect(store.objects(Person.self).map(\.id) == [1, 2])
  }

  @Test(arguments: ["friends", "age"]) func settingByNameAsksForATransaction(name: String) throws {
    let grace = try person(2)
    #expect(throws: StoreError.notInWriteTransaction) {
      try grace.setValue(name == "age" ? 1 : [Person](), forKey: name)
    }
  }

  /// Another program writes what is no number into all decimals of a table.
  private func damage(_ column: String, of table: String) throws {
    let database = try Database(path: test.folder.file("a.db"), mode: .readWrite)
    try database.execute("UPDATE \"\(table)\" SET \"\(column)\" = \"\(column)\" || 'x'")
    database.close()
    try store.refresh()
  }

  @Test(arguments: [false, true])
  func aReadThatFailedBeforeIsToldFirstAndTheRefusalWhereThatWasTold(isTold: Bool) throws {
    let (payment, grace) = (try test.added(Payment(amount: 1)), try person(2))
    try damage("amount", of: "Payment")
    var told: StoreError?
    let error = #expect(throws: StoreError.self) {
      try store.write {
        _ = payment.amount
        grace.email = "a@b.c"
        guard isTold else { return }
        do {
          try store.update(Dog.self, set: ["age": 1], where: "age = 7")
        } catch let error as StoreError {
          told = error
        }
        // What cannot be read behind the refusal comes after it.
        _ = payment.amount
      }
    }
    #expect((isTold ? told : error)?.description.contains("amount") == true)
    #expect((error == taken) == isTold)
  }

  @Test func aCreateSaysWhatItCouldNotRead() throws {
    let payment = try test.added(Payment(amount: 1))
    try damage("amount", of: "Payment")
    try store.write {
      let error = #expect(throws: StoreError.self) {
        try store.create(Payment.self, value: payment, update: .all)
      }
      #expect(error?.description.contains("cannot be read: in amount") == true)
    }
    #expect(store.objects(Payment.self).count == 1)
  }

  @Test func aChangeOfACollectionThatCannotBeReadIsNotStored() throws {
    let account = Account(rates: [1, 2])
    try test.store.write { try store.add([account]) }
    try damage("value", of: "Account.rates")
    let error = #expect(throws: StoreError.self) {
      try store.write {
        account.rates.remove(1)
        _ = try? store.update(Person.self, set: ["age": 1], where: "id = 2")
      }
    }
    #expect(error?.description.contains("rates") == true, "\(String(describing: error))")
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
