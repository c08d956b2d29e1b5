import Strata
import StrataTestModels
import Testing

/// A question that the database cannot answer has no objects, and says why each time that it is asked, in the words of who has asked.
@Suite struct UncomputableTests {
  let test: TestStore
  var store: Store { test.store }
  var people: Results<Person> { store.objects(Person.self) }

  /// Twenty people of the ages 1…20.
  init() throws {
    test = try TestStore()
    try store.write {
      for age in 1...20 { try store.add(Person(id: age, name: "p\(age)", age: age)) }
    }
  }

  /// What the store's next call that can throws.
  private func complaint(_ location: SourceLocation = #_sourceLocation) -> String {
    let error = #expect(throws: StoreError.self, sourceLocation: location) {
      try store.refresh()
    }
    #expect(error?.code == "STR5023", "\(String(describing: error))", sourceLocation: location)
    return error?.description ?? ""
  }

  struct Question: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let complaint: String
    let ask: @Sendable (Results<Person>) throws -> Results<Person>
  }

  static let questions = [
    Question(
      testDescription: "a sum without room",
      complaint: "The query 'age + 9223372036854775800 > 3' is wrong: 8 + 9223372036854775800"
    ) { people in
      people.where { $0.age + 9_223_372_036_854_775_800 > 3 }
    },
    Question(
      testDescription: "a condition about such ones",
      complaint: "The query 'age + 9223372036854775800 > 3' is wrong: 8 + 9223372036854775800"
    ) { people in
      people.where { $0.age + 9_223_372_036_854_775_800 > 3 }.limit(15).where { $0.age > 2 }
    },
    Question(
      testDescription: "a sort",
      complaint: "The query '10 / (age - 9)' is wrong: 10 is divided by zero"
    ) { people in
      try people.sorted(by: "10 / (age - 9)")
    },
    Question(
      testDescription: "different ones",
      complaint: "A query of Person cannot be computed: 10 is divided by zero"
    ) { people in
      try people.distinct(by: ["10 / (age - 9)"])
    },
  ]

  struct Look: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let look: @Sendable (Results<Person>) -> Int
  }

  static let looks = [
    Look(testDescription: "first") { $0.first == nil ? 0 : 1 },
    Look(testDescription: "isEmpty") { $0.isEmpty ? 0 : 1 },
    Look(testDescription: "prefix") { $0.prefix(12).count },
    Look(testDescription: "map") { $0.map(\.id).count },
    Look(testDescription: "for") { people in
      var count = 0
      for _ in people { count += 1 }
      return count
    },
    Look(testDescription: "Array") { Array($0).count },
    Look(testDescription: "reversed") { people in
      people.reversed().filter { !$0.isInvalidated }.count
    },
    Look(testDescription: "a sorted walk") { $0.sorted(by: \.age).map(\.id).count },
    Look(testDescription: "sections") { people in
      people.sectioned(by: \.mood).map(\.count).reduce(0, +)
    },
  ]

  @Test(arguments: questions, looks)
  func eachLookFindsNothingAndSaysWhy(question: Question, look: Look) throws {
    let asked = try question.ask(people)

    for _ in 0..<2 {
      #expect(look.look(asked) == 0)
      #expect(complaint().contains(question.complaint))
    }
  }

  /// Counting sorts nothing.
  @Test func eachCountSaysWhy() throws {
    let asked = people.where { $0.age + 9_223_372_036_854_775_800 > 3 }

    for _ in 0..<2 {
      #expect(asked.count == 0)
      #expect(complaint().contains("8 + 9223372036854775800 does not fit"))
    }
  }

  @Test func wordsThatCannotBeReadAreSaid() throws {
    let letters = store.objects(Letter.self).where { $0.body.matches("c++") }

    for _ in 0..<2 {
      #expect(letters.map(\.subject).isEmpty)
      #expect(complaint().contains("the search 'c++' cannot be read"))
      #expect(letters.sectioned(by: \.pages).isEmpty)
      #expect(complaint().contains("the search 'c++' cannot be read"))
    }
    let error = #expect(throws: StoreError.self) { try letters.observe { _ in } }
    #expect(error?.description.contains("the search 'c++' cannot be read") == true)
  }

  @Test(arguments: questions) func anObserverIsToldAtOnce(question: Question) throws {
    let asked = try question.ask(people)

    let error = #expect(throws: StoreError.self) { try asked.observe { _ in } }

    #expect(error?.code == "STR5023")
    #expect(error?.description.contains(question.complaint) == true)
  }

  /// Also where one object at a time is followed.
  @Test func anAnswerComesBackWithItsValues() throws {
    let asked = people.where { $0.age + 9_223_372_036_854_775_700 > 3 }
    #expect(asked.count == 20 && asked.map(\.id).count == 20)
    func setAge(_ age: Int) throws {
      try store.write { try #require(people.first { $0.id == 5 }).age = age }
    }

    try setAge(200)

    for _ in 0..<2 {
      #expect(asked.count == 0)
      #expect(complaint().contains("200 + "))
      #expect(Array(asked).isEmpty)
      #expect(complaint().contains("200 + "))
    }
    try setAge(5)
    #expect(asked.count == 20 && asked.map(\.id).count == 20)
    try store.refresh()
  }

  @Test func theConditionIsNamedToAllWhoAsk() throws {
    let asked = try people.filter("age < 21").filter("100 / (age + 1) > 1")
    var told: [String] = []
    let token = try asked.observe { change in
      if case .error(let error) = change { told.append(error.description) }
    }

    try store.write { try #require(people.last).age = -1 }

    let sentence = "The query '100 / (age + 1) > 1' is wrong: 100 is divided by zero"
    #expect(asked.count == 0)
    #expect(complaint().contains(sentence))
    #expect(told.count == 1 && told[0].contains(sentence), "\(told)")
    let error = #expect(throws: StoreError.self) { try asked.observe { _ in } }
    #expect(error?.description.contains(sentence) == true, "\(String(describing: error))")
    token.invalidate()
  }

  /// Which of them it was is not known.
  @Test func oneOfSeveralConditionsIsNotNamed() throws {
    let asked = people.where { $0.age + 9_223_372_036_854_775_700 > 3 }
      .where { $0.age * 100_000_000_000_000_000 > 3 }
    #expect(asked.count == 20)

    try store.write { try #require(people.last).age = 100 }

    #expect(asked.count == 0)
    #expect(complaint().contains("A query of Person cannot be computed: 100 "))
  }

  // MARK: - Aggregates

  @Test func anAggregateIsNamed() throws {
    try store.write { try #require(people.last).age = .max }
    func expect(_ text: String, _ body: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try body() }
      #expect(
        error?.description.hasPrefix("\(text) cannot be computed: ") == true,
        "\(String(describing: error))")
    }

    expect("The sum of age of Person") { _ = try people.sum(of: \.age) }
    expect("The sum of age of Person") { _ = try people.sum(ofProperty: "age") }
    expect("The max of 10 / (age - 9) of Person") {
      _ = try people.max(ofProperty: "10 / (age - 9)")
    }
    expect("The average of 10 / (age - 9) of Person") {
      _ = try people.average(ofProperty: "10 / (age - 9)")
    }
  }
}
