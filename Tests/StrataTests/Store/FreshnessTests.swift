import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// What is held is never stale: random writes of all kinds, and after each of them every object, result and collection that was
/// read before against what the file says.
///
/// `STRATA_LONG_TESTS=1` runs a hundred times as many.
@Suite struct FreshnessTests {
  static let seeds =
    0..<(ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] == nil ? 6 : 600)

  private typealias Question = @Sendable (Results<Person>) throws -> Results<Person>

  private static let questions: [(name: String, ask: Question)] = [
    ("all", { $0 }),
    ("age", { try $0.filter("age > 3") }),
    ("name", { try $0.filter("name == 'a'").sorted(by: "age") }),
    ("sorted", { try $0.sorted(by: "name", ascending: false) }),
    ("score", { try $0.filter("score >= 1").sorted(by: "score") }),
    ("boss", { try $0.filter("boss.age > 3") }),
    ("dogs", { try $0.filter("ANY dogs.age > 3") }),
    ("dogsCount", { try $0.filter("dogs.@count > 1") }),
    ("tags", { try $0.filter("ANY tags == 'b'") }),
    ("reports", { try $0.filter("reports.@count > 0") }),
    ("home", { try $0.filter("home.city == 'b'") }),
    ("limit", { try $0.sorted(by: "age").limit(3) }),
    ("limited", { try $0.sorted(by: "age").limit(5).filter("name != 'a'") }),
    ("distinct", { try $0.distinct(by: ["name"]) }),
    ("bossSorted", { try $0.sorted(by: "boss.age") }),
    ("thing", { try $0.filter("thing != nil") }),
  ]

  private final class World {
    let test: TestStore
    let store: Store
    let other: Store
    var random: SeededGenerator
    var results: [Results<Person>] = []
    var people: [Person] = []
    var dogs: [Dog] = []
    var nextID = 0

    init(seed: Int) throws {
      test = try TestStore()
      store = test.store
      other = try test.open()
      random = SeededGenerator(seed: UInt64(seed))
      results = try FreshnessTests.questions.map { try $0.ask(store.objects(Person.self)) }
    }

    func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    func word() -> String { "\("abcde".randomElement(using: &random)!)" }
    func person() -> Person? { people.filter { !$0.isInvalidated }.randomElement(using: &random) }
    func dog() -> Dog? { dogs.filter { !$0.isInvalidated }.randomElement(using: &random) }
    /// The same row by another object.
    func again(_ person: Person) throws -> Person {
      try store.object(ofType: Person.self, forPrimaryKey: person.id) ?? person
    }
  }

  @Test(arguments: seeds) func whatIsHeldIsNeverStale(seed: Int) throws {
    let world = try World(seed: seed)
    for round in 0..<20 {
      try world.store.beginWrite()
      for step in 0..<world.number(1..<10) {
        try change(world)
        if world.number(0..<3) > 0 {
          try check(world, "seed \(seed), round \(round), step \(step)")
        }
      }
      if world.number(0..<4) == 0 {
        world.store.cancelWrite()
      } else {
        try world.store.commitWrite()
      }
      if world.number(0..<2) == 0 { try check(world, "seed \(seed), after round \(round)") }
      switch world.number(0..<6) {
      case 0:
        try world.test.execute("UPDATE Person SET age = age + 1 WHERE _row % 2 = 0")
      case 1:
        try world.test.execute("DELETE FROM \"Person.tags\" WHERE value = 'b'")
      case 2:
        try world.other.write {
          for person in world.other.objects(Person.self).prefix(2) {
            person.name = world.word()
            person.dogs.append(Dog(name: "other"))
          }
        }
      case 3:
        try world.other.write {
          if let last = world.other.objects(Person.self).last { try world.other.delete(last) }
        }
      default: break
      }
      if world.number(0..<2) == 0 { try world.store.refresh() }
      try check(world, "seed \(seed), between rounds \(round)")
    }
  }

  // MARK: - Changes

  private func change(_ world: World) throws {
    let store = world.store
    guard let held = world.person(), let dog = world.dog() else {
      try add(world)
      return
    }
    let person = try world.number(0..<3) == 0 ? world.again(held) : held
    switch world.number(0..<22) {
    case 0, 1: try add(world)
    case 2: person.name = world.word()
    case 3, 4: person.age = world.number(0..<8)
    case 5: person.score = [0, 1, 2, .nan, -1][world.number(0..<5)]
    case 6: person.boss = world.number(0..<3) == 0 ? nil : world.person()
    case 7: person.dogs.append(dog)
    case 8: person.dogs.insert(dog, at: world.number(0..<person.dogs.count + 1))
    case 9:
      if !person.dogs.isEmpty { person.dogs.remove(at: world.number(0..<person.dogs.count)) }
    case 10:
      if person.dogs.count > 1 {
        person.dogs.move(from: person.dogs.count - 1, to: world.number(0..<person.dogs.count))
      }
    case 11: person.tags.insert(world.word())
    case 12: person.tags.remove(world.word())
    case 13:
      if let friend = world.person() { person.friends.insert(friend) }
    case 14: person.scores[world.word()] = Double(world.number(0..<9))
    case 15: person.home = world.number(0..<2) == 0 ? nil : Address(street: "s", city: world.word())
    case 16: dog.age = world.number(0..<8)
    case 17: try store.delete(dog)
    case 18: try store.delete(person)
    case 19:
      try store.update(
        Person.self, set: ["age": world.number(0..<8)], where: "name == %@", world.word())
    case 20:
      switch world.number(0..<3) {
      case 0: try store.delete(Dog.self, where: "age == %@", world.number(0..<8))
      case 1: person.thing = .object(dog)
      default: person.offices.append(Address(street: "o", city: world.word()))
      }
    default:
      if !person.offices.isEmpty { person.offices.remove(at: 0) }
    }
  }

  private func add(_ world: World) throws {
    world.nextID += 1
    let person = Person(id: world.nextID, name: world.word(), age: world.number(0..<8))
    if world.number(0..<2) == 0 { person.dogs.append(Dog(name: world.word())) }
    try world.store.add(person)
    world.people.append(person)
    let dog = Dog(name: world.word(), age: world.number(0..<8))
    try world.store.add(dog)
    world.dogs.append(dog)
  }

  // MARK: - Checks

  private func check(_ world: World, _ place: String) throws {
    let database = world.store.database
    func column(_ sql: String, _ row: Int64) throws -> [SQLiteValue] {
      try database.rows(sql, .integer(row)).map { $0[0] }
    }
    for (held, (name, question)) in zip(world.results, Self.questions) {
      let fresh = try question(world.store.objects(Person.self))
      let rows = fresh.map { Object.identity(of: $0) }
      // From any position, so that windows of all lengths come about.
      if let last = rows.indices.randomElement(using: &world.random) {
        #expect(Object.identity(of: held[last]) == rows[last], "\(name), \(place)")
      }
      if world.number(0..<2) == 0 { #expect(held.count == rows.count, "\(name), \(place)") }
      if world.number(0..<2) == 0 {
        #expect(held.indices.map { Object.identity(of: held[$0]) } == rows, "\(name), \(place)")
      }
      if let person = world.person() {
        let index = rows.firstIndex(of: Object.identity(of: person))
        #expect(held.index(of: person) == index, "\(name), \(place)")
        #expect(held.contains(person) == (index != nil), "\(name), \(place)")
      }
    }
    for person in world.people.shuffled(using: &world.random).prefix(6) {
      let row = Object.identity(of: person)
      let stored = try database.rows(
        "SELECT name, age, boss FROM Person WHERE _row = ?", .integer(row))
      try #require(person.isInvalidated == stored.isEmpty, "\(place)")
      guard let stored = stored.first else {
        #expect(person.dogs.isEmpty, "\(place)")
        continue
      }
      #expect(stored[0] == .text(person.name), "\(place)")
      #expect(stored[1] == .integer(Int64(person.age)), "\(place)")
      #expect(stored[2].ifInteger == person.boss.map { Object.identity(of: $0) }, "\(place)")
      #expect(
        try column("SELECT value FROM \"Person.dogs\" WHERE _owner = ? ORDER BY _index", row)
          == person.dogs.map { SQLiteValue.integer(Object.identity(of: $0)) }, "\(place)")
      #expect(
        try column("SELECT value FROM \"Person.tags\" WHERE _owner = ? ORDER BY value", row)
          == person.tags.map { SQLiteValue.text($0) }, "\(place)")
      #expect(
        try column("SELECT value FROM \"Person.friends\" WHERE _owner = ? ORDER BY value", row)
          == person.friends.map { SQLiteValue.integer(Object.identity(of: $0)) }, "\(place)")
      #expect(
        try column("SELECT _index FROM \"Person.scores\" WHERE _owner = ? ORDER BY _index", row)
          == person.scores.keys.map { SQLiteValue.text($0) }, "\(place)")
      #expect(
        try column("SELECT _row FROM Person WHERE boss = ? ORDER BY _row", row)
          == person.reports.map { SQLiteValue.integer(Object.identity(of: $0)) }, "\(place)")
      let home = try column(
        "SELECT a.city FROM Person p JOIN Address a ON a._row = p.home WHERE p._row = ?", row)
      #expect(home.first?.ifText == person.home?.city, "\(place)")
    }
    for dog in world.dogs.suffix(6) where !dog.isInvalidated {
      let row = Object.identity(of: dog)
      #expect(
        try column("SELECT age FROM Dog WHERE _row = ?", row) == [.integer(Int64(dog.age))],
        "\(place)")
    }
  }
}
