import StrataTestModels
import Testing

@testable import Strata

/// Random changes of sets, maps, inverses and paths over links, by the store and another one, some of them kept from the
/// observers: what is replayed as a table view does shows what is there.
@Suite struct DifferentialChangeSetTests {
  static let steps = 400

  /// The people and dogs of one file, of which some come and go.
  private final class World {
    let test: TestStore
    let store: Store
    let other: Store
    var random: SeededGenerator
    var nextID = 100

    init(seed: UInt64) throws {
      test = try TestStore()
      store = test.store
      random = SeededGenerator(seed: seed)
      other = try test.open()
      try store.write {
        for id in 0..<12 {
          let person = Person(id: id, name: "\(id)", age: id)
          person.dogs.append(Dog(name: "\(id)", age: id))
          try store.add(person)
        }
      }
    }

    func person(_ store: Store) -> Person? {
      store.objects(Person.self).randomElement(using: &random)
    }

    func number(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }

    /// One random change, of the first person's collections more often than of others.
    func change(_ store: Store) throws {
      guard let first = try store.object(ofType: Person.self, forPrimaryKey: 0),
        let other = person(store)
      else { return }
      let owner = number(0..<4) > 0 ? first : other
      switch number(0..<18) {
      case 0, 1: owner.friends.insert(other)
      case 2: owner.friends.remove(other)
      case 3: owner.tags.insert("\(number(0..<9))")
      case 4: owner.tags.remove("\(number(0..<9))")
      case 5: if number(0..<6) == 0 { owner.tags.removeAll() }
      case 6, 7: owner.scores["\(number(0..<7))"] = Double(number(0..<3))
      case 8: owner.scores.removeValue(forKey: "\(number(0..<7))")
      case 9: owner.pets["\(number(0..<5))"] = other.dogs.first
      case 10: owner.pets.removeValue(forKey: "\(number(0..<5))")
      case 11, 12: other.boss = number(0..<3) == 0 ? person(store) : first
      case 13: other.boss = nil
      case 14: other.friends.insert(first)
      case 15:
        other.age = number(0..<9)
        other.dogs.first?.age += 1
      case 16:
        nextID += 1
        try store.add(Person(id: nextID, name: "\(number(0..<9))", dogs: [Dog(name: "\(nextID)")]))
      default: if other.id != 0, number(0..<2) == 0 { try store.delete(other) }
      }
    }

    /// Some changes by the store, which tell these tokens nothing, by the other one, or by both.
    /// - Returns: whether the observers were left out.
    func step(_ tokens: [NotificationToken]) throws -> Bool {
      let count = number(1..<6)
      switch number(0..<8) {
      case 0:
        // What was told before is what the table shows: then the program changes both itself.
        try store.refresh()
        try store.write(withoutNotifying: tokens) { for _ in 0..<count { try change(store) } }
        return true
      case 1, 2:
        try other.write { for _ in 0..<count { try change(other) } }
        try store.write { try change(store) }
      case 3:
        for _ in 0..<count { try other.write { try change(other) } }
      case 4:
        try store.beginWrite()
        for _ in 0..<count { try change(store) }
        store.cancelWrite()
      default:
        try store.write { for _ in 0..<count { try change(store) } }
      }
      try store.refresh()
      return false
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func setsAndInversesReplay(_ seed: UInt64) throws {
    let world = try World(seed: seed)
    let first = try #require(try world.store.object(ofType: Person.self, forPrimaryKey: 0))
    func show(_ person: Person) -> String { "\(person.id) \(person.name) \(person.age)" }
    let (friends, tags) = (ReplayedList<String>(), ReplayedList<String>())
    let (reports, admirers) = (ReplayedList<String>(), ReplayedList<String>())
    let tokens = [
      try first.friends.observe(keyPaths: ["name", "age"]) { friends.replay($0, show) },
      try first.tags.observe { tags.replay($0, { $0 }) },
      try first.reports.observe(keyPaths: ["name", "age"]) { reports.replay($0, show) },
      try first.admirers.observe { admirers.replay($0, show) },
    ]
    for step in 0..<Self.steps {
      if try world.step(tokens) {
        friends.reset(to: first.friends.map(show))
        tags.reset(to: Array(first.tags))
        reports.reset(to: first.reports.map(show))
        admirers.reset(to: first.admirers.map(show))
      }
      try #require(friends.shown == first.friends.map(show), "step \(step)")
      try #require(tags.shown == Array(first.tags), "step \(step)")
      try #require(reports.shown == first.reports.map(show), "step \(step)")
      try #require(admirers.shown == first.admirers.map(show), "step \(step)")
      for list in [friends, tags, reports, admirers] { #expect(list.problem == nil) }
    }
    for list in [friends, tags, reports, admirers] { #expect(list.calls > 20) }
    for token in tokens { token.invalidate() }
  }

  @Test(arguments: [5, 6, 7] as [UInt64])
  func mapsReplay(_ seed: UInt64) throws {
    let world = try World(seed: seed)
    let first = try #require(try world.store.object(ofType: Person.self, forPrimaryKey: 0))
    func show(_ dog: Dog) -> String { "\(dog.name) \(dog.age)" }
    let (scores, pets) = (ReplayedMap<Double>(), ReplayedMap<String>())
    let tokens = [
      try first.scores.observe { scores.replay($0, { $0 }) },
      try first.pets.observe { pets.replay($0, show) },
    ]
    for step in 0..<Self.steps {
      if try world.step(tokens) {
        scores.reset(to: ReplayedMap.shown(first.scores, { $0 }))
        pets.reset(to: ReplayedMap.shown(first.pets, show))
      }
      try #require(scores.shown == ReplayedMap.shown(first.scores, { $0 }), "step \(step)")
      try #require(pets.shown == ReplayedMap.shown(first.pets, show), "step \(step)")
      #expect(scores.problem == nil && pets.problem == nil)
    }
    #expect(scores.calls > 20 && pets.calls > 20)
    for token in tokens { token.invalidate() }
  }

  /// With key paths only what they lead to counts: a view that shows just that is right.
  @Test(arguments: [8, 9, 10] as [UInt64])
  func keyPathsOverLinksReplay(_ seed: UInt64) throws {
    let world = try World(seed: seed)
    let people = world.store.objects(Person.self)
    let views: [(result: Results<Person>, paths: [String], show: (Person) -> String)] = [
      (people, ["boss.age"], { "\($0.id) \($0.boss?.age ?? -1)" }),
      (
        people.sorted(by: \.age), ["age", "boss.boss.name"],
        {
          "\($0.id) \($0.age) \($0.boss?.boss?.name ?? "")"
        }
      ),
      (people.where { $0.age > 3 }, ["dogs.age"], { "\($0.id) \($0.dogs.map(\.age))" }),
      (
        try people.sorted(by: "boss.age"), ["friends.age"],
        {
          "\($0.id) \($0.friends.map(\.age))"
        }
      ),
      (
        people.where { $0.boss.age > 2 }, ["pets.age", "name"],
        { person in
          "\(person.id) \(person.name) \(person.pets.map { $0.value.age })"
        }
      ),
    ]
    let replayed = views.map { _ in ReplayedList<String>() }
    var tokens: [NotificationToken] = []
    for (view, list) in zip(views, replayed) {
      tokens.append(
        try view.result.observe(keyPaths: view.paths) { list.replay($0, view.show) })
    }
    for step in 0..<Self.steps / 2 {
      let isLeftOut = try world.step(tokens)
      for (index, (view, list)) in zip(views, replayed).enumerated() {
        if isLeftOut { list.reset(to: view.result.map(view.show)) }
        try #require(list.shown == view.result.map(view.show), "view \(index), step \(step)")
        #expect(list.problem == nil, "view \(index), step \(step)")
      }
    }
    #expect(replayed.allSatisfy { $0.calls > 20 })
    for token in tokens { token.invalidate() }
  }
}

/// What an observer of a map shows that only looks at what it is told.
private final class ReplayedMap<Shown: Equatable> {
  private(set) var shown: [String: Shown] = [:]
  private(set) var calls = 0
  private(set) var problem: String?

  static func shown<Value>(_ map: Map<Value>, _ show: (Value) -> Shown) -> [String: Shown] {
    Dictionary(uniqueKeysWithValues: map.map { ($0.key, show($0.value)) })
  }

  func reset(to shown: [String: Shown]) { self.shown = shown }

  func replay<Value>(_ change: CollectionChange<Map<Value>>, _ show: (Value) -> Shown) {
    calls += 1
    switch change {
    case .initial(let map): shown = Self.shown(map, show)
    case .update(let map, let deletions, let insertions, let modifications, let moves):
      if !moves.isEmpty { problem = "keys have moved" }
      for key in deletions where shown.removeValue(forKey: key) == nil {
        problem = "\(key) was not there and is deleted"
      }
      for key in insertions where shown[key] != nil { problem = "\(key) was there and is inserted" }
      for key in modifications where shown[key] == nil { problem = "\(key) is new and modified" }
      for key in insertions + modifications { shown[key] = map[key].map(show) }
    case .error(let error): problem = error.description
    }
  }
}
