import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// A read fails once, as with a disk that answers late: what was to be told is told when the file can be read again.
@Suite struct FailedReadTests {
  let test: TestStore
  let store: Store
  let ada = Person(id: 1, name: "Ada", age: 36)
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write { [store, ada] in try store.add(ada) }
  }

  /// What another store writes between the look for others' changes and the version to which the store moves then, where its log cannot be read at
  /// first.
  @Test func whatOthersDidIsToldBehindAFailure() throws {
    let token = try store.objects(Person.self).observe(log.note)
    let other = try test.open()
    var (hasWritten, fails) = (false, false)
    store.database.setProgressHandler(every: 1) {
      defer { fails = false }
      return fails
    }
    store.database.setStatementLog { sql, _, _ in
      if sql == "COMMIT", !hasWritten {
        hasWritten = true
        #expect(throws: Never.self) {
          try other.write { try other.add(Person(id: 2, name: "Bob")) }
        }
      } else if sql.hasSuffix("schema_version") {
        fails = true
      }
    }
    #expect(throws: StoreError.self) { try store.refresh() }
    store.database.setStatementLog(nil)
    store.database.setProgressHandler(every: 0, nil)
    #expect(log.take() == ["initial 1"])

    try store.refresh()
    #expect(log.take() == ["+1"])
    token.invalidate()
  }

  @Test func anObjectThatCouldNotBeReadIsNotToldAsDeleted() throws {
    let token = try ada.observe(log.note)
    let other = try test.open()
    try other.write { try other.update(Person.self, set: ["age": 37]) }
    try store.refresh()
    #expect(log.take() == ["age: 36 → 37"])

    try other.write { try other.add(Person(id: 2, name: "Bob")) }
    try store.refresh()
    store.database.setProgressHandler(every: 1) { true }
    _ = ada.age
    store.database.setProgressHandler(every: 0, nil)
    #expect(throws: StoreError.self) { try store.refresh() }
    try store.write { ada.notes.append("n") }

    #expect(log.take() == ["notes: nil → [\"n\"]"] && !ada.isInvalidated && ada.age == 37)
    token.invalidate()
  }

  /// The objects are read, and how many there are of each key is not.
  @Test func sectionsThatCannotBeCountedAreAnError() throws {
    let other = try test.open()
    try other.write {
      for number in 0..<500 { try other.add(Dog(name: "Dog", color: "\(number % 5)")) }
    }
    try store.refresh()
    var told: [String] = []
    let token = try store.objects(Dog.self).sectioned(by: \.color).observe { change in
      switch change {
      case .initial: told.append("initial")
      case .update(_, _, let insertions, _, _, _): told.append("+\(insertions.count)")
      case .error: told.append("error")
      }
    }
    var (isWriting, fails) = (false, false)
    // Behind the commit, only what looks at all dogs takes so many instructions.
    store.database.setProgressHandler(every: 2_000) { fails }
    store.database.setStatementLog { sql, _, _ in
      if sql == "BEGIN IMMEDIATE" { isWriting = true }
      if sql == "COMMIT", isWriting { fails = true }
    }
    try store.write { try store.add(Dog(name: "Rex", color: "0")) }
    store.database.setStatementLog(nil)
    store.database.setProgressHandler(every: 0, nil)

    #expect(told == ["initial", "error"])
    // It is told already.
    try store.refresh()
    token.invalidate()
  }

  /// In memory there are no versions: another store that has begun a transaction behind the commit keeps this one from reading.
  @Test func whatCannotBeReadBehindACommitIsToldLater() throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "held \(test.folder.path)"
    configuration.busyTimeout = .zero
    let store = try Store(configuration: configuration)
    let other = try Store(configuration: configuration)
    let token = try store.objects(Dog.self).observe(log.note)
    var hasBegun = false
    store.database.setStatementLog { sql, _, _ in
      guard sql == "COMMIT", !hasBegun else { return }
      hasBegun = true
      #expect(throws: Never.self) { try other.database.begin(.immediate) }
    }
    try store.write { try store.add(Dog(name: "Rex")) }
    store.database.setStatementLog(nil)
    #expect(hasBegun && log.take() == ["initial 0"])
    try other.database.commit()
    try store.refresh()

    #expect(log.take() == ["+0"])
    token.invalidate()
  }
}
