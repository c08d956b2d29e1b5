import Foundation
import StrataExpression
import StrataSchema
import StrataTestModels
import Testing

@testable import Strata

/// Random rules and random transactions: a commit throws exactly where the language's own evaluation finds an object that breaks
/// a rule, and leaves nothing then.
///
/// `STRATA_LONG_TESTS=1` makes twenty times as many.
@Suite struct RandomRuleTests {
  static let isLong = ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil

  @Test(arguments: 0..<(isLong ? 480 : 24)) func commitsAreRefusedWhereARuleIsBroken(seed: Int)
    throws
  {
    let test = try TestStore()
    let store = test.store
    var program = RuleProgram(seed: UInt64(seed))
    try program.begin(store)
    let rules = program.rules()
    try store.keepRules(rules)
    let schema = TestingSchema.definition.schema
    let conditions = try resolved(rules, in: schema)
    var (committed, refused) = (0, 0)
    for _ in 0..<30 {
      let before = try MemoryObjects(database: store.database, schema: schema)
      try store.beginWrite()
      for _ in 0..<Int.random(in: 1...4, using: &program.random) { try program.change(store) }
      let inside = try MemoryObjects(database: store.database, schema: schema)
      let expected = broken(conditions, in: inside)
      do {
        try commit(store)
        #expect(expected.isEmpty, "seed \(seed): \(expected.sorted()) of \(rules)")
        committed += 1
      } catch StoreError.ruleBroken(let rule) {
        #expect(
          expected.contains("\(rule.model).\(rule.rule) \(rule.identity)"),
          "seed \(seed): \(rule), not \(expected.sorted())")
        let after = try MemoryObjects(database: store.database, schema: schema)
        #expect(after == before, "seed \(seed)")
        refused += 1
      }
      #expect(!store.isInWriteTransaction)
    }
    #expect(committed + refused == 30)
  }

  /// The rules bite and let through: a program that meets one of the two alone would prove nothing.
  @Test func bothHappen() throws {
    var (committed, refused) = (0, 0)
    for seed in 0..<16 {
      let test = try TestStore()
      var program = RuleProgram(seed: UInt64(seed))
      try program.begin(test.store)
      try test.store.keepRules(program.rules())
      for _ in 0..<20 {
        do {
          try test.store.write { try program.change(test.store) }
          committed += 1
        } catch StoreError.ruleBroken {
          refused += 1
        }
      }
    }
    #expect(committed > 20)
    #expect(refused > 10)
  }

  /// With an untyped error, whose cases can be caught one by one.
  private func commit(_ store: Store) throws { try store.commitWrite() }

  private typealias Condition = (model: String, rule: String, condition: ResolvedExpression)

  private func resolved(
    _ rules: RuleProgram.Rules, in schema: Schema
  ) throws -> [Condition] {
    try rules.flatMap { model, rules in
      try rules.map { name, rule in
        (
          model, name,
          try ResolvedExpression(
            condition: try Expression.parse(rule.that, for: .query), in: schema,
            of: try #require(schema.model(named: model)), for: .query)
        )
      }
    }
  }

  /// `Person.a 7` for each object and rule; what has no value does not hold.
  private func broken(_ conditions: [Condition], in memory: MemoryObjects) -> Set<String> {
    var found: Set<String> = []
    for (model, rule, condition) in conditions {
      for row in memory.rows(of: model) {
        let context = MemoryContext(objects: memory, model: model, row: row)
        if (try? condition.holds(in: context)) != true { found.insert("\(model).\(rule) \(row)") }
      }
    }
    return found
  }
}

/// Makes rules of the testing schema, and changes of its objects.
struct RuleProgram {
  typealias Rules = [String: [String: (that: String, says: String?)]]

  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }

  /// Objects that keep all the conditions below.
  mutating func begin(_ store: Store) throws {
    try store.write {
      for id in 0..<5 {
        let person = Person(id: id, name: "Ada", age: 30)
        if id < 3 { person.dogs.append(Dog(name: "Rex", age: 3)) }
        try store.add(person)
      }
    }
  }

  private static let ofPeople = [
    "age < 60", "age > 10", "name == 'Ada' OR name == 'Zoë'", "ALL dogs.age > 0",
    "dogs.@count <= 1",
    "boss == nil OR boss.age < 50", "reports.@count <= 1", "friends.@count <= 1",
    "age < 90", "age >= 0", "name != ''", "name != 'Ä' OR age > 5", "dogs.@count <= 2",
    "ALL dogs.age < 9", "NONE dogs.name == 'x'", "boss == nil OR boss.age >= age - 40",
    "boss.boss == nil OR boss.boss.name != 'x'", "reports.@count <= 2", "NONE reports.age > 80",
    "friends.@count <= 2", "ALL friends.age < 85", "admirers.@count < 3", "tags.@count <= 2",
    "notes.@count <= 2", "scores['a'] == nil OR scores['a'] < 8", "home == nil OR home.city != 'x'",
    "home == nil OR home.country == nil OR home.country.name != 'x'", "100 / (age - 50) < 90",
    "SUBQUERY(dogs, $d, $d.age > 6).@count <= 1", "dogs.@sum.age < 14",
    "boss != SELF", "pets.@count < 2", "pets['a'].age == nil OR pets['a'].age < 8",
    "dogs[0].name == nil OR dogs[0].name != 'x'", "ALL offices.city != 'x'", "Dog.@count < 7",
    "age <= max(Person.age)", "SUBQUERY(reports, $r, $r.dogs.@count > 1).@count == 0",
    "ANY dogs.age > 0 OR dogs.@count == 0", "id < 40 OR boss != nil",
    "age BETWEEN {0, 95}", "NOT (age < 2 OR age > 95)", "50 >= age OR name != 'x'",
    "age != 30 OR name == 'Ada'",
    "boss == nil OR boss.age BETWEEN {5, 60}", "boss.boss == nil OR boss.boss.age < 70",
    "NOT (boss != nil AND boss.age > 60)", "boss != nil OR age < 60", "boss.age > 3 OR age < 80",
    "name CONTAINS 'a' OR age > 20", "name BEGINSWITH 'A' OR name ENDSWITH[c] 'X' OR age < 70",
    "boss == nil OR boss.name != 'x'", "boss == nil OR boss.name CONTAINS[d] 'A' OR age < 50",
  ]
  private static let ofDogs = [
    "age > 0 AND age < 6", "owners.@count <= 1", "NONE owners.age > 50",
    "age >= 0", "name != 'y'", "owners.@count <= 2", "NONE owners.age > 85",
    "SUBQUERY(owners, $o, $o.boss.age > 70).@count == 0",
  ]

  mutating func rules() -> Rules {
    var people: [String: (that: String, says: String?)] = [:]
    for name in ["a", "b", "c"] {
      let first = pick(Self.ofPeople)
      let condition =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: "\(first) OR \(pick(Self.ofPeople))"
        case 1: "(\(first)) AND (\(pick(Self.ofPeople)))"
        case 2: "NOT (NOT (\(first)))"
        default: first
        }
      people[name] = (condition, nil)
    }
    return ["Person": people, "Dog": ["d": (pick(Self.ofDogs), "Of dogs.")]]
  }

  /// One change of anything.
  mutating func change(_ store: Store) throws {
    let people = Array(store.objects(Person.self))
    let dogs = Array(store.objects(Dog.self))
    let age = Int.random(in: -5...100, using: &random)
    let small = Int.random(in: -1...10, using: &random)
    let text = pick(["", "x", "y", "Ada", "Ä", "Zoë"])
    guard let person = people.randomElement(using: &random), people.count > 2 else {
      return try store.add(Person(id: (people.map(\.id).max() ?? 0) + 1, name: "Ada", age: 30))
    }
    let other = pick(people)
    let dog = dogs.randomElement(using: &random)
    switch Int.random(in: 0..<26, using: &random) {
    case 0, 1:
      try store.add(
        Person(
          id: (people.map(\.id).max() ?? 0) + 1, name: text, age: age,
          boss: Bool.random(using: &random) ? other : nil))
    case 2: person.age = age
    case 3:
      for person in people where Bool.random(using: &random) {
        person.age = Int.random(in: -5...100, using: &random)
      }
    case 4: person.name = text
    case 5, 6: person.boss = other
    case 7: person.boss = nil
    case 8, 9: person.dogs.append(Dog(name: text, age: small))
    case 10: if let dog { person.dogs.append(dog) }
    case 11: if let dog { dog.age = small }
    case 12: if let dog { dog.name = text }
    case 13: if let dog { try store.delete(dog) }
    case 14: try store.delete(person)
    case 15: person.friends.insert(other)
    case 16: person.friends.removeAll()
    case 17: person.tags.insert(text)
    case 18: person.notes.append(text)
    case 19: person.scores["a"] = Double(small)
    case 20:
      person.home = Address(
        street: "s", city: text,
        country: try country(store, Bool.random(using: &random) ? "x" : "F"))
    case 21: person.home?.city = text
    case 22: person.pets["a"] = dog
    case 23: person.offices.append(Address(street: "s", city: text))
    case 24:
      _ = try store.update(
        Person.self, set: ["age": UpdateExpression("age + %@", small)], where: "age < %@", age)
    default:
      switch Int.random(in: 0..<5, using: &random) {
      case 0: try store.delete(store.objects(Dog.self).filter("age > %@", small))
      case 1: try store.deleteAll(Dog.self)
      case 2: for each in store.objects(Country.self) { each.name = text }
      case 3: person.dogs.removeAll()
      default: try store.update(Person.self, set: ["boss": other], where: "id < 4")
      }
    }
  }

  private func country(_ store: Store, _ code: String) throws -> Country {
    if let known = try store.object(ofType: Country.self, forPrimaryKey: code) { return known }
    let country = Country(code: code, name: code)
    try store.add(country)
    return country
  }
}
