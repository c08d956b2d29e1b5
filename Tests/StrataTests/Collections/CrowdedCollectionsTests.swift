import StrataTestModels
import Testing

@testable import Strata

/// Collections of more owners than are kept: changes that need no look at the elements are written without one.
@Suite struct CrowdedCollectionsTests {
  private static let owners = KeptRows.maximumOwners + 100

  private let test: TestStore
  private var store: Store { test.store }

  init() throws {
    test = try TestStore()
    try store.write { [store = test.store] in
      try store.add((0..<Self.owners).map { Person(id: $0, name: "p") })
      try store.add(Dog(name: "Rex"))
    }
  }

  private func find(_ id: Int) throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: id))
  }

  @Test func allElementsAreWritten() throws {
    let rex = try #require(store.objects(Dog.self).first)
    try store.write {
      for round in 0..<3 {
        for id in 0..<Self.owners {
          try find(id).dogs.append(round == 0 ? rex : Dog(name: "\(id) \(round)"))
          #expect(try find(id).tags.insert("\(round / 2)") == (round != 1))
          #expect(try find(id).friends.insert(try find(0)) == (round == 0))
          try find(id).scores["\(round / 2)"] = Double(id + round)
          try find(id).pets["one"] = rex
          try find(id).offices.append(Address(street: "\(round)"))
        }
      }
    }
    for id in stride(from: 0, to: Self.owners, by: 37) {
      let person = try find(id)
      #expect(person.dogs.map(\.name) == ["Rex", "\(id) 1", "\(id) 2"])
      #expect(person.tags.sorted() == ["0", "1"])
      #expect(person.friends.map(\.id) == [0])
      #expect(person.scores["0"] == Double(id + 1) && person.scores["1"] == Double(id + 2))
      #expect(person.pets["one"]?.name == "Rex" && person.pets.count == 1)
      #expect(person.offices.map(\.street) == ["0", "1", "2"])
    }
  }

  /// Other objects of an owner, which have looked at the elements before, see what was added.
  @Test func whatWasReadBeforeIsCurrent() throws {
    let first = try find(0)
    #expect(first.dogs.isEmpty && first.tags.isEmpty && first.scores.isEmpty)
    try store.write {
      for id in 1..<Self.owners {
        try find(id).dogs.append(Dog(name: ""))
        try find(id).tags.insert("")
        try find(id).scores[""] = 0
      }
      try find(0).dogs.append(Dog(name: "Max"))
      try find(0).tags.insert("a")
      try find(0).scores["a"] = 1
      #expect(first.dogs.map(\.name) == ["Max"])
      #expect(Array(first.tags) == ["a"] && first.scores["a"] == 1)
    }
  }

  /// Many at once are added as those of any collection.
  @Test func manyElementsAtOnce() throws {
    try store.write {
      for id in 0..<Self.owners {
        try find(id).notes.append("a")
        try find(id).tags.insert("a")
      }
      let person = try find(1)
      person.notes.append(contentsOf: (0..<50).map { "\($0)" })
      person.tags.formUnion((0..<50).map { "\($0)" })
    }
    #expect(try find(1).notes.map { $0 ?? "" } == ["a"] + (0..<50).map { "\($0)" })
    #expect(try find(1).tags.count == 51)
  }
}
