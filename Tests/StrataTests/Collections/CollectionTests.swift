import Strata
import StrataTestModels
import Testing

@Suite struct CollectionTests {
  let test: TestStore
  let person: Person
  var store: Store { test.store }

  init() throws {
    let test = try TestStore()
    let person = Person(id: 1, name: "Ada")
    try test.store.write { try test.store.add(person) }
    self.test = test
    self.person = person
  }

  private func reopened() throws -> Person {
    try #require(try test.open().objects(Person.self).first)
  }

  /// What is inserted is what the part held before.
  @Test(arguments: [false, true])
  func aListTakesPartsOfItself(isStored: Bool) throws {
    func notes(_ change: (List<String?>) -> Void) throws -> [String?] {
      let person = Person(id: 1, name: "", notes: ["a", "b", "c", "d"])
      if !isStored {
        change(person.notes)
        return Array(person.notes)
      }
      return try store.write {
        try store.deleteAll(Person.self)
        try store.add(person)
        change(person.notes)
        return Array(person.notes)
      }
    }
    #expect(
      try notes { $0.insert(contentsOf: $0[1..<3], at: 0) } == ["b", "c", "a", "b", "c", "d"])
    #expect(
      try notes { $0.insert(contentsOf: $0.reversed() as ReversedCollection, at: 1) }
        == ["a", "d", "c", "b", "a", "b", "c", "d"])
    #expect(
      try notes { $0.insert(contentsOf: $0, at: 2) }
        == ["a", "b", "a", "b", "c", "d", "c", "d"])
    #expect(try notes { $0.append(contentsOf: $0[2...]) } == ["a", "b", "c", "d", "c", "d"])
    #expect(
      try notes { $0.replaceSubrange(0..<1, with: $0.suffix(2)) } == ["c", "d", "b", "c", "d"])
    #expect(try notes { $0[1..<4] = $0[0..<3] } == ["a", "a", "b", "c"])
    #expect(try notes { $0[0..<2] = $0[3..<4] } == ["d", "c", "d"])
    #expect(try notes { $0[1..<4].reverse() } == ["a", "d", "c", "b"])
    #expect(try notes { $0[1..<3][1] = "x" } == ["a", "x", "c", "d"])
    #expect(try notes { $0[0..<4][1..<3].swapAt(1, 2) } == ["a", "c", "b", "d"])
  }

  @Test func aListIsChangedInPlace() throws {
    try store.write {
      person.notes.append(contentsOf: ["a", nil, "c"])
      person.notes.insert("b", at: 1)
      person.notes[2] = "x"
      person.notes.swapAt(0, 3)
      person.notes.move(from: 0, to: 2)
    }
    #expect(Array(person.notes) == ["b", "x", "c", "a"])
    #expect(try Array(reopened().notes) == ["b", "x", "c", "a"])
    try store.write {
      person.notes.replaceSubrange(1..<3, with: ["1", "2", "3"])
      person.notes.remove(at: 0)
      person.notes.removeLast()
    }
    #expect(try Array(reopened().notes) == ["1", "2", "3"])
    try store.write { person.notes = ["new"] }
    #expect(try Array(reopened().notes) == ["new"])
  }

  @Test func insertingAlwaysInOnePlaceNeverRunsOutOfRoom() throws {
    try store.write {
      person.notes.append(contentsOf: ["first", "last"])
      for index in 0..<200 { person.notes.insert("\(index)", at: 1) }
      for index in 0..<200 { person.notes.insert("-\(index)", at: 0) }
    }
    let expected =
      (0..<200).reversed().map { "-\($0)" } + ["first"] + (0..<200).reversed().map { "\($0)" }
      + ["last"]

    #expect(try Array(reopened().notes) == expected)
  }

  @Test func aListIsACollection() throws {
    try store.write {
      for name in ["Rex", "Max", "Bo"] { person.dogs.append(Dog(name: name)) }
    }
    #expect(person.dogs.count == 3)
    #expect(person.dogs.last?.name == "Bo")
    #expect(person.dogs[1...].map(\.name) == ["Max", "Bo"])
    let max = try #require(store.objects(Dog.self).first { $0.name == "Max" })
    #expect(person.dogs.index(of: max) == 1)
  }

  @Test func twoHandlesOnOneListAgree() throws {
    let other = try #require(store.objects(Person.self).first)
    try store.write {
      person.notes.append("a")
      #expect(other.notes.count == 1)
      other.notes.append("b")
      #expect(person.notes.count == 2)
    }
    #expect(Array(person.notes) == ["a", "b"])
  }

  @Test func aListSeesADeletedElementGo() throws {
    let rex = Dog(name: "Rex")
    try store.write { person.dogs.append(contentsOf: [rex, rex, Dog(name: "Max")]) }
    #expect(person.dogs.count == 3)
    try store.write { try store.delete(rex) }

    #expect(person.dogs.map(\.name) == ["Max"])
  }

  @Test func aListOfADeletedOwnerIsInvalidated() throws {
    let dogs = person.dogs
    #expect(!dogs.isInvalidated)
    try store.write { try store.delete(person) }

    #expect(dogs.isInvalidated)
    #expect(dogs.isEmpty)
  }

  @Test func aSetHoldsEachOnce() throws {
    try store.write {
      #expect(person.tags.insert("a"))
      #expect(!person.tags.insert("a"))
      person.tags.formUnion(["b", "c", "e\u{301}", "\u{E9}"])
      #expect(person.tags.remove("b"))
      #expect(!person.tags.remove("b"))
      person.friends.insert(person)
      let same = try #require(store.objects(Person.self).first)
      #expect(!person.friends.insert(same))
    }
    #expect(
      try Set(reopened().tags.map { Array($0.utf8) })
        == Set(["a", "c", "e\u{301}", "\u{E9}"].map { Array($0.utf8) }))
    #expect(person.tags.contains("c"))
    #expect(!person.tags.contains("b"))
    #expect(person.friends.count == 1)
    try store.write {
      person.tags.formIntersection(["a", "z"])
      person.tags.subtract(["z"])
    }
    #expect(try Array(reopened().tags) == ["a"])
  }

  @Test func aMapHoldsValuesByKey() throws {
    try store.write {
      person.scores["go"] = 1
      person.scores["chess"] = 2
      person.scores["go"] = 3
      person.scores["e\u{301}"] = 4
      person.scores["\u{E9}"] = 5
      person.scores["chess"] = nil
      person.pets["one"] = Dog(name: "Rex")
      person.pets["one"] = Dog(name: "Max")
    }
    let found = try reopened()
    #expect(found.scores.map(\.value) == [4, 3, 5])
    #expect(
      found.scores.map { Array($0.key.utf8) }
        == ["e\u{301}", "go", "\u{E9}"].map { Array($0.utf8) })
    #expect(found.pets["one"]?.name == "Max")
    #expect(found.pets["two"] == nil)
    #expect(store.objects(Dog.self).count == 2)
  }
}
