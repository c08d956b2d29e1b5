import Foundation
import Strata
import StrataTestModels
import Testing

/// Random sequences of operations on lists, sets and maps against Swift's own collections, with transactions that are
/// cancelled and files that are left without a goodbye between them.
///
/// `STRATA_LONG_TESTS=1` runs a hundred times as many.
@Suite struct DifferentialCollectionTests {
  static let seeds =
    0..<(ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] == nil ? 6 : 600)

  /// What the collections should hold.
  private struct Expected {
    var notes: [String?] = []
    var dogs: [String] = []
    var offices: [String] = []
    var tags: Set<String> = []
    var scores: [String: Double] = [:]
  }

  @Test(arguments: seeds) func collectionsDoAsSwiftsOwn(seed: Int) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: UInt64(seed))
    var path = folder.file("0.db")
    var store = try Store(path: path, schema: TestingSchema.self)
    var person = Person(id: 1, name: "Ada")
    try store.write { try store.add(person) }
    var expected = Expected()
    for round in 0..<40 {
      let before = expected
      try store.beginWrite()
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        change(person, &expected, &random)
        try #require(matches(person, expected), "seed \(seed), round \(round)")
      }
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        store.cancelWrite()
        expected = before
      case 1:
        // What a crash leaves: the files as they stand in the middle of a transaction.
        let copy = folder.file("\(round + 1).db")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
          try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        store.cancelWrite()
        store.close()
        path = copy
        store = try Store(path: path, schema: TestingSchema.self)
        person = try #require(try store.object(ofType: Person.self, forPrimaryKey: 1))
        expected = before
      case 2:
        try store.commitWrite()
        store.close()
        store = try Store(path: path, schema: TestingSchema.self)
        person = try #require(try store.object(ofType: Person.self, forPrimaryKey: 1))
      default: try store.commitWrite()
      }
      try #require(matches(person, expected), "seed \(seed), after round \(round)")
    }
    // Embedded objects live in the list only.
    #expect(store.objects(Address.self).count == expected.offices.count)
  }

  private func matches(_ person: Person, _ expected: Expected) -> Bool {
    Array(person.notes) == expected.notes && person.dogs.map(\.name) == expected.dogs
      && person.offices.map(\.street) == expected.offices
      && person.tags.count == expected.tags.count && Set(person.tags) == expected.tags
      && person.scores.keys == expected.scores.keys.sorted()
      && person.scores.allSatisfy { expected.scores[$0.key] == $0.value }
  }

  private func change(
    _ person: Person, _ expected: inout Expected, _ random: inout SeededGenerator
  ) {
    let word = "\("abcdefgh".randomElement(using: &random)!)"
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      changeList(
        person.notes, &expected.notes, Bool.random(using: &random) ? word : nil, &random
      ) { $0 }
    case 1: changeList(person.dogs, &expected.dogs, word, &random) { Dog(name: $0) }
    case 2: changeList(person.offices, &expected.offices, word, &random) { Address(street: $0) }
    case 3:
      switch Int.random(in: 0..<5, using: &random) {
      case 0: #expect(person.tags.remove(word) == (expected.tags.remove(word) != nil))
      case 1:
        person.tags.formIntersection(["a", "b", "c", word])
        expected.tags.formIntersection(["a", "b", "c", word])
      default: #expect(person.tags.insert(word) == expected.tags.insert(word).inserted)
      }
    default:
      let value = Double(Int.random(in: 0..<9, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        person.scores.removeAll()
        expected.scores.removeAll()
      case 1, 2:
        person.scores[word] = nil
        expected.scores[word] = nil
      default:
        person.scores[word] = value
        expected.scores[word] = value
      }
    }
  }

  /// The same operation on a list and on an array; `make` gives the element that stands for a value.
  private func changeList<Element: StoredElement, Value>(
    _ list: List<Element>, _ array: inout [Value], _ value: Value,
    _ random: inout SeededGenerator, _ make: (Value) -> Element
  ) {
    let place = Int.random(in: 0...array.count, using: &random)
    guard let some = array.indices.randomElement(using: &random),
      let other = array.indices.randomElement(using: &random)
    else {
      list.append(make(value))
      array.append(value)
      return
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      list.remove(at: some)
      array.remove(at: some)
    case 1, 2:
      list.move(from: some, to: other)
      array.insert(array.remove(at: some), at: other)
    case 3, 4:
      list.swapAt(some, other)
      array.swapAt(some, other)
    case 5:
      list[some] = make(value)
      array[some] = value
    case 6:
      let range = min(some, other)..<max(some, other)
      list.replaceSubrange(range, with: [make(value)])
      array.replaceSubrange(range, with: [value])
    case 7:
      // Always in one place: the room between two keys gets used up.
      for _ in 0..<20 {
        list.insert(make(value), at: some)
        array.insert(value, at: some)
      }
    case 8 where array.count > 60:
      list.removeSubrange(some..<array.count)
      array.removeSubrange(some..<array.count)
    default:
      list.insert(make(value), at: place)
      array.insert(value, at: place)
    }
  }
}
