import Foundation
import Strata
import StrataTestModels
import Testing

/// Questions to a list that are kept while the list and its objects change at random, in which objects stand several times: against arrays.
///
/// `STRATA_LONG_TESTS=1` runs a hundred times as many.
@Suite struct DifferentialListQueryTests {
  static let seeds =
    0..<(ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] == nil ? 8 : 800)

  /// The list that is asked, as Swift's own array; of another list nothing is asked.
  private final class Expected {
    var list: [Dog] = []
    var others: [Dog] = []

    var distinct: [Dog] {
      var found: Set<String> = []
      return list.filter { found.insert($0.name).inserted }
    }
    var old: [Dog] { distinct.filter { $0.age > 4 } }
    /// Dogs of one age stand as in the list.
    var sorted: [Dog] {
      old.enumerated().sorted { ($0.1.age, $0.0) < ($1.1.age, $1.0) }.map(\.1)
    }
  }

  private struct Kept {
    let old: Results<Dog>
    let counted: Results<Dog>
    let sorted: Results<Dog>
    let first: Results<Dog>
    let tail: Results<Dog>

    init(_ list: List<Dog>) throws {
      old = list.where { $0.age > 4 }
      counted = list.where { $0.age > 4 }
      sorted = try list.where { $0.age > 4 }.sorted(by: "age")
      first = list.where { $0.age > 4 }.limit(3)
      tail = try list.where { $0.age >= 0 }.limit(8).filter("age > 4")
    }
  }

  @Test(arguments: seeds) func keptQuestionsAnswerAsArraysDo(seed: Int) throws {
    let test = try TestStore()
    let store = test.store
    var random = SeededGenerator(seed: UInt64(seed))
    let person = try test.added(Person(id: 1, name: "Ada"))
    let other = try test.added(Person(id: 2, name: "Bob"))
    let expected = Expected()
    let kept = try Kept(person.dogs)
    var number = 0
    for round in 0..<60 {
      try store.write {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          number += 1
          try change(person.dogs, other.dogs, expected, number, in: store, &random)
          if Bool.random(using: &random) {
            try #require(try matches(kept, expected, &random), "seed \(seed), round \(round)")
          }
        }
      }
      try #require(try matches(kept, expected, &random), "seed \(seed), round \(round), committed")
    }
  }

  private func change(
    _ list: List<Dog>, _ others: List<Dog>, _ expected: Expected, _ number: Int, in store: Store,
    _ random: inout SeededGenerator
  ) throws {
    let place = Int.random(in: 0...list.count, using: &random)
    let dog = (expected.list + expected.others).randomElement(using: &random)
    switch Int.random(in: 0..<11, using: &random) {
    case 0, 1, 2:
      let new = Dog(name: "d\(number)", age: Int.random(in: 0..<10, using: &random))
      list.insert(new, at: place)
      expected.list.insert(new, at: place)
    case 3:
      let new = Dog(name: "d\(number)", age: Int.random(in: 0..<10, using: &random))
      others.append(new)
      expected.others.append(new)
    case 4:
      guard let dog else { return }
      list.insert(dog, at: place)
      expected.list.insert(dog, at: place)
    case 5 where !list.isEmpty:
      list.remove(at: place % list.count)
      expected.list.remove(at: place % expected.list.count)
    case 6 where !list.isEmpty:
      let to = Int.random(in: 0..<list.count, using: &random)
      list.move(from: place % list.count, to: to)
      expected.list.insert(expected.list.remove(at: place % expected.list.count), at: to)
    case 7 where !list.isEmpty:
      guard let dog else { return }
      list[place % list.count] = dog
      expected.list[place % expected.list.count] = dog
    case 8:
      guard let dog else { return }
      let name = dog.name
      expected.list.removeAll { $0.name == name }
      expected.others.removeAll { $0.name == name }
      try store.delete(dog)
    default:
      dog?.age = Int.random(in: 0..<10, using: &random)
    }
  }

  /// Looks at a part of the questions in another way each time: what is not looked at has to follow all the more later.
  private func matches(
    _ kept: Kept, _ expected: Expected, _ random: inout SeededGenerator
  ) throws -> Bool {
    func names(_ dogs: some Sequence<Dog>) -> [String] { dogs.map(\.name) }
    let old = expected.old
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return names(kept.old) == names(old) && kept.old.count == old.count
    case 1: return kept.counted.count == old.count
    case 2: return names(kept.sorted) == names(expected.sorted)
    case 3:
      return kept.old.first?.name == old.first?.name && kept.sorted.first == expected.sorted.first
        && kept.old.last?.name == old.last?.name
    case 4:
      return names(kept.first) == names(old.prefix(3))
        && names(kept.tail) == names(expected.distinct.prefix(8).filter { $0.age > 4 })
    default:
      guard let dog = old.randomElement(using: &random) else { return kept.old.isEmpty }
      return kept.old.firstIndex(of: dog) == old.firstIndex(of: dog)
        && kept.sorted.contains(dog) && kept.counted.count == old.count
    }
  }
}
