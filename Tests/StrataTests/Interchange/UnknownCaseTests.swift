import Foundation
import Strata
import StrataTestModels
import Testing

/// A file may hold a value of an enum that has no case in this version: what is written of it is read again.
@Suite struct UnknownCaseTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private static let text = #"{"id": 2, "name": "Bob", "mood": "elated", "rank": 77}"#

  /// Ada, as a newer version of the app has stored her.
  private func ada() throws -> Person {
    try store.write { try store.add(Person(id: 1, name: "Ada", mood: .angry, rank: .general)) }
    try test.execute("UPDATE Person SET mood = 'elated', rank = 77")
    try store.refresh()
    return try #require(store.objects(Person.self).first)
  }

  /// Swift reads the default and nil; by name they are as they are.
  private func expectUnknown(_ person: Person) {
    #expect(person.mood == .calm && person.rank == nil)
    #expect(person["mood"] as? String == "elated")
    #expect(person["rank"] as? Int == 77)
  }

  @Test func anEncodedObjectIsDecoded() throws {
    let ada = try ada()

    let copy = try JSONDecoder().decode(Person.self, from: JSONEncoder().encode(ada))
    expectUnknown(copy)
    #expect(copy.json() == ada.json())

    let list = try PropertyListDecoder().decode(
      Person.self, from: PropertyListEncoder().encode(ada))
    expectUnknown(list)

    try store.write {
      ada.mood = .angry
      try store.add(copy, update: .modified)
    }
    expectUnknown(ada)
  }

  @Test(arguments: [UpdatePolicy.error, .modified, .all])
  func aTextOfJSONMakesAnObject(policy: UpdatePolicy) throws {
    let bob = try store.write { try store.create(Person.self, json: Self.text, update: policy) }

    expectUnknown(bob)
    let again = try store.write {
      try store.create(Person.self, json: bob.json(), update: .modified)
    }
    expectUnknown(again)
  }

  /// Both readers take it, and neither one of another type.
  @Test(arguments: [#"{"id": 1, "name": "", "mood": 1}"#, #"{"id": 1, "name": "", "rank": "x"}"#])
  func aValueOfAnotherTypeIsRefused(text: String) throws {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Person.self, from: Data(text.utf8))
    }
    #expect(throws: StoreError.self) {
      try store.write { try store.create(Person.self, json: text) }
    }
  }

  /// What a program writes is one of the cases.
  @Test func swiftRefusesIt() throws {
    let ada = try ada()
    let error = StoreError.wrongType(
      model: "Person", property: "mood", expected: "Mood", found: "String (sad)")

    #expect(throws: error) {
      try store.write {
        try store.create(Person.self, value: ["id": 2, "name": "Bob", "mood": "sad"])
      }
    }
    #expect(throws: error) { _ = try Person(value: ["id": 2, "name": "Bob", "mood": "sad"]) }
    #expect(throws: error) { try store.write { try ada.setValue("sad", forKey: "mood") } }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Mood].self, from: Data(#"["sad"]"#.utf8))
    }
  }
}
