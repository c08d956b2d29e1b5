import Dispatch
import Strata
import StrataTestModels
import Testing

/// Who is told, and who is not.
extension CollectionNotificationTests {
  @Test func anObservationEndsWithItsToken() throws {
    let people = store.objects(Person.self)
    var token: NotificationToken? = try people.observe(log.note)
    try store.write { try store.add(Person(id: 7, name: "Gus")) }
    token?.invalidate()
    try store.write { try store.add(Person(id: 8, name: "Hal")) }
    #expect(log.take() == ["initial 4", "+4"])

    token = try people.observe(log.note)
    _ = token
    token = nil
    try store.write { try store.add(Person(id: 9, name: "Ina")) }
    #expect(log.take() == ["initial 6"])
  }

  @Test func aTokenMayBeGivenUpInItsOwnCallbackAndOnAnyThread() async throws {
    var tokens: [NotificationToken] = []
    let log = log
    tokens.append(
      try store.objects(Person.self).observe { change in
        log.note(change)
        for token in tokens { token.invalidate() }
      })
    try store.write { try store.add(Person(id: 7, name: "Gus")) }
    try store.write { try store.add(Person(id: 8, name: "Hal")) }
    #expect(log.take() == ["initial 4", "+4"])

    let token = try store.objects(Person.self).observe(log.note)
    await Task.detached { token.invalidate() }.value
    try store.write { try store.add(Person(id: 9, name: "Ina")) }
    #expect(log.take() == ["initial 6"])
  }

  @Test func anObservedStoreIsFreedWithItsToken() throws {
    var opened: Store? = try test.open()
    weak let freed = opened
    var token: NotificationToken? = try opened?.objects(Person.self).observe(log.note)
    opened = nil
    #expect(token != nil && freed != nil)

    token = nil
    #expect(freed == nil)
  }

  @Test func whoHoldsTheseTokensIsNotTold() throws {
    let people = store.objects(Person.self)
    let other = ChangeLogbook()
    let (mine, theirs) = (try people.observe(log.note), try people.observe(other.note))

    try store.write(withoutNotifying: [mine]) { try store.add(Person(id: 7, name: "Gus")) }
    try store.write { try store.add(Person(id: 8, name: "Hal")) }
    try store.beginWrite()
    try store.delete(person(0))
    try store.commitWrite(withoutNotifying: [mine, theirs])
    try store.write { try person(1).age = 1 }

    #expect(log.take() == ["initial 4", "+5", "*0"])
    #expect(other.take() == ["initial 4", "+4", "+5", "*0"])
    mine.invalidate()
    theirs.invalidate()
  }

  @Test func aTokenOfAnotherStoreIsRefused() throws {
    let other = try test.open()
    let theirs = try other.objects(Person.self).observe(log.note)
    let queued = try other.objects(Person.self).observe(on: .global()) { _ in }

    for token in [theirs, queued] {
      #expect(throws: StoreError.tokenOfAnotherStore) {
        try store.write(withoutNotifying: [token]) { try store.add(Dog(name: "Rex")) }
      }
      try store.beginWrite()
      try store.add(Dog(name: "Max"))
      #expect(throws: StoreError.tokenOfAnotherStore) {
        try store.commitWrite(withoutNotifying: [token])
      }
      #expect(!store.isInWriteTransaction)
    }
    #expect(store.objects(Dog.self).isEmpty)
    let own = try store.objects(Person.self).observe(on: .global()) { _ in }
    try store.write(withoutNotifying: [own]) { try store.add(Dog(name: "Rex")) }
    for token in [theirs, queued, own] { token.invalidate() }
  }

  @Test func aFailedCommitIsToldToNobodyAndSkippedByNobody() throws {
    let people = store.objects(Person.self)
    let token = try people.observe(log.note)
    #expect(throws: StoreError.self) {
      try store.write(withoutNotifying: [token]) {
        try store.add(Person(id: 7, name: "Gus"))
        let holder = Holder(name: "h", needed: Needed(name: "n"))
        try store.add(holder)
        try store.delete(store.objects(Needed.self))
      }
    }
    try store.write { try store.add(Person(id: 7, name: "Gus")) }

    #expect(log.take() == ["initial 4", "+4"])
    token.invalidate()
  }

  /// What one of them reads of the transaction is not there any more where another one cannot read it.
  @Test func whatOneCannotReadIsSkippedByNone() throws {
    try store.write { try person(0).age = 5 }
    let people = store.objects(Person.self)
    let other = ChangeLogbook()
    let tokens = [
      try people.observe(log.note), try people.filter("100 / age > 1").observe(other.note),
    ]
    #expect(throws: StoreError.self) {
      try store.write(withoutNotifying: tokens) {
        try store.add(Person(id: 7, name: "Gus", age: 0))
      }
    }
    try store.write { try store.add(Person(id: 8, name: "Hal", age: 10)) }

    #expect(log.take() == ["initial 4", "+4"])
    #expect(other.take() == ["initial 4", "+4"])
    for token in tokens { token.invalidate() }
  }

  /// What one observer could not read in its call ends no other one, and the program hears of it.
  @Test func whatAnObserverCannotReadIsNoErrorOfAnother() throws {
    let (ada, bob) = (try person(0), try person(1))
    let people = store.objects(Person.self)
    try store.write { ada.age = 10 }
    let question = try people.filter("100 / age > 1")
    let gone = ChangeLogbook()
    let tokens = [
      try people.observe { change in
        if case .update = change { _ = question.count }
      },
      try ada.notes.observe(log.note), try ada.scores.observe { _ in }, try bob.observe(gone.note),
    ]
    try store.write {
      ada.age = 0
      ada.notes.append("a")
      ada.scores["chess"] = 1
      try store.delete(bob)
    }

    #expect(log.take() == ["initial 0", "+0"])
    #expect(gone.take() == ["deleted"])
    #expect(throws: StoreError.self) { try store.refresh() }
    for token in tokens { token.invalidate() }
  }

  /// An observer that writes without telling another one: that one hears of what was there before, and of nothing else.
  @Test(arguments: [true, false])
  func whatCameBeforeIsToldToThoseWhoAreSkipped(isBlock: Bool) throws {
    let people = store.objects(Person.self)
    let other = ChangeLogbook()
    var skipped: [NotificationToken] = []
    let first = try people.observe { [store] change in
      guard case .update(let people, _, _, _, _) = change, people.count == 5 else { return }
      if isBlock {
        try? store.write(withoutNotifying: skipped) { try store.add(Person(id: 8, name: "Hal")) }
      } else {
        try? store.beginWrite()
        try? store.add(Person(id: 8, name: "Hal"))
        try? store.commitWrite(withoutNotifying: skipped)
      }
    }
    let second = try people.observe(other.note)
    let third = try people.observe(log.note)
    skipped = [second]
    try store.write { try store.add(Person(id: 7, name: "Gus")) }

    #expect(other.take() == ["initial 4", "+4"])
    #expect(log.take() == ["initial 4", "+4", "+5"])
    try store.write { try person(8).age = 9 }
    #expect(other.take() == ["*5"])
    #expect(log.take() == ["*5"])
    for token in [first, second, third] { token.invalidate() }
  }

  /// An observer that is told before another one's write, and writes itself: who was told before it hears of that, too.
  @Test func whatAnObserverWritesBeforeAnothersWriteIsToldToThoseWhoAreSkipped() throws {
    let people = store.objects(Person.self)
    let other = ChangeLogbook()
    var skipped: [NotificationToken] = []
    let first = try people.observe { [store] change in
      guard case .update(let people, _, _, _, _) = change, people.count == 5 else { return }
      try? store.write(withoutNotifying: skipped) { try store.add(Person(id: 8, name: "Hal")) }
    }
    let second = try people.observe(other.note)
    let third = try people.observe { [store, log] change in
      log.note(change)
      guard case .update(let people, _, _, _, _) = change, people.count == 5 else { return }
      try? store.write { try store.add(Person(id: 9, name: "Ida")) }
    }
    skipped = [second]
    try store.write { try store.add(Person(id: 7, name: "Gus")) }

    #expect(other.take() == ["initial 4", "+4", "+5"])
    #expect(log.take() == ["initial 4", "+4", "+5", "+6"])
    try store.write { try person(9).age = 9 }
    #expect(other.take() == ["*5"])
    for token in [first, second, third] { token.invalidate() }
  }

  /// What others wrote in between is not lost either, also to the observer itself that writes.
  @Test func whatOthersWroteIsToldToThoseWhoAreSkipped() throws {
    let people = store.objects(Person.self)
    let other = ChangeLogbook()
    let their = try test.open()
    var tokens: [NotificationToken] = []
    tokens.append(
      try people.observe { [store, log] change in
        log.note(change)
        guard case .update(let people, _, _, _, _) = change, people.count == 5 else { return }
        try? their.write { try their.add(Person(id: 8, name: "Hal")) }
        try? store.write(withoutNotifying: tokens) { try store.add(Person(id: 9, name: "Ida")) }
      })
    tokens.append(try people.observe(other.note))
    try store.write { try store.add(Person(id: 7, name: "Gus")) }

    #expect(log.take() == ["initial 4", "+4", "+5"])
    // Told before the write within, for the first time: of both at once.
    #expect(other.take() == ["initial 4", "+4,5"])
    for token in tokens { token.invalidate() }
  }
}
