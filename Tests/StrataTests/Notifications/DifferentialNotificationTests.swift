import StrataTestModels
import Testing

@testable import Strata

/// Thousands of random changes, by the store, another one and a program that says nothing: whoever replays what it is told
/// shows what is there.
@Suite struct DifferentialNotificationTests {
  static let steps = 1_500

  private final class Changer {
    let test: TestStore
    let other: Store
    var random: SeededGenerator
    var nextID = 0

    init(seed: UInt64) throws {
      test = try TestStore()
      other = try test.open()
      random = SeededGenerator(seed: seed)
    }

    func person(_ store: Store) -> Person? {
      store.objects(Person.self).randomElement(using: &random)
    }

    /// One random change of objects.
    func change(_ store: Store) throws {
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1, 2:
        nextID += 1
        try store.add(
          Person(
            id: nextID, name: ["Ada", "Bob", "Cyd"].randomElement(using: &random) ?? "",
            age: .random(in: 0..<9, using: &random)))
      case 3: if let person = person(store) { try store.delete(person) }
      case 4, 5: person(store)?.age = .random(in: 0..<9, using: &random)
      case 6: person(store)?.name = ["Ada", "Bob", "Cyd"].randomElement(using: &random) ?? ""
      case 7: person(store)?.boss = person(store)
      case 8: person(store)?.dogs.append(Dog(name: "Rex"))
      case 9: store.objects(Dog.self).randomElement(using: &random)?.age += 1
      case 10:
        if let dogs = person(store)?.dogs, dogs.count > 1 {
          dogs.move(from: 0, to: .random(in: 0..<dogs.count, using: &random))
        }
      case 11:
        guard let notes = person(store)?.notes else { return }
        notes.insert(
          ["a", "b", nil].randomElement(using: &random) ?? nil,
          at: .random(in: 0...notes.count, using: &random))
      case 12:
        guard let notes = person(store)?.notes, !notes.isEmpty else { return }
        let index = Int.random(in: 0..<notes.count, using: &random)
        if Bool.random(using: &random) { notes.remove(at: index) } else { notes[index] = "c" }
      case 13:
        guard let notes = person(store)?.notes, notes.count > 1 else { return }
        notes.swapAt(0, .random(in: 0..<notes.count, using: &random))
      case 14:
        if let dog = store.objects(Dog.self).randomElement(using: &random) { try store.delete(dog) }
      default:
        if let person = person(store) { person.tags.insert(person.name) }
      }
    }

    /// One step: some changes by somebody.
    func step(_ store: Store) throws {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<7:
        try store.write { for _ in 0..<Int.random(in: 1..<6, using: &random) { try change(store) } }
      case 7..<10:
        for _ in 0..<Int.random(in: 1..<4, using: &random) {
          try other.write { try change(other) }
        }
        if Bool.random(using: &random) { try store.refresh() }
      case 10:
        try store.refresh()
        try test.execute("UPDATE Person SET age = (age + 3) % 9 WHERE _row % 3 = 0")
        try store.refresh()
      default:
        try store.beginWrite()
        try change(store)
        store.cancelWrite()
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func replayingShowsWhatIsThere(_ seed: UInt64) throws {
    let changer = try Changer(seed: seed)
    let store = changer.test.store
    let keeper = Person(id: -1, name: "Keeper", age: 100)
    try store.write { try store.add(keeper) }
    func show(_ person: Person) -> String {
      "\(person.id) \(person.name) \(person.age) \(person.boss?.name ?? "-") "
        + "\(person.dogs.map(\.age)) \(person.notes.count) \(person.tags.count)"
    }
    let people = store.objects(Person.self)
    let results = [
      people, people.sorted(by: \.age), try people.filter("age > 3 AND name != 'Bob'"),
      try people.sorted(by: "boss.name").limit(7), people.distinct(by: \.name),
      try people.filter("ANY dogs.age > 1").sorted(by: \.name, ascending: false),
    ]
    let replayed = results.map { _ in ReplayedList<String>() }
    var tokens: [NotificationToken] = []
    for (result, list) in zip(results, replayed) {
      tokens.append(try result.observe { list.replay($0, show) })
    }

    for step in 0..<Self.steps / 3 {
      try changer.step(store)
      try store.refresh()
      for (index, (result, list)) in zip(results, replayed).enumerated() {
        let shown = result.map(show)
        try #require(list.shown == shown, "result \(index), step \(step)")
        #expect(list.problem == nil)
      }
    }
    #expect(replayed.allSatisfy { $0.calls > 20 })
    for token in tokens { token.invalidate() }
  }

  /// Results that are too many to be compared as a whole are followed row by row.
  @Test(arguments: [7, 8] as [UInt64]) func largeResultsReplayToo(_ seed: UInt64) throws {
    let test = try TestStore()
    let store = test.store
    var random = SeededGenerator(seed: seed)
    try store.write {
      for id in 0..<3_000 {
        try store.add(Person(id: id, name: "\(id % 7)", age: .random(in: 0..<500, using: &random)))
      }
    }
    let people = store.objects(Person.self)
    let results = [
      people, people.sorted(by: \.age), people.where { $0.age < 400 },
      people.where { $0.name != "3" }.sorted(by: \.age, ascending: false),
    ]
    let replayed = results.map { _ in ReplayedList<String>() }
    func show(_ person: Person) -> String { "\(person.id) \(person.name) \(person.age)" }
    var tokens: [NotificationToken] = []
    for (result, list) in zip(results, replayed) {
      tokens.append(try result.observe { list.replay($0, show) })
    }
    for step in 0..<60 {
      try store.write {
        for number in 0..<Int.random(in: 1..<8, using: &random) {
          let person = try #require(people.randomElement(using: &random))
          switch Int.random(in: 0..<5, using: &random) {
          case 0: try store.delete(person)
          case 1: try store.add(Person(id: 10_000 + 10 * step + number, name: "1", age: 250))
          case 2: person.name = "\(Int.random(in: 0..<7, using: &random))"
          default: person.age = .random(in: 0..<500, using: &random)
          }
        }
      }
      for (index, (result, list)) in zip(results, replayed).enumerated() {
        try #require(list.shown == result.map(show), "result \(index), step \(step)")
        #expect(list.problem == nil)
      }
    }
    for token in tokens { token.invalidate() }
  }

  @Test(arguments: [4, 5, 6] as [UInt64]) func listsReplayToo(_ seed: UInt64) throws {
    let test = try TestStore()
    let store = test.store
    var random = SeededGenerator(seed: seed)
    let ada = Person(id: 1, name: "Ada")
    let dogs = (0..<6).map { Dog(name: "\($0)") }
    try store.write {
      try store.add(ada)
      try store.add(dogs)
    }
    let (notes, list) = (ReplayedList<String?>(), ReplayedList<String>())
    let tokens = [
      try ada.notes.observe { notes.replay($0, { $0 }) },
      try ada.dogs.observe { list.replay($0, { "\($0.name) \($0.age)" }) },
    ]
    for step in 0..<Self.steps / 3 {
      try store.write {
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
          let (noteCount, dogCount) = (ada.notes.count, ada.dogs.count)
          switch Int.random(in: 0..<8, using: &random) {
          case 0, 1:
            ada.notes.insert(
              ["a", "b", nil].randomElement(using: &random) ?? nil,
              at: .random(in: 0...noteCount, using: &random))
          case 2 where noteCount > 0:
            ada.notes.remove(at: .random(in: 0..<noteCount, using: &random))
          case 3 where noteCount > 0: ada.notes[.random(in: 0..<noteCount, using: &random)] = "c"
          case 4:
            // The same dog may stand in it twice.
            ada.dogs.insert(
              dogs.randomElement(using: &random) ?? dogs[0],
              at: .random(in: 0...dogCount, using: &random))
          case 5 where dogCount > 0: ada.dogs.remove(at: .random(in: 0..<dogCount, using: &random))
          case 6 where dogCount > 0:
            ada.dogs.move(
              from: .random(in: 0..<dogCount, using: &random),
              to: .random(in: 0..<dogCount, using: &random))
          default: dogs.randomElement(using: &random)?.age += 1
          }
        }
      }
      try #require(notes.shown == Array(ada.notes), "step \(step)")
      try #require(list.shown == ada.dogs.map { "\($0.name) \($0.age)" }, "step \(step)")
      #expect(notes.problem == nil && list.problem == nil)
    }
    for token in tokens { token.invalidate() }
  }

  @Test(arguments: 0..<200) func differencesLeadFromOneArrayToTheOther(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let old = (0..<20).shuffled(using: &random).prefix(.random(in: 0..<15, using: &random))
    let new = (0..<20).shuffled(using: &random).prefix(.random(in: 0..<15, using: &random))
    let difference = ArrayDifference(from: Array(old), to: Array(new))

    var replayed = Array(old)
    for index in (difference.deletions + difference.moves.map(\.from)).sorted(by: >) {
      replayed.remove(at: index)
    }
    for index in (difference.insertions + difference.moves.map(\.to)).sorted() {
      replayed.insert(new[index], at: index)
    }

    #expect(replayed == Array(new))
    #expect(Set(difference.deletions.map { old[$0] }) == Set(old).subtracting(new))
    #expect(Set(difference.insertions.map { new[$0] }) == Set(new).subtracting(old))
  }
}
