import Strata
import StrataTestModels
import Testing

/// What is asked has to be found through indexes.
@Suite struct QueryPlanTests {
  let test: TestStore
  var people: Results<Person> { test.store.objects(Person.self) }

  init() throws { test = try TestStore() }

  @Test(arguments: [
    ("age == 42", "Person.age.index"), ("age IN {1, 2}", "Person.age.index"),
    ("age BETWEEN {1, 2}", "Person.age.index"), ("42 == age", "Person.age.index"),
    ("id == 7", "Person.primaryKey"), ("email == 'x'", "Person.email.unique"),
    ("email BEGINSWITH 'x'", "Person.email.unique"), ("boss.id == 7", "Person.boss.link"),
    ("boss.boss.id == 7", "Person.boss.link"), ("ANY dogs.name == 'x'", "INTEGER PRIMARY KEY"),
    ("age == 1 OR email == 'x'", "MULTI-INDEX OR"), ("reports.id == 7", "Person.primaryKey"),
  ])
  func anIndexIsUsed(condition: String, index: String) throws {
    let plan = try people.filter(condition).explanation()

    #expect(plan.contains { $0.contains(index) }, "\(plan)")
    #expect(!plan.contains { $0 == "SCAN t" }, "\(plan)")
  }

  @Test(arguments: ["age >= 40 AND age < 50", "age BETWEEN {1, 2}", "id > 7 AND id < 9"])
  func aRangeIsSearched(condition: String) throws {
    let plan = try people.filter(condition).explanation()

    #expect(plan.contains { $0.hasPrefix("SEARCH t") }, "\(plan)")
  }

  /// Nothing is gathered before the first object comes, however many there are.
  @Test func theFirstObjectsComeAtOnce() throws {
    let results = [
      people, try people.filter("score > 1"), try people.sorted(by: "age").limit(10),
      try people.sorted(by: "age", ascending: false).filter("score > 1"),
      try people.filter("age == 42").limit(10),
    ]
    for result in results {
      let plan = try result.explanation()
      #expect(!plan.contains { $0 == "USE TEMP B-TREE FOR ORDER BY" }, "\(plan)")
    }
  }

  @Test func sortingByAnIndexNeedsNoSorting() throws {
    #expect(try !people.sorted(by: "age").explanation().contains { $0.contains("TEMP B-TREE") })
    #expect(
      try !people.sorted(by: "age", ascending: false).explanation().contains {
        $0 == "USE TEMP B-TREE FOR ORDER BY"
      })
  }
}
