import StrataTestModels
import Testing

@testable import Strata

/// Observers that write themselves.
@Suite struct RepeatedWriteTests {
  @Test func whatIsToldFitsWhatIsSeenThoughAnObserverWritesSeveralTimes() throws {
    let test = try TestStore()
    let store = test.store
    let people = store.objects(Person.self)
    var (shown, hasWritten) = (0, false)
    var fits: [Bool] = []
    let token = try people.observe { [store] change in
      switch change {
      case .initial(let people): shown = people.count
      case .update(let people, let deletions, let insertions, _, _):
        shown += insertions.count - deletions.count
        fits.append(shown == people.count && insertions.allSatisfy { $0 < people.count })
        if hasWritten { return }
        hasWritten = true
        try? store.write { try store.add(Person(id: 8, name: "Eve")) }
        try? store.write { try store.add(Person(id: 9, name: "Fay")) }
        try? store.write { try store.delete(people[2]) }
      case .error: break
      }
    }
    _ = try test.added(Person(id: 7, name: "Gus"))

    #expect(fits == [true, true])
    #expect(shown == 2 && people.count == 2)
    token.invalidate()
  }

  @Test func whatIsLeftOutForItIsLeftOutAlone() throws {
    let test = try TestStore()
    let store = test.store
    let people = store.objects(Person.self)
    var told: [[Int]] = []
    var token: NotificationToken?
    token = try people.observe { [store] change in
      guard case .update(_, _, let insertions, _, _) = change else { return }
      told.append(insertions)
      guard told.count == 1, let token else { return }
      try? store.write { try store.add(Person(id: 8, name: "Eve")) }
      try? store.write(withoutNotifying: [token]) { try store.add(Person(id: 9, name: "Fay")) }
    }
    _ = try test.added(Person(id: 7, name: "Gus"))

    #expect(told == [[0], [1]])
    token?.invalidate()
  }

  @Test func whatCameBeforeIsToldThoughABodyEndsItsTransactionItself() throws {
    let test = try TestStore()
    let store = test.store
    let people = store.objects(Person.self)
    var (shown, calls) = (0, 0)
    var token: NotificationToken?
    token = try people.observe { [store] change in
      guard case .update(_, let deletions, let insertions, _, _) = change else { return }
      shown += insertions.count - deletions.count
      calls += 1
      guard calls == 1, let token else { return }
      try? store.write { try store.add(Person(id: 8, name: "Eve")) }
      try? store.write {
        try store.add(Person(id: 9, name: "Fay"))
        try store.commitWrite(withoutNotifying: [token])
      }
    }
    _ = try test.added(Person(id: 7, name: "Gus"))

    #expect(shown == 3)
    token?.invalidate()
  }

  @Test func severalTransactionsOfACallAreToldInOne() throws {
    let test = try TestStore()
    let store = test.store
    var (shown, calls) = (0, 0)
    var told: [[Int]] = []
    let token = try store.objects(Person.self).observe { [store] change in
      guard case .update(let people, let deletions, let insertions, _, _) = change else { return }
      shown += insertions.count - deletions.count
      told.append(insertions)
      #expect(shown == people.count)
      calls += 1
      guard calls == 1 else { return }
      for id in 8..<11 {
        try? store.beginWrite()
        _ = try? store.add(Person(id: id, name: "\(id)"))
        try? store.commitWrite()
      }
    }
    _ = try test.added(Person(id: 7, name: "Gus"))

    #expect(told == [[0], [1, 2, 3]])
    token.invalidate()
  }

  @Test func anObjectTellsTheValuesOfTheLastCall() throws {
    let test = try TestStore()
    let store = test.store
    let ada = try test.added(Person(id: 1, name: "Ada"))
    let log = ChangeLogbook()
    var token: NotificationToken?
    token = try ada.observe { [store] change in
      log.note(change)
      guard log.lines.count == 1, let token else { return }
      for age in 1..<3 {
        try? store.beginWrite()
        ada.age = age
        try? store.commitWrite()
      }
      try? store.write(withoutNotifying: [token]) { ada.email = "a@b.c" }
    }
    try store.write { ada.name = "Ida" }

    #expect(log.take() == ["name: Ada → Ida", "age: 0 → 2"])
    token?.invalidate()
  }

  /// An actor hears of each write to the file, those of its own store among them.
  @Test func observersThatWriteWithoutEndStopUntilSomethingHappens() throws {
    let test = try TestStore()
    let store = test.store
    var calls = 0
    let token = try store.objects(Dog.self).observe { [store] change in
      guard case .update = change else { return }
      calls += 1
      try? store.write { try store.add(Dog(name: "Rex")) }
    }
    _ = try test.added(Dog(name: "Rex"))
    #expect(calls == Observers.maximumRounds)

    // The store's own writes are seen in the file.
    store.catchUp()
    #expect(calls == Observers.maximumRounds)

    let other = try test.open()
    try other.write { try other.add(Dog(name: "Max")) }
    store.catchUp()
    #expect(calls == 2 * Observers.maximumRounds)
    try store.refresh()
    #expect(calls == 3 * Observers.maximumRounds)
    token.invalidate()
  }
}
