import Foundation
import Strata
import StrataTestModels
import Testing

/// Updates and deletions of many objects at once.
@Suite struct BulkTests {
  let test: TestStore
  let store: Store

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      for (index, name) in ["Ada", "Bob", "Cyd", "Dan"].enumerated() {
        try store.add(Person(id: index, name: name, age: 10 * index))
      }
      let people = store.objects(Person.self)
      people[1].boss = people[0]
      people[2].boss = people[1]
      people[3].dogs.append(Dog(name: "Rex", age: 4))
    }
  }

  private var ages: [Int] { store.objects(Person.self).map(\.age) }

  @Test func valuesAreSetAndTheAnswerSaysWhatOneWantsToKnow() throws {
    let people = store.objects(Person.self)
    try store.write {
      let count: Int = try store.update(
        Person.self, set: ["age": 1, "email": nil], where: "age >= %@", 20, returning: .count)
      #expect(count == 2)
      let status: Bool = try store.update(
        Person.self, set: ["name": "x"], where: "age > 100", returning: .status)
      #expect(!status)
      #expect(try store.update(Person.self, set: ["score": 2.5, "mood": Mood.angry]))
      let rows = try store.update(
        Person.self, set: ["name": "Eve"], where: "name = 'Bob'", returning: .identifiers)
      #expect(rows.map { store.resolve($0)?.name } == ["Eve"])
      #expect(
        try store.update(Person.self, set: ["age": 2], returning: .count) { $0.name == "Eve" } == 1)
    }

    #expect(ages == [0, 2, 1, 1] && people.allSatisfy { $0.score == 2.5 && $0.mood == .angry })
  }

  @Test func expressionsSeeTheObjectsAsTheyWere() throws {
    try store.write {
      try store.update(
        Person.self,
        set: ["age": UpdateExpression("age + %@", 1), "name": UpdateExpression("upper(name)")],
        where: "id < 3")
      #expect(ages == [1, 11, 21, 30] && store.objects(Person.self)[0].name == "ADA")
      // Of the boss, who is updated by the same statement.
      try store.update(Person.self, set: ["age": UpdateExpression("boss.age ?? 0")])
      #expect(ages == [0, 1, 11, 0])
      try store.update(
        Person.self,
        set: ["age": UpdateExpression("SUBQUERY(dogs, $x, $x.age > 3).@count * 10 + dogs.@count")])
    }
    #expect(ages == [0, 0, 0, 11])
  }

  /// `max(Person.age)` is of all people as they were, also in the middle of the update.
  @Test func expressionsAskAboutAWholeModel() throws {
    try store.write {
      try store.update(
        Person.self, set: ["age": UpdateExpression("(max(Person.age) ?? 0) + age + count(Dog)")])
      #expect(ages == [31, 41, 51, 61])
      try store.update(
        Person.self,
        set: ["age": UpdateExpression("SUBQUERY(Person, $p, $p.age < SELF.age).@count")])
      #expect(ages == [0, 1, 2, 3])
      try store.update(
        Person.self, set: ["age": UpdateExpression("sum(Dog.age)")], where: "age = 0")
      try store.update(Person.self, set: ["score": UpdateExpression("average(Person.age) ?? 0")])
      #expect(ages == [4, 1, 2, 3] && store.objects(Person.self)[0].score == 2.5)
    }
  }

  @Test func conditionsAskAboutAWholeModel() throws {
    let people = store.objects(Person.self)
    let (log, oldest) = (ChangeLogbook(), try people.filter("age == max(Person.age)"))
    #expect(oldest.map(\.name) == ["Dan"])
    #expect(try people.filter("age > average(Person.age)").map(\.name) == ["Cyd", "Dan"])
    #expect(try people.filter("count(Dog) == 1 AND age < Dog.age.@max").map(\.name) == ["Ada"])
    #expect(try people.filter("ANY Dog.age > id + 2").map(\.name) == ["Ada", "Bob"])
    #expect(try people.filter("age IN Person.id").map(\.name) == ["Ada"])
    let plan = try oldest.explanation()
    #expect(
      plan.contains { $0.contains("Person.age.index") } && !plan.contains("SCAN t"), "\(plan)")
    let token = try oldest.observe(log.note)

    try store.write { people[1].age = 99 }
    // Ada, Bob's boss.
    try store.write { people[0].name = "Ida" }
    try store.write { try store.delete(people[1]) }

    #expect(log.take() == ["initial 1", "-0 +0", "*0", "-0 +0"] && oldest.map(\.name) == ["Dan"])
    token.invalidate()
  }

  @Test func linksAreSetToo() throws {
    let people = store.objects(Person.self)
    try store.write { try store.update(Person.self, set: ["boss": people[3]], where: "id != 3") }
    #expect(people[3].reports.map(\.id) == [0, 1, 2])
    try store.write { try store.update(Person.self, set: ["boss": nil]) }
    #expect(people[3].reports.isEmpty)
  }

  @Test func heldObjectsResultsAndObserversSeeIt() throws {
    let (log, object) = (ChangeLogbook(), ChangeLogbook())
    let bob = store.objects(Person.self)[1]
    let old = store.objects(Person.self).where { $0.age > 15 }
    #expect(bob.age == 10 && old.count == 2)
    let tokens = [try old.observe(log.note), try bob.observe(object.note)]

    try store.write { try store.update(Person.self, set: ["age": 50], where: "id < 2") }
    #expect(bob.age == 50 && old.count == 4)
    try store.write { try store.delete(Person.self, where: "id = 0") }
    let gone = try store.write { try store.delete(Person.self) { $0.id == 1 } }

    #expect(gone == 1)
    #expect(log.take() == ["initial 2", "+0,1 *0", "-0 *1,2", "-0 *1"])
    #expect(object.take() == ["age: 10 → 50", "boss: ? → nil", "deleted"])
    for token in tokens { token.invalidate() }
  }

  /// Through an index rows are reached in its order; which they were is told in theirs.
  @Test func rowsThatAreReachedInAnyOrderAreToldInTheirs() throws {
    try store.write {
      for id in 10..<60 { try store.add(Person(id: id, name: "x", age: 1000 - id * 7 % 50)) }
    }
    let log = ChangeLogbook()
    let token = try store.objects(Person.self).observe(log.note)
    try store.write {
      let count: Int = try store.update(
        Person.self, set: ["score": 1.5], where: "age > 900", returning: .count)
      #expect(count == 50)
    }

    #expect(log.take() == ["initial 54", "*" + (4..<54).map(String.init).joined(separator: ",")])
    #expect(try test.logged(transaction: 3) == ["Person update score"])
    token.invalidate()
  }

  @Test func aFailureChangesNothingAndNamesTheObject() throws {
    try store.write { store.objects(Person.self)[2].age = .max }
    try store.write {
      let overflow = #expect(throws: StoreError.self) {
        try store.update(Person.self, set: ["age": UpdateExpression("age + 1")])
      }
      #expect(overflow?.description.contains("of Person #") == true)
      #expect(throws: StoreError.self) { try store.update(Person.self, set: ["email": "same"]) }
    }

    #expect(ages == [0, 10, .max, 30] && store.objects(Person.self).allSatisfy { $0.email == nil })
  }

  @Test func wrongUpdatesAreErrors() throws {
    #expect(throws: StoreError.notInWriteTransaction) {
      try store.update(Person.self, set: ["age": 1])
    }
    try store.write {
      func code(_ values: [String: Any?], _ condition: String? = nil) -> String? {
        do {
          try store.update(Person.self, set: values, where: condition)
          return nil
        } catch { return error.code }
      }
      #expect(code(["nick": 1]) == "STR5022")
      #expect(code(["age": "old"]) == "STR5046")
      #expect(code(["age": nil]) == "STR5044" || code(["age": nil]) == "STR5046")
      #expect(code(["age": UpdateExpression("name")]) == "STR5023")
      #expect(code(["age": UpdateExpression("age +")]) == "STR5023")
      #expect(code(["age": 1], "age >") == "STR5023")
      #expect(code(["home": nil]) == "STR5023" && code(["dogs": [String]()]) == "STR5023")
      #expect(code(["boss": Person(id: 9, name: "")]) == "STR5049" && code([:]) == "STR5023")
    }
    #expect(ages == [0, 10, 20, 30])
  }

  @Test func anUpdateOfNothingSaysSo() throws {
    let error = #expect(throws: StoreError.self) {
      try store.write { _ = try store.update(Person.self, set: [String: Any?]()) }
    }
    #expect(error?.description.hasPrefix("An update of Person sets nothing: ") == true)
  }

  /// A key that several objects would get, or that another one has, is told by its value.
  @Test func aPrimaryKeyIsTakenOnce() throws {
    let before = store.objects(Person.self).map(\.id)
    func expectTaken(_ key: String, _ update: () throws -> Void) {
      let error = #expect(throws: StoreError.self) { try store.write { try update() } }
      #expect(error == .duplicatePrimaryKey(model: "Person", key: key))
    }

    expectTaken("77") { try store.objects(Person.self).setValue(77, forKey: "id") }
    expectTaken("77") { _ = try store.update(Person.self, set: ["age": 3, "id": 77]) }
    // The values of an expression are not known, and nothing is told in their place.
    let error = #expect(throws: StoreError.self) {
      try store.write {
        _ = try store.update(Person.self, set: ["id": UpdateExpression("id * 0 + 77")])
      }
    }
    #expect(error == .notUnique(model: "Person", properties: ["id"]))
    #expect(error?.description == "There is a Person with the same id already.")
    #expect(store.objects(Person.self).map(\.id) == before)
  }

  @Test func aKeyOfSeveralPropertiesIsToldWhereAllOfItIsGiven() throws {
    try store.write {
      for number in [1, 2] { try store.add(Entry(account: "a", number: number)) }
    }
    func error(_ values: [String: Any?]) -> StoreError? {
      #expect(throws: StoreError.self) {
        try store.write { _ = try store.update(Entry.self, set: values) }
      }
    }
    #expect(
      error(["account": "a", "number": 7]) == .duplicatePrimaryKey(model: "Entry", key: "a, 7"))
    let half = error(["number": 7])
    #expect(half == .notUnique(model: "Entry", properties: ["account", "number"]))
    #expect(half?.description == "There is a Entry with the same account, number already.")
  }

  @Test func deletingFollowsTheDeleteRules() throws {
    let bob = store.objects(Person.self)[1]
    try store.beginWrite()
    #expect(try store.delete(Person.self, where: "name IN %@", ["Ada", "Dan"]) == 2)
    #expect(try store.delete(Dog.self, where: "age > 100") == 0)
    try store.commitWrite()

    #expect(bob.boss == nil && store.objects(Dog.self).count == 1)
  }

  // MARK: - More digits than Foundation's type has

  /// A sum and a product are exact in the file; what is read is the nearest number that `Decimal` has room for.
  @Test func decimalsOfManyDigitsAreReadAsTheNearestNumber() throws {
    let numbers = ["99999999999999999999999999999999999999", "0.5", "0.00000000000000000001"]
    try store.write {
      for number in numbers {
        let scalars = Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: 0))
        scalars.decimal = Decimal(string: number)!
        try store.add(scalars)
      }
    }
    let scalars = store.objects(Scalars.self)
    let wanted = Decimal(string: "1e38")!

    #expect(try scalars.sum(of: \.decimal) == wanted)
    #expect(try scalars.sum(ofProperty: "decimal") == .decimal(wanted))

    try store.write {
      try store.update(
        Scalars.self,
        set: [
          "decimal": UpdateExpression("decimal * decimal('1.00000000000000000001')"),
          "any": UpdateExpression(
            "decimal + decimal('0.000000000000000000000000000000000000000001')"),
        ])
    }
    #expect(
      scalars.map(\.decimal) == [
        Decimal(string: "100000000000000000001000000000000000000")!,
        Decimal(string: "0.500000000000000000005")!,
        Decimal(string: "0.0000000000000000000100000000000000000001")!,
      ])
    #expect(scalars[1].any == .decimal(Decimal(string: "0.5")!))
  }

  /// A property of type `any` takes what an expression gives, with its type.
  @Test func anExpressionForAnyKeepsItsType() throws {
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    try store.write {
      let scalars = Scalars(data: Data([1]), date: date)
      scalars.double = .nan
      try store.add(scalars)
    }
    let scalars = store.objects(Scalars.self)[0]
    func set(_ text: String) throws -> AnyValue? {
      try store.write { try store.update(Scalars.self, set: ["any": UpdateExpression(text)]) }
      return scalars.any
    }

    #expect(try set("bool") == .bool(false))
    #expect(try set("date") == .date(date))
    #expect(try set("if(bool, 1, date)") == .date(date))
    #expect(try set("stringOrNone ?? data") == .data(Data([1])))
    #expect(try set("stringOrNone ?? uuid") == .uuid(scalars.uuid))
    #expect(try set("if(double > 0, 7, x'0001')") == .data(Data([0, 1])))
    #expect(try set("int = 0") == .bool(true))
  }
}
