import StrataTestModels
import Testing

@testable import Strata

/// SQLite's parser holds a hundred open symbols. What needs more is refused by the call that asks it; what was taken is answered,
/// whatever it is asked about.
@Suite struct DeepQueryTests {
  let test: TestStore
  var store: Store { test.store }
  var people: Results<Person> { store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    let rex = Dog(name: "Rex")
    let ada = Person(id: 1, name: "Ada", dogs: [rex])
    let bob = Person(id: 2, name: "Bob", dogs: [rex])
    bob.friends.insert(ada)
    _ = try test.added(ada)
    _ = try test.added(bob)
  }

  /// So many times each may be nested at least.
  static let taken = [2, 9, 1, 4, 12, 12]
  /// Conditions that are nested so many times.
  static let conditions: [@Sendable (Int) -> String] = [
    { "ANY \(String(repeating: "dogs.owners.", count: $0))id == 1" },
    { "NONE \(String(repeating: "friends.", count: $0))age == 99" },
    { "ANY dogs[-1].\(String(repeating: "owners.dogs.", count: $0))age == 0" },
    {
      String(repeating: "lookup(Person, key: ", count: $0) + "id"
        + String(repeating: ").id", count: $0) + " == 1"
    },
    {
      String(repeating: "score * (", count: $0) + "id" + String(repeating: ")", count: $0) + " == 0"
    },
    {
      String(repeating: "if(id > 0, ", count: $0) + "1" + String(repeating: ", 2)", count: $0)
        + " == 1"
    },
  ]

  @Test(arguments: conditions.indices)
  func areRefusedWhereTheyAreAskedOrAnswered(condition: Int) throws {
    for count in 1...25 {
      let taken: Results<Person>
      do {
        taken = try people.filter(Self.conditions[condition](count))
      } catch {
        #expect(error.code == "STR5023")
        #expect(error.description.contains("nested too deeply for the database"))
        #expect(count > Self.taken[condition])
        continue
      }
      #expect(taken.count == taken.map(\.id).count)
      #expect(taken.sorted(by: \.name).limit(1).where { $0.id > 0 }.count == taken.limit(1).count)
      #expect(taken.limit(1).sectioned(by: \.name).count == taken.limit(1).count)
      _ = try (taken.sum(of: \.age), taken.limit(1).sum(of: \.age), taken.contains(people[0]))
      // The next call that throws would say what could not be answered.
      try store.refresh()
    }
  }

  @Test(arguments: conditions.indices)
  func areRefusedWithWhatIsAskedAroundThem(condition: Int) throws {
    for count in 1...25 {
      guard let taken = try? people.filter(Self.conditions[condition](count)),
        let different = try? taken.distinct(by: ["boss.name"]),
        let narrowed = try? different.filter("score >= 0").sorted(by: "boss.age").distinct(by: [
          "age"
        ])
      else {
        #expect(count > 1)
        continue
      }
      #expect(narrowed.count == narrowed.map(\.id).count)
      try store.refresh()
    }
  }

  @Test func whatIsNestedIsNamedAndNotWhatIsAskedAboutIt() throws {
    let deep = Self.conditions[4](14)
    let taken = try people.filter(deep)
    do {
      let different = try taken.distinct(by: ["score"]).filter("age >= 0").distinct(by: ["age"])
      #expect(different.count == 1)
    } catch {
      #expect(error.description.contains("The query '\(deep)' is wrong: with what is asked"))
    }
    try store.refresh()
  }

  /// It was no mistake to ask for it: what cannot be answered is said by the next call that throws.
  @Test(arguments: 1...25)
  func whatIsAskedOfTheNestedThrowsNothing(count: Int) throws {
    guard let taken = try? people.filter(Self.conditions[5](count)) else {
      #expect(count > Self.taken[5])
      return
    }
    let narrowed = taken.distinct(by: \.age).where { $0.id > 0 }.distinct(by: \.id)
    let found = narrowed.count
    do {
      try store.refresh()
      #expect(found == 1)
    } catch {
      #expect("\(error)".contains("nested too deeply for the database"))
    }
  }

  @Test(arguments: [1, 2, 31, 60])
  func negationsTakeNoRoom(count: Int) throws {
    let negated = try people.filter("\(String(repeating: "!", count: count))(boss.age > 3)")

    // A boss that is missing is not older.
    #expect(negated.count == (count % 2 == 1 ? 2 : 0))
    #expect(negated.distinct(by: \.age).count == (count % 2 == 1 ? 1 : 0))
  }

  @Test(arguments: [
    ("age > 3 AND boss.name == 'x'", false),
    ("ANY dogs.name == 'x' AND (age + 1 > 3 OR NOT score * 2 < 1)", false),
    ("SUBQUERY(dogs, $d, $d.age > 3 AND $d.name != 'x').@count > 1", false),
    (conditions[1](9), true),
  ])
  func whatIsShallowIsNotCompiledBeforeItIsUsed(condition: String, isDeep: Bool) throws {
    let asked = try people.filter(condition)
    let cut = try asked.distinct(by: ["boss.name"]).limit(3).filter("age > 1")
    let (first, second) = (asked.query.isDeep, cut.query.isDeep)

    #expect(first == isDeep)
    #expect(second == isDeep)
  }
}
