import Foundation
import GuideModels
import Strata
import Testing

/// The examples of docs/guide.md. `GuideTextTests` sees to it that the page and these functions have the same text.
@Suite struct GuideTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.url.appendingPathComponent("guide.db").path }

  private func open() throws -> Store { try Store(path: path, schema: GuideSchema.self) }

  @Test func objects() throws {
    let store = try open()
    let rex = Dog(name: "Rex", color: "tan", age: 3)
    let jane = Person(name: "Jane", address: Address(country: "Sweden"))

    try store.write {
      try store.add(rex)
      jane.dogs.append(rex)
      rex.owner = jane
      try store.add(jane)
    }

    #expect(store.objects(Person.self).count == 1 && store.objects(Dog.self).count == 1)
    #expect(jane.dogs(colored: "tan").map(\.name) == ["Rex"])

    try store.write {
      rex.name = "Rexona"
      rex.age += 1
    }

    #expect(store.objects(Dog.self).first?.name == "Rexona" && jane.dogs.first?.age == 4)

    struct SecondThoughts: Error {}

    try? store.write {
      rex.name = "Fido"
      throw SecondThoughts()
    }
    print(rex.name)  // Rexona

    #expect(rex.name == "Rexona")
  }

  private func addDogs(to store: Store) throws {
    try store.write {
      for (name, color) in [("Bella", "tan"), ("Rex", "tan"), ("Buddy", "tan"), ("Bob", "black")] {
        try store.add(Dog(name: name, color: color))
      }
    }
  }

  @Test func tanDogsWhoseNameBeginsWithB() throws {
    let store = try open()
    try addDogs(to: store)

    let tanDogs = try store.objects(Dog.self).filter(
      "color = %@ AND name BEGINSWITH %@", "tan", "B")
    let sameDogs = store.objects(Dog.self).where { $0.color == "tan" && $0.name.starts(with: "B") }

    #expect(tanDogs.map(\.name) == ["Bella", "Buddy"])
    #expect(sameDogs.map(\.name) == ["Bella", "Buddy"])
  }

  @Test func chainedQueries() throws {
    let store = try open()
    try addDogs(to: store)

    let tanDogs = try store.objects(Dog.self).filter("color = 'tan'")
    let tanDogsWithB = try tanDogs.filter("name BEGINSWITH 'B'").sorted(by: "name")

    #expect(tanDogs.count == 3 && tanDogsWithB.map(\.name) == ["Bella", "Buddy"])
    try store.write { try store.add(Dog(name: "Barney", color: "tan")) }
    #expect(tanDogsWithB.map(\.name) == ["Barney", "Bella", "Buddy"])
  }

  @Test func relationships() throws {
    let store = try open()
    let rex = Dog(name: "Rex")
    let jane = Person(name: "Jane", address: Address(country: "Sweden"), dogs: [rex])
    try store.write {
      try store.add(jane)
      rex.owner = jane
      try store.add(Dog(name: "Stray"))
    }

    let country = rex.owner?.address?.country

    let swedish = try store.objects(Dog.self).filter("owner.address.country = 'Sweden'")
    let ownersOfRex = try store.objects(Person.self).filter("ANY dogs.name = 'Rex'")
    let homes = rex.homes.map(\.name)

    #expect(country == "Sweden" && swedish.map(\.name) == ["Rex"])
    #expect(ownersOfRex.map(\.name) == ["Jane"] && homes == ["Jane"])
  }

  @Test func venuesFromJSON() throws {
    let store = try open()
    try store.write { try store.add(Venue(id: "4c82f252", name: "Ferry")) }

    let response = """
      [{"id": "4c82f252", "name": "Ferry Building", "verified": true,
        "contact": {"phone": "4159838030"},
        "location": {"lat": 37.795, "lng": -122.393, "city": "San Francisco"}}]
      """
    let venues = try JSONSerialization.jsonObject(with: Data(response.utf8)) as? [Any] ?? []

    try store.write {
      for venue in venues {
        try store.create(Venue.self, value: venue, update: .modified)
      }
    }

    let ferry = try #require(store.objects(Venue.self).first)
    #expect(store.objects(Venue.self).count == 1 && ferry.name == "Ferry Building")
    #expect(ferry.contact?.phone == "4159838030" && ferry.contact?.twitter == nil)
    #expect(ferry.location?.lat == 37.795 && ferry.location?.city == "San Francisco")
  }

  @Test func editingAndCancelling() throws {
    let store = try open()
    let appearance = Appearance(id: 1)
    try store.write { try store.add(appearance) }

    let controller = AppearanceViewController(editing: appearance, in: store)
    controller.draft.theme = "dark"
    controller.cancel(showing: appearance)
    print(appearance.theme)  // light

    controller.draft.fontSize = 14
    try controller.save()
    print(appearance.theme, appearance.fontSize)  // light 14

    #expect(appearance.theme == "light" && appearance.fontSize == 14)
    #expect(store.objects(Appearance.self).count == 1)
  }

  @Test func aHeldObjectThatIsDeletedElsewhere() throws {
    let store = try open()
    try store.write { try store.add(Dog(name: "Rex")) }

    let held = try #require(store.objects(Dog.self).first)
    print(held.name)  // Rex

    let elsewhere = try Store(path: path, schema: GuideSchema.self)
    try elsewhere.write { try elsewhere.deleteAll(Dog.self) }

    try store.refresh()
    print(held.isInvalidated, held.name)  // true Rex

    #expect(held.isInvalidated && held.name == "Rex")
  }
}

final class AppearanceViewController {
  private let store: Store
  /// What the controls show and change.
  var draft: Appearance

  init(editing appearance: Appearance, in store: Store) {
    self.store = store
    draft = appearance.detached()
  }

  func cancel(showing appearance: Appearance) { draft = appearance.detached() }

  func save() throws {
    try store.write { try store.add(draft.detached(), update: .modified) }
  }
}

/// A folder that is gone when the test is.
private final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("guide-\(UUID().uuidString)")

  init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }
}
