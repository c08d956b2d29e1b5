import Foundation
import Strata
import StrataTestModels
import Testing

/// What stands for `%@`.
@Suite struct ArgumentTests {
  let test: TestStore
  var store: Store { test.store }
  var people: Results<Person> { store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    try test.store.write { [store = test.store] in
      for (id, name) in ["Ada", "Bob", "Cyd", "Dan"].enumerated() {
        try store.add(Person(id: id, name: name, age: 10 * id, dogs: [Dog(name: name + "'s")]))
      }
    }
  }

  private func ids(_ condition: String, _ arguments: Any?...) throws -> [Int] {
    try people.filter(condition, arguments: arguments).map(\.id)
  }

  @Test func everySequenceIsAList() throws {
    #expect(try ids("id IN %@", Set([1, 3])) == [1, 3])
    #expect(try ids("id IN %@", [0, 1, 2, 3][1...2]) == [1, 2])
    #expect(try ids("id IN %@", [1, 3].lazy.map { $0 - 1 }) == [0, 2])
    #expect(try ids("id IN %@", stride(from: 0, to: 4, by: 2)) == [0, 2])
    #expect(try ids("name IN %@", ["Ada": 1].keys) == [0])
    #expect(try ids("name IN %@", "Ada Bob".split(separator: " ")) == [0, 1])
    #expect(try ids("name IN %@", NSArray(array: ["Ada"])) == [0])
    #expect(try ids("name IN %@", NSSet(array: ["Ada", "Dan"])) == [0, 3])
    #expect(try ids("name IN %@", Set<String>()) == [])
    #expect(try ids("name IN %@", List(["Bob"])) == [1])
    #expect(try ids("ANY dogs IN %@", store.objects(Dog.self).where { $0.name == "Ada's" }) == [0])
    #expect(try ids("ANY dogs IN %@", people[1].dogs) == [1])
  }

  @Test(arguments: [
    (2... as any Sendable, "argument 1 is a PartialRangeFrom<Int>", "'age >= %@'"),
    (...2 as any Sendable, "argument 1 is a PartialRangeThrough<Int>", "'age <= %@'"),
    (..<2 as any Sendable, "argument 1 is a PartialRangeUpTo<Int>", "'age < %@'"),
  ])
  func rangesWithOneEndAreComparisons(range: any Sendable, name: String, comparison: String) {
    for condition in ["age IN %@", "age BETWEEN %@", "age >= %@"] {
      let error = #expect(throws: StoreError.self) { try ids(condition, range) }
      #expect(error?.description.contains(name) == true)
      #expect(error?.description.contains("write a comparison, such as \(comparison)") == true)
    }
  }

  @Test func rangesAreBounds() throws {
    #expect(try ids("id BETWEEN %@", 1...2) == [1, 2])
    #expect(try ids("id BETWEEN %@", 1..<3) == [1, 2])
    #expect(try ids("id BETWEEN %@", 1..<1) == [])
    #expect(try ids("id BETWEEN %@ AND -1 + 3", 1) == [1, 2])
    #expect(try ids("id BETWEEN %@ - 1 AND 2", 2) == [1, 2])
    #expect(try ids("id BETWEEN -1 AND %@", 1) == [0, 1])
    #expect(try ids("id BETWEEN %@ AND id < 2", 1...3) == [1])
    #expect(try ids("id BETWEEN %@ AND id < 2", [1, 3]) == [1])
    #expect(try ids("id IN %@", 1...3) == [1, 2, 3])
    #expect(try ids("NOT id IN $0", 1..<3) == [0, 3])
    #expect(try ids("score BETWEEN %@", 0.0...0.5) == [0, 1, 2, 3])
    #expect(try ids("name BETWEEN %@", "Ada"..."Bob") == [0, 1])
    #expect(try ids("id BETWEEN %@", Set([2, 1])) == [1, 2])
    #expect(try ids("id BETWEEN %@", Int8(1)...Int8(2)) == [1, 2])
  }

  /// As a list it would be its two bounds.
  @Test(arguments: ["id IN (%@)", "id IN {%@}", "%@ CONTAINS id", "ANY %@ == id", "id == %@"])
  func aRangeStandsAloneBehindItsWord(_ condition: String) {
    let error = #expect(throws: StoreError.self) { try ids(condition, 1...3) }
    #expect(error?.description.contains("argument 1 is a range, which stands alone") == true)
  }

  @Test func valuesOfEachSpellingAreTaken() throws {
    #expect(try ids("email == %@", NSNull()) == [0, 1, 2, 3])
    #expect(try ids("email == %@", .some(Optional<String>.none as Any)) == [0, 1, 2, 3])
    #expect(try ids("name == %@", .some(Optional("Ada") as Any)) == [0])
    #expect(try ids("name == %@", "Ada Lovelace".prefix(3)) == [0])
    #expect(try ids("name BEGINSWITH %@", Character("B")) == [1])
    #expect(try ids("name == %@", NSString(string: "Cyd")) == [2])
    #expect(try ids("id == %@", UInt16(2)) == [2])
    #expect(try ids("id == %@", NSNumber(value: 2)) == [2])
    #expect(try ids("score == %@", CGFloat(0)) == [0, 1, 2, 3])
    #expect(try ids("score < %@", Float16(0.5)) == [0, 1, 2, 3])
    #expect(try ids("mood == %@", Mood.calm) == [0, 1, 2, 3])
    #expect(try ids("name == %@", AnyValue("Ada")) == [0])
    enum Code: Int { case third = 3 }
    #expect(try ids("id == %@", Code.third) == [3])
  }

  /// Links of another model, and values, are no objects to compare with: no conversion makes them some.
  @Test func whatAnObjectIsComparedWithIsSaid() throws {
    let dogs = store.objects(Dog.self).map(\.age)
    for (text, arguments) in [("boss = 1", []), ("boss IN %@", [dogs + [1]]), ("'x' = boss", [])] {
      let error = #expect(throws: StoreError.self) {
        try people.filter(text, arguments: arguments)
      }
      #expect(error?.description.contains("compare an object with an object") == true, "\(text)")
    }
  }

  @Test func whatNoPropertyHoldsIsNamed() throws {
    let url = try #require(URL(string: "https://example.org"))
    struct Nothing {}
    func problem(_ arguments: Any?...) -> String {
      let error = #expect(throws: StoreError.self) {
        try people.filter("name == %@ OR name IN %@", arguments: arguments)
      }
      #expect(error?.code == "STR5023")
      return error?.description ?? ""
    }
    #expect(problem(url, ["x"]).contains("argument 1 is a URL (https://example.org)"))
    #expect(problem("x", ["x", url] as [Any]).contains("element 2 of argument 2 is a URL"))
    #expect(problem("x", ["x": 1]).contains("argument 2 is a dictionary"))
    #expect(problem(Nothing(), "x").contains("argument 1 is a Nothing"))
    #expect(problem(UInt64.max, "x").contains("does not fit into an int"))
    #expect(problem("x", 0.0..<1.0).contains("leaves its upper bound out"))
    #expect(throws: StoreError.self) {
      try store.write {
        try store.update(Person.self, set: ["age": UpdateExpression("age + %@", url)])
      }
    }
    #expect(throws: StoreError.self) { try people.index(matching: "name == %@", url) }
  }
}
