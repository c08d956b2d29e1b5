import StrataTestModels
import Testing

@testable import Strata

/// What stands in an expression once may stand in its SQL several times. In each other these multiply: such a condition is answered, or
/// refused before it fills the memory.
@Suite struct LongQueryTests {
  let test: TestStore
  var people: Results<Person> { test.store.objects(Person.self) }

  init() throws {
    test = try TestStore()
    let dogs = [Dog(name: "Rex", age: 1), Dog(name: "Fido", age: 0)]
    _ = try test.added(Person(id: 1, name: "Ada", score: 1, dogs: dogs))
    _ = try test.added(Person(id: 2, name: "Bob", score: 5, dogs: dogs))
  }

  private static func nested(
    _ count: Int, _ before: String, _ innermost: String, _ after: String
  ) -> String {
    String(repeating: before, count: count) + innermost + String(repeating: after, count: count)
  }

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let condition: @Sendable (Int) -> String
    /// The identities of those that it finds, nested so many times.
    let found: @Sendable (Int) -> [Int]
  }

  static let cases = [
    Case(testDescription: "BETWEEN") {
      nested($0, "if(", "score", " BETWEEN {0.0, 2.0}, 1.0, 0.5)") + " == 1.0"
    } found: {
      $0 == 1 ? [1] : [1, 2]
    },
    Case(testDescription: "fractions") {
      nested($0, "if(", "score", " > 2.0, 1.0, 0.5)") + " == 0.5"
    } found: {
      $0 == 1 ? [1] : [1, 2]
    },
    Case(testDescription: "places") {
      nested($0, "dogs[", "0", "].age") + " == 1"
    } found: {
      $0 % 2 == 1 ? [1, 2] : []
    },
    Case(testDescription: "IN") {
      nested($0, "if(", "score", " IN {score / 1.0, id * 1.0, age * 1.0}, 1.0, 9.0)") + " == 1.0"
    } found: {
      $0 == 1 ? [1, 2] : [1]
    },
  ]

  @Test(arguments: cases)
  func areAnsweredOrRefused(_ asked: Case) throws {
    var refused = 0
    for count in [1, 2, 3, 5, 8, 10, 14, 25] {
      do {
        let found = try people.filter(asked.condition(count))
        let ids = found.map(\.id)
        // What could not be answered is said by the next call that throws.
        try test.store.refresh()
        #expect(ids == asked.found(count), "nested \(count) times")
      } catch {
        refused += 1
        #expect(
          "\(error)".contains("is nested so that its SQL would have more than 2.0 MB")
            || "\(error)".contains("is nested too deeply for the database"), "\(error)")
      }
    }
    #expect(refused > 0 && refused < 6)
  }

  /// They are long, and not nested.
  @Test func longListsAreAnswered() throws {
    let ids = Array(1...300_000)
    #expect(try people.filter("NOT NOT (id IN %@ AND age >= 0)", ids).count == 2)
    // Each a test of its own.
    let mixed = [Double](repeating: .nan, count: 20_000) + [1, 5]
    #expect(try people.filter("score IN %@", mixed).count == 2)
    let row = (1...400).map { "id == \($0)" }.joined(separator: " OR ")
    #expect(try people.filter(row).count == 2)
  }
}
