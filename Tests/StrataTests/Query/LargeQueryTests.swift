import StrataTestModels
import Testing

@testable import Strata

/// What SQLite's limits would not let through works, or is refused by the call that asks for it.
@Suite struct LargeQueryTests {
  let test: TestStore
  var store: Store { test.store }
  var people: Results<Person> { store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    var boss: Person?
    try store.write {
      for id in 0..<80 {
        let person = Person(id: id, name: "p\(id)", age: id, score: Double(id) / 3)
        person.boss = boss
        person.friends.insert(person)
        try store.add(person)
        boss = person
      }
    }
  }

  private func path(_ count: Int, _ last: String) -> String {
    (Array(repeating: "boss", count: count) + [last]).joined(separator: ".")
  }

  @Test(arguments: [1, 3, 4, 5, 12, 13, 30, 49, 50, 51, 52, 60])
  func longPaths(count: Int) throws {
    let last = path(count, "name")
    #expect(try people.filter("\(last) = 'p0'").map(\.id) == [count])
    #expect(try people.filter("\(last) BEGINSWITH 'p0'").map(\.id) == [count])
    #expect(try people.filter("\(last) != nil").count == 80 - count)
    #expect(try people.filter("\(last) = nil").count == count)
    #expect(try people.filter("\(last) != 'p0'").count == 79)
    #expect(try people.filter("\(path(count, "age")) + 1 = 1").map(\.id) == [count])
    #expect(try people.filter("\(path(count, "friends")).age > 70").count == max(0, 9 - count))
    let sorted = try people.sorted(by: path(count, "age"), ascending: false)
    #expect(sorted.first?.id == 79)
    #expect(try people.max(ofProperty: path(count, "age")) == .int(79 - count))
    #expect(try people.distinct(by: [last]).count == 81 - count)
  }

  @Test("Any position of an order without an index, however far, and behind its end")
  func farPositions() throws {
    try store.write {
      for id in 80..<10_000 { try store.add(Person(id: id, name: "p", age: -id, score: 0)) }
    }
    let sorted = try people.sorted(by: "age")
    #expect(sorted[3].id == 9996)
    #expect(sorted[9_000].id == 999)
    #expect(sorted[9_999].id == 79)
    #expect(sorted.prefix(6_000).map(\.id) == Array((4_000..<10_000).reversed()))
    #expect(sorted.prefix(.max).count == 10_000)
    let limited = try people.sorted(by: "age").filter("id >= 1000")
    #expect(limited[8_999].id == 1_000)
    #expect(limited.prefix(20_000).count == 9_000)
  }

  @Test func manyConditions() throws {
    var narrowed = people
    for id in 0..<1200 where id % 80 != 7 { narrowed = try narrowed.filter("id != %@", id % 80) }
    #expect(narrowed.map(\.id) == [7])
    let any = (0..<450).map { "id = \($0 + 75)" }.joined(separator: " OR ")
    #expect(try people.filter(any).count == 5)
    var typed = people
    for id in 0..<1200 where id != 7 { typed = typed.where { $0.id != id } }
    #expect(typed.count == 1)
    #expect(try store.write { try store.delete(Person.self, where: any) } == 5)
  }

  @Test(arguments: [10, 30_000, 32_766, 40_000, 100_000])
  func longLists(count: Int) throws {
    let numbers = (count - 10..<2 * count).map { $0 + 70 - count }
    #expect(try people.filter("id IN %@", numbers).count == min(80, count + 70) - 60)
    let texts = (0..<count).map { "p\($0)" }
    #expect(try people.filter("name IN %@", texts).count == min(80, count))
    #expect(try people.filter("NOT name IN %@", texts).count == max(0, 80 - count))
    let fractions = (0..<count).map { Double($0) / 3 }
    #expect(try people.filter("score IN %@", fractions).count == min(80, count))
    #expect(try people.filter("boss.name IN %@", texts).count == min(79, count))
    #expect(people.where { $0.id.in(0..<count) }.count == min(80, count))
  }

  /// 500 is how many SELECTs SQLite takes in a compound one.
  @Test(arguments: [10, 200, 201, 500, 501, 1_000])
  func longListsAreCollections(count: Int) throws {
    let numbers = Array(70..<70 + count)
    let texts = numbers.map { "P\($0)" }
    let spelled = "{\(numbers.map(String.init).joined(separator: ", "))}"
    let last = 69 + count

    #expect(try people.filter("%@ CONTAINS id", numbers).count == 10)
    #expect(try people.filter("NOT %@ CONTAINS id", numbers).count == 70)
    #expect(try people.filter("%@ CONTAINS[c] name", texts).count == 10)
    #expect(try people.filter("%@ CONTAINS boss.name", texts.map { $0.lowercased() }).count == 9)
    #expect(try people.filter("ANY %@ == id", numbers).count == 10)
    #expect(try people.filter("NONE %@ == id", numbers).count == 70)
    #expect(try people.filter("ALL %@ >= id", numbers).count == 71)
    #expect(try people.filter("\(spelled).@max - \(count) == id").map(\.id) == [69])
    #expect(try people.filter("\(spelled)[-1] - \(count) == id").map(\.id) == [69])
    #expect(try people.filter("\(spelled).@sum == \((70 + last) * count / 2)").count == 80)
    let deleted = try store.write {
      try store.delete(Person.self, where: "NOT %@ CONTAINS id", numbers)
    }
    #expect(deleted == 70)
  }

  @Test func longListsMayReadTheObject() throws {
    let list = "{\(Array(repeating: "age, boss.age", count: 260).joined(separator: ", ")), 1000}"

    #expect(try people.filter("ANY \(list) == 5").map(\.id) == [5, 6])
    #expect(try people.filter("\(list) CONTAINS 5").map(\.id) == [5, 6])
    #expect(try people.filter("\(list).@count == 521").count == 80)
  }

  /// How many parameters a statement may have is a matter of how SQLite was built; 32,766 is its own default.
  @Test func noStatementHasMoreParametersThanEachSQLiteTakes() throws {
    let texts = (0..<40_000).map { "p\($0)" }
    let text = try people.filter("name IN %@", texts).query.rowSelection
    #expect(text.values.count == 40_000)
    #expect(text.bounded.values.count <= 32_766)
  }

  @Test func textsInLongLists() throws {
    let names = ["it's \"so\" ?", "a\u{0}b", "", "ü?", "'; DROP TABLE Dog; --"]
    try store.write { for name in names { try store.add(Dog(name: name)) } }
    let many = (0..<40_000).map { "x\($0)" } + names
    #expect(try store.objects(Dog.self).filter("name IN %@", many).map(\.name) == names)
    #expect(
      try store.write { try store.update(Dog.self, set: ["age": 3], where: "name IN %@", many) })
    #expect(store.objects(Dog.self).allSatisfy { $0.age == 3 })
  }

  @Test func questionsAboutQuestions() throws {
    var narrowed = people
    for count in 0..<60 { narrowed = try narrowed.limit(79 - count).filter("id >= 0") }
    #expect(narrowed.count == 20)
    #expect(narrowed.map(\.id) == Array(0..<20))
    #expect(narrowed[3].id == 3 && narrowed.last?.id == 19)
    #expect(try narrowed.sum(of: \.id) == 190)
    #expect(try narrowed.limit(2).sum(ofProperty: "id") == .int(1))
    for _ in 0..<40 { narrowed = narrowed.distinct(by: \.name).where { $0.id > 3 }.limit(100) }
    #expect(narrowed.count == 16)
  }

  @Test func hundredsOfLimits() throws {
    var narrowed = people
    for count in 0..<300 { narrowed = try narrowed.limit(1000 - count).filter("id >= 0") }
    #expect(narrowed.count == 80 && narrowed.map(\.id) == Array(0..<80))
    #expect(narrowed.indices.map { narrowed[$0].id } == Array(0..<80))
    narrowed = try narrowed.sorted(by: "id", ascending: false).limit(3).filter("id < 79")
    #expect(narrowed.map(\.id) == [78, 77] && narrowed.first?.id == 78)
    #expect(try narrowed.sum(of: \.id) == 155)
  }

  @Test func moreLimitsThanAreAnsweredAreASentence() throws {
    var narrowed = people
    for count in 0..<1000 { narrowed = narrowed.limit(5000 - count).where { $0.id >= 0 } }
    let error = #expect(throws: StoreError.self) { _ = try narrowed.limit(1).filter("id = 1") }
    #expect(error?.code == "STR5023")
    #expect(error?.description.contains("more than 1000 results") == true)
    try store.write {}
  }

  /// What is worked out one after the other is not nested.
  @Test(arguments: [2, 20, 99, 100, 101, 400])
  func longSums(count: Int) throws {
    func row(_ name: String, _ sign: String) -> String {
      Array(repeating: name, count: count).joined(separator: " \(sign) ")
    }
    #expect(try people.filter("\(row("age", "+")) = \(7 * count)").map(\.id) == [7])
    #expect(try people.filter("\(row("score", "*")) = 1").map(\.id) == [3])
    #expect(try people.filter("score - \(row("age", "+ age -")) = -2").map(\.id) == [3])
  }

  @Test func whatIsTooDeepIsRefusedWhereItIsAsked() throws {
    let deep =
      String(repeating: "if(age > 1, ", count: 25) + "1" + String(repeating: ", 2)", count: 25)
    let error = #expect(throws: StoreError.self) { _ = try people.filter("\(deep) = 1") }
    #expect(error?.code == "STR5023")
    #expect(error?.description.contains("nested too deeply") == true)
    let calls =
      String(repeating: "score * (", count: 40) + "score" + String(repeating: ")", count: 40)
    #expect(throws: StoreError.self) { _ = try people.filter("\(calls) = 1") }
    #expect(throws: StoreError.self) {
      try store.write { try store.delete(Person.self, where: "\(calls) = 1") }
    }
    #expect(people.count == 80)
    try store.write {}
  }

  @Test func whatCannotBeComputedIsSaidWhereItIsAsked() throws {
    try store.write { people[0].age = .max }
    let error = #expect(throws: StoreError.self) { _ = try people.filter("age + 1 > 0") }
    #expect(error?.code == "STR5023")
    #expect(throws: StoreError.self) { _ = try people.filter("100 / (id - 3) > 0") }
    #expect(try people.filter("id > 3").filter("100 / (id - 3) > 40").map(\.id) == [4, 5])
    let typed = #expect(throws: StoreError.self) {
      _ = try people.filter(where: { $0.age + 1 > 0 })
    }
    #expect(typed?.code == "STR5023")
    #expect(try people.filter(where: { $0.id + 1 > 79 }).map(\.id) == [79])
    try store.write {}
  }

  @Test(arguments: [1, 59, 60, 61, 70])
  func whatLiesBehindManyLimitsIsNotContained(count: Int) throws {
    var part = people
    for _ in 0..<count { part = part.limit(5).where { $0.age >= 0 } }

    #expect(part.map(\.id) == [0, 1, 2, 3, 4])
    #expect(part.contains(people[4]) && !part.contains(people[9]))
  }
}
