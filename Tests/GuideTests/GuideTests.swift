import Foundation
import GuideModels
import Observation
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

  @Test func tanDogsWhoseNameBeginsWithB() throws {
    let store = try open()

    try store.write {
      for (name, color) in [("Bella", "tan"), ("Rex", "tan"), ("Buddy", "tan"), ("Bob", "black")] {
        try store.add(Dog(name: name, color: color))
      }
    }
    let tanDogs = try store.objects(Dog.self).filter(
      "color = %@ AND name BEGINSWITH %@", "tan", "B")
    let sameDogs = store.objects(Dog.self).where { $0.color == "tan" && $0.name.starts(with: "B") }

    #expect(tanDogs.map(\.name) == ["Bella", "Buddy"])
    #expect(sameDogs.map(\.name) == ["Bella", "Buddy"])
  }

  @Test func chainedQueries() throws {
    let store = try open()
    try store.write {
      for (name, color) in [("Bella", "tan"), ("Rex", "tan"), ("Buddy", "tan"), ("Bob", "black")] {
        try store.add(Dog(name: name, color: color))
      }
    }

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
    }
    let country = rex.owner?.address?.country
    try store.write { try store.add(Dog(name: "Stray")) }

    let swedish = try store.objects(Dog.self).filter("owner.address.country = 'Sweden'")
    let ownersOfRex = try store.objects(Person.self).filter("ANY dogs.name = 'Rex'")
    let homes = rex.homes.map(\.name)

    let oldest = jane.dogs.where { $0.age > 2 }.sorted(by: \.age, ascending: false)
    let years = try jane.dogs.sum(of: \.age)
    #expect(oldest.isEmpty && years == 0)

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
    try store.write { appearance.theme = "sepia" }  // a sync, meanwhile
    try controller.save()
    print(appearance.theme, appearance.fontSize)  // sepia 14

    #expect(appearance.theme == "sepia" && appearance.fontSize == 14)
    #expect(store.objects(Appearance.self).count == 1)
  }

  @Test func aHeldObjectThatIsDeletedElsewhere() throws {
    let store = try open()

    try store.write { try store.add(Dog(name: "Rex")) }
    let held = store.objects(Dog.self)[0]
    print(held.name)  // Rex

    let elsewhere = try Store(path: path, schema: GuideSchema.self)
    try elsewhere.write { try elsewhere.deleteAll(Dog.self) }

    try store.refresh()
    print(held.isInvalidated, held.name)  // true Rex

    #expect(held.isInvalidated && held.name == "Rex")
  }

  @Test func aCancelledObjectThatIsAddedAgain() throws {
    let store = try open()

    let tan = Person(name: "Tan", dogs: [Dog(name: "Bo")])
    do {
      try store.write {
        try store.add(tan)
        throw CancellationError()
      }
    } catch {
      let again = tan.detached()
      try store.write { try store.add(again) }
      print(tan.isInvalidated, tan.dogs.count, again.dogs[0].name)  // true 0 Bo
    }

    #expect(tan.isInvalidated && tan.dogs.isEmpty)
    #expect(store.objects(Person.self)[0].dogs[0].name == "Bo")
  }

  @Test func beingTold() async throws {
    let store = try open()
    let kennel = Person(name: "Jane", dogs: [Dog(name: "Mo"), Dog(name: "Rex", age: 3)])
    try store.write { try store.add(kennel) }
    let rex = kennel.dogs[1]
    var rows: [String] = []

    let dogs = store.objects(Dog.self).sorted(by: \.name)
    let token = try dogs.observe { change in
      switch change {
      case .initial(let dogs): rows = dogs.map(\.name)
      case .update(let dogs, let deletions, let insertions, let modifications, let moves):
        rows = dogs.map(\.name)
        print(deletions, insertions, modifications, moves.count)
      case .error(let error): print(error)
      }
    }
    try store.write { try store.add(Dog(name: "Ada")) }  // [] [0] [] 0
    try store.write { dogs[0].name = "Zoe" }  // [] [] [0] 1
    token.invalidate()
    #expect(rows == ["Mo", "Rex", "Zoe"])

    let watching = try rex.observe(keyPaths: [\Dog.age]) { change in
      guard case .change(let dog, let properties) = change else { return }
      for property in properties { print(dog.name, property.oldValue ?? "nil", dog.age) }
    }
    try store.write { rex.age += 1 }  // Rex 3 4
    watching.invalidate()

    let (changes, changed) = AsyncStream<Void>.makeStream()
    withObservationTracking {
      print(rex.name, rex.age)  // Rex 4
    } onChange: {
      changed.yield()
    }
    try store.write { rex.age += 1 }
    for await _ in changes { break }
    #expect(rex.age == 5)

    try store.write(withoutNotifying: [token]) { kennel.dogs.move(from: 0, to: 1) }
    #expect(kennel.dogs.map(\.name) == ["Rex", "Mo"])
  }

  @Test func waitingForChanges() async throws {
    let store = try open()
    try store.write {
      try store.add([Dog(name: "Rex"), Dog(name: "Mo"), Dog(name: "Zoe")])
    }
    let path = path
    let writing = Task.detached {
      let store = try Store(path: path, schema: GuideSchema.self)
      for _ in 0..<100_000 {
        if Task.isCancelled { break }
        // Others need the thread, too.
        await Task.yield()
        try store.write { try store.add(Dog(name: "New")) }
      }
    }

    for try await change in store.objects(Dog.self).changes {
      guard case .update(_, _, let insertions, _, _) = change else { continue }
      print(insertions)  // [3]
      break
    }

    writing.cancel()
    try await writing.value
    #expect(store.objects(Dog.self).count > 3)
  }

  @Test func snapshotsForOtherThreads() async throws {
    let store = try open()
    let rex = Dog(name: "Rex", age: 3)
    try store.write { try store.add(rex) }

    let frozen = rex.freeze()
    try store.write { rex.name = "Max" }
    let name = await Task.detached { frozen.name }.value
    print(name, rex.name, rex.freeze().thaw()?.name ?? "gone")  // Rex Max Max
    #expect(name == "Rex" && rex.name == "Max")
    let path = path

    let reference = try ObjectReference(to: rex)
    try await Task.detached {
      let store = try Store(path: path, schema: GuideSchema.self)
      guard let rex = store.resolve(reference) else { return }
      try store.write { rex.age = 5 }
    }.value
    try store.refresh()
    #expect(rex.age == 5)
  }

  @Test func manyObjectsAtOnce() async throws {
    let store = try open()
    let rex = Dog(name: "Rex", age: 3)
    try store.write { try store.add([rex, Dog(name: "Mo", age: 1), Dog(name: "Bo", age: 10)]) }

    try store.write {
      try store.update(Dog.self, set: ["age": UpdateExpression("age + 1")])
      let old = try store.update(
        Dog.self, set: ["name": "Old"], where: "age > %@", 9, returning: .count)
      try store.update(Dog.self, set: [\.color: "grey"]) { $0.name == "Old" }
      let gone = try store.delete(Dog.self) { $0.age < 3 }
      print(old, gone)  // 1 1
    }
    #expect(rex.age == 4 && store.objects(Dog.self).map(\.name) == ["Rex", "Old"])

    try await store.writeAsync { rex.age += 1 }
    #expect(rex.age == 5)
  }
}

final class AppearanceViewController {
  private let store: Store
  /// What the controls show and change.
  var draft: Appearance

  init(editing appearance: Appearance, in store: Store) {
    self.store = store
    draft = appearance.detached(depth: 0)
  }

  func cancel(showing appearance: Appearance) { draft = appearance.detached(depth: 0) }

  func save() throws {
    // A copy, so that the draft is left when the transaction fails.
    let saved = draft.detached(depth: 0)
    try store.write { try store.add(saved, update: .modified) }
    draft = saved.detached(depth: 0)
  }
}

/// A folder that is gone when the test is.
private final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("guide-\(UUID().uuidString)")

  init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }
}
