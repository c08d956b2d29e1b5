import Foundation
import StrataFiles
import StrataTestModels
import Testing

@testable import Strata

/// Texts are equal when their bytes are, in standalone collections and in managed ones: one accent may be spelled in two ways.
@Suite struct SpellingTests {
  static let composed = "\u{E9}"
  static let decomposed = "e\u{301}"

  private func expectBoth(_ person: Person) {
    #expect(person.scores.count == 2)
    #expect(person.scores[Self.composed] == 1 && person.scores[Self.decomposed] == 2)
    #expect(person.tags.count == 2)
    #expect(person.tags.contains(Self.composed) && person.tags.contains(Self.decomposed))
  }

  private func set(_ person: Person) {
    person.scores[Self.composed] = 1
    person.scores[Self.decomposed] = 2
    person.tags.insert(Self.composed)
    person.tags.insert(Self.decomposed)
  }

  @Test func standaloneAndManagedCollectionsAgree() throws {
    let test = try TestStore()
    let (ada, bob) = (Person(id: 1, name: "Ada"), Person(id: 2, name: "Bob"))
    set(ada)
    expectBoth(ada)
    try test.store.write {
      try test.store.add([ada, bob])
      set(bob)
    }
    expectBoth(ada)
    expectBoth(bob)
    expectBoth(ada.detached())

    try test.store.write {
      ada.scores.removeValue(forKey: Self.composed)
      ada.tags.remove(Self.composed)
    }
    #expect(ada.scores.keys == [Self.decomposed] && ada.tags.count == 1)
    #expect(ada.scores[Self.composed] == nil && !ada.tags.contains(Self.composed))
  }

  /// What `dump`, a debugger and the message of a failing test look at.
  @Test func whatADebuggerShowsHasBoth() throws {
    let test = try TestStore()
    let ada = Person(id: 1, name: "Ada", pets: ["p": Dog(name: "Rex")])
    set(ada)

    func expectShown() throws {
      let children = Mirror(reflecting: ada).children
      let scores = try #require(children.first { $0.label == "scores" }?.value)
      let shown = try #require(scores as? [(key: String, value: Any)])
      #expect(shown.map { Array($0.key.utf8) } == ada.scores.keys.map { Array($0.utf8) })
      #expect(shown.map { $0.value as? Double } == ada.scores.keys.map { ada.scores[$0] })
      let pets = children.first { $0.label == "pets" }?.value
      #expect((pets as? [String: Any])?.keys.sorted() == ["p"], "other maps are dictionaries")
      var text = ""
      dump(ada, to: &text)
      #expect(text.contains("scores"))
    }
    try expectShown()
    try test.store.write { try test.store.add(ada) }
    try expectShown()
  }

  @Test func jsonTellsThemApart() throws {
    let test = try TestStore()
    let ada = Person(id: 1, name: "Ada")
    set(ada)

    let text = ada.json()
    let copy = try test.store.write { try test.store.create(Person.self, json: text) }

    expectBoth(copy)
    #expect(copy.json() == text)
    // Foundation's encoders keep their keys in a dictionary.
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(ada) }
    ada.scores.removeValue(forKey: Self.composed)
    _ = try JSONEncoder().encode(ada)
  }

  @Test func linesTellThemApart() throws {
    let (test, other) = (try TestStore(), try TestStore())
    let ada = Person(id: 1, name: "Ada")
    set(ada)
    try test.store.write { try test.store.add(ada) }
    var lines: [String] = []
    try ObjectExporter.export(test.folder.file("a.db"), target: nil) { lines.append($0) }

    var rest = lines[...]
    _ = try ObjectImporter.run(into: other.folder.file("a.db"), target: nil, model: nil) {
      rest.popFirst().map { Array($0.utf8) }
    }

    expectBoth(try #require(other.store.objects(Person.self).first))
  }

  /// Swift's `==`, by which an element is looked for, takes a few characters of ASCII for equal with others.
  @Test(arguments: [("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}")])
  func aListFindsWhatSwiftTakesForEqual(ascii: String, other: String) throws {
    let test = try TestStore()
    let (ada, bob) = (
      Person(id: 1, name: "Ada", notes: ["a", other]),
      Person(id: 2, name: "Bob", notes: ["a", ascii + "m"])
    )
    func expectFound() {
      #expect(ada.notes.contains(ascii) && ada.notes.firstIndex(of: ascii) == 1)
      #expect(ada.notes.index(of: other) == 1 && ada.notes.index(of: "a") == 0)
      #expect(bob.notes.contains(ascii + "m") && bob.notes.index(of: other + "m") == 1)
      #expect(!bob.notes.contains(ascii))
    }
    expectFound()
    try test.store.write { try test.store.add([ada, bob]) }
    expectFound()
  }

  @Test func modifiedTellsThemApart() throws {
    let test = try TestStore()
    let ada = Person(
      id: 1, name: Self.composed, notes: [Self.composed], tags: [Self.composed],
      scores: [Self.composed: 1])
    try test.store.write {
      try test.store.add(ada)
      try test.store.add(
        Person(
          id: 1, name: Self.decomposed, notes: [Self.decomposed], tags: [Self.decomposed],
          scores: [Self.decomposed: 1]), update: .modified)
    }

    for text in [ada.name, ada.notes[0], Optional(ada.tags[0]), ada.scores.keys[0]] {
      #expect(text?.unicodeScalars.count == 2)
    }
  }

  @Test func aLiteralTellsKeysApartByTheirBytes() {
    let map: Map<Double> = ["\u{e9}": 1, "e\u{301}": 2, "a": 3, "a": 4]

    #expect(map.count == 3)
    #expect(map["\u{e9}"] == 1 && map["e\u{301}"] == 2 && map["a"] == 4)
  }
}
