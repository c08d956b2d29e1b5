import Strata
import StrataTestModels
import Testing

/// A condition of the compiler has the bounds that a text has, 1,000 calculations and 64 levels, and may have 4,000 tests.
@Suite struct TypedBoundsTests {
  let test: TestStore
  var people: Results<Person> { test.store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    _ = try test.added(Person(id: 1, name: "Ada", age: 7))
  }

  /// `age == -1 OR age == 0 OR …`, with so many ORs.
  private func row(_ count: Int, _ person: QueryTerm<Person>) -> QueryCondition {
    (0..<count).reduce(person.age == -1) { $0 || person.age == $1 }
  }

  @Test(arguments: [10, 499, 1_999])
  func manyAlternatives(count: Int) throws {
    #expect(try people.filter(where: { row(count, $0) }).count == 1)
  }

  /// The largest would take more frames than a stack has.
  @Test(arguments: [2_000, 20_000, 100_000])
  func tooManyAlternativesAreASentence(count: Int) throws {
    let error = #expect(throws: StoreError.self) { try people.filter(where: { row(count, $0) }) }

    #expect(error?.code == "STR5023")
    #expect(
      error?.description
        == "A condition of Person is too large: more than 4000 comparisons, ANDs and ORs in one condition; write 'name IN {…}' for "
        + "many comparisons of one value [STR6008].")
  }

  /// A part that is used twice, time and again, is walked over as often.
  @Test func doubledConditions() throws {
    #expect(throws: StoreError.self) {
      try people.filter(where: { person in
        (0..<60).reduce(person.age == 7) { condition, _ in condition || condition }
      })
    }
  }

  @Test func tooManyAlternativesFromTheOtherEnd() throws {
    #expect(throws: StoreError.self) {
      try people.filter(where: { person in
        (0..<50_000).reduce(person.age == -1) { person.age == $1 || $0 }
      })
    }
  }

  @Test(arguments: [(1, true), (990, true), (1_001, false), (50_000, false)])
  func longSums(count: Int, isTaken: Bool) throws {
    let taken = try? people.filter(where: { person in
      (0..<count).reduce(person.age) { sum, _ in sum + 1 } == 7 + count
    })

    #expect(taken?.count == (isTaken ? 1 : nil))
  }

  @Test(arguments: [(1, 0), (2, 1), (60, 1), (63, 0), (64, nil), (50_000, nil)])
  func negations(count: Int, found: Int?) throws {
    let taken = try? people.filter(where: { person in
      (0..<count).reduce(person.age == 7) { condition, _ in !condition }
    })

    #expect(taken?.count == found)
  }

  @Test func elementsOfListsAreNoOperators() throws {
    #expect(try people.filter(where: { $0.age.in(0..<5_000) }).count == 1)
  }
}
