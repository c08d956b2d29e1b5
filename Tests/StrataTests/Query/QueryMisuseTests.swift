import Strata
import StrataTestModels
import Testing

/// A question that cannot be understood is answered with where it is wrong and what was expected.
@Suite struct QueryMisuseTests {
  let test: TestStore
  var people: Results<Person> { test.store.objects(Person.self) }

  init() throws { test = try TestStore() }

  private func expect(
    _ parts: String..., location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: StoreError.self, sourceLocation: location) { try body() }
    #expect(error?.code == "STR5023", sourceLocation: location)
    let sentence = error?.description ?? ""
    for part in parts { #expect(sentence.contains(part), sourceLocation: location) }
  }

  @Test(arguments: [
    ("", "expected"), ("age", "a condition is expected"), ("age =", "at byte 5"),
    ("age == 1 AND", "at byte 12"), ("(age == 1", "at byte 9"), ("age == 1)", "at byte 8"),
    ("agee == 1", "did you mean 'age'?"), ("boss.agee == 1", "did you mean 'age'?"),
    ("age == 'x'", "STR6105"), ("name > 1", "STR6105"), ("age BEGINSWITH 'x'", "at byte 0"),
    ("mood == 'elated'", "elated"), ("age == 99999999999999999999", "99999999999999999999"),
    ("name.length == 1", "name"), ("ANY age == 1", "age"), ("name LIKE", "at byte 9"),
    ("draft == 'x'", "is ignored"), ("name == 'x", "at byte"), ("age BETWEEN 1", "at byte"),
    ("foo(age) == 1", "foo"), ("age == %", "at byte"),
    ("SUBQUERY(dogs, d, d.age > 1).@count > 1", "at byte"), ("dogs.@max.name2 == 1", "name2"),
    ("NOT", "at byte 3"), ("age == 1 age == 2", "at byte 9"),
  ])
  func aWrongTextIsExplained(text: String, part: String) {
    expect("The query '\(text)' is wrong: ", part, "[STR6") { _ = try people.filter(text) }
  }

  @Test func argumentsHaveToFit() throws {
    expect("age == %@") { _ = try people.filter("age == %@") }
    expect("age == %@ AND name == %@") { _ = try people.filter("age == %@ AND name == %@", 1) }
    expect("age == $1") { _ = try people.filter("age == $1", 1) }
    expect("age == %@") { _ = try people.filter("age == %@", 1, 2) }
    expect("age == %@") { _ = try people.filter("age == %@", "x") }
    expect("age IN %@") { _ = try people.filter("age IN %@", ["x"]) }
    expect("name == %@") { _ = try people.filter("name == %@", 1) }
    expect("boss == %@") { _ = try people.filter("boss == %@", Dog(name: "Rex")) }
    expect("%K == 1") { _ = try people.filter("%K == 1", "agee") }
    expect("age == %@") { _ = try people.filter("age == %@", UInt64.max) }
    struct Nothing {}
    expect("age == %@") { _ = try people.filter("age == %@", Nothing()) }
  }

  @Test func keyPathsHaveToExist() throws {
    expect("agee") { _ = try people.sorted(by: "agee") }
    expect("'boss' has no order") { _ = try people.sorted(by: "boss") }
    expect("'boss' has no order") { _ = try people.max(ofProperty: "boss") }
    expect("'dogs.name' has many values") { _ = try people.sorted(by: "dogs.name") }
    expect("agee") { _ = try people.distinct(by: ["agee"]) }
    expect("agee") { _ = try people.min(ofProperty: "agee") }
    expect("'name' is no number") { _ = try people.sum(ofProperty: "name") }
    expect("'name' is no number") { _ = try people.average(ofProperty: "name") }
    expect("'mood' is no number") { _ = try people.average(ofProperty: "mood") }
    expect("'rank' is no number") { _ = try people.sum(ofProperty: "rank") }
    expect("agee") { _ = try people.index(matching: "agee == 1") }
  }
}
