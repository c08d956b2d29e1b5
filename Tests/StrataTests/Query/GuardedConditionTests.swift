import Foundation
import StrataTestModels
import Testing

@testable import Strata

/// AND and OR stop at the first part that decides, so that one part may keep another from a division by zero.
@Suite struct GuardedConditionTests {
  let test: TestStore
  let store: Store
  var people: Results<Person> { store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      try store.add(Person(id: 1, name: "Ada", age: 0))
      try store.add(Person(id: 2, name: "Bob", age: 4, dogs: [Dog(name: "Rex")]))
      try store.add(Person(id: 3, name: "Cyd", age: 10))
    }
  }

  @Test(arguments: [
    ("age == 0 OR 12 / age > 2", [1, 2]),
    ("age != 0 AND 12 / age > 2", [2]),
    // As values.
    ("(age == 0 OR 12 / age > 2) == true", [1, 2]),
    ("(age != 0 AND 12 / age > 2) == true", [2]),
    ("NOT ((age == 0 OR 12 / age > 2) == false)", [1, 2]),
    ("(12 IN {age + 12, 12 / age}) == true", [1]),
    // Beside other objects, at which SQLite looks last.
    ("dogs.@count > 0 AND 12 / age > 2", [2]),
    ("dogs.@count == 0 AND age == 0 OR 12 / age > 2", [1, 2]),
    ("SUBQUERY(Person, $p, $p.dogs.@count > 0 AND 12 / $p.age > 2).@count == 1", [1, 2, 3]),
    // More than two parts.
    ("age == 0 OR 12 / age > 2 OR 12 / (age - 4) > 1", [1, 2, 3]),
    ("age > 0 AND 12 / age > 0 AND name != 'Bob' AND 12 / (age - 4) > 1", [3]),
  ])
  func aPartGuardsThoseBehindIt(condition: String, ids: [Int]) throws {
    #expect(try people.filter(condition).map(\.id).sorted() == ids)
  }

  @Test(arguments: [
    "12 / age > 2 OR age == 0", "(12 / age > 2 AND age != 0) == true", "12 / age > 2 AND false",
  ])
  func whatStandsBeforeIsWorkedOut(condition: String) {
    #expect(throws: StoreError.self) { try people.filter(condition) }
  }

  @Test func updatesStopThere() throws {
    try store.write {
      for number in [0, 1, 5] {
        let scalars = Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: 0))
        scalars.int = number
        try store.add(scalars)
      }
      try store.update(
        Scalars.self, set: ["bool": UpdateExpression("int == 0 OR 10 / int > 5")])
    }

    #expect(try store.objects(Scalars.self).sorted(by: "int").map(\.bool) == [true, true, false])
  }

  @Test func rulesStopThere() throws {
    try store.keepRules(["Person": ["share": ("(age == 0 OR 12 / age >= 0) == true", nil)]])

    try store.write { try store.add(Person(id: 4, name: "Eve", age: 0)) }

    #expect(people.count == 4)
  }
}
