import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// What a program writes that does not feed the log, while the observed store stands on no version that could be compared.
@Suite struct UnloggedWritesTests {
  private static let update = "UPDATE Person SET age = 99 WHERE name = 'Cyd'"
  private static let insertion =
    "INSERT INTO Person (_row, id, name, age, score, mood) "
    + "SELECT max(_row) + 9, 9, 'Ina', 0, 0.0, 'calm' FROM Person"

  let test: TestStore
  let store: Store
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      for (index, name) in ["Ada", "Bob", "Cyd", "Dan"].enumerated() {
        try store.add(Person(id: index, name: name, age: 10 * index))
      }
    }
  }

  /// Observes all people.
  private func observe() throws -> NotificationToken {
    let token = try store.objects(Person.self).observe(log.note)
    #expect(log.take() == ["initial 4"])
    return token
  }

  /// Calls a function once, behind one of the next statements with which the store leaves a version.
  private func behindCommit(_ number: Int, _ body: @escaping () throws -> Void) {
    var commits = 0
    store.database.setStatementLog { sql, _, _ in
      guard sql == "COMMIT" else { return }
      commits += 1
      guard commits == number else { return }
      do { try body() } catch { Issue.record(error) }
    }
  }

  @Test(arguments: ["empty", "cancelled", "thrown"])
  func afterATransactionThatStoresNothingVersionsAreCompared(_ kind: String) throws {
    func transaction() throws {
      switch kind {
      case "empty": try store.write {}
      case "cancelled":
        try store.beginWrite()
        store.cancelWrite()
      default:
        #expect(throws: TestStore.Refusal.self) {
          try store.write {
            try store.add(Dog(name: "Rex"))
            throw TestStore.Refusal()
          }
        }
      }
    }
    let token = try observe()

    try transaction()
    try test.execute(Self.update)
    try store.refresh()
    #expect(log.take() == ["*2"])

    try transaction()
    try test.execute(Self.insertion)
    #expect(store.objects(Person.self).count == 4)
    try store.refresh()
    #expect(log.take() == ["+4"])

    try store.write { try store.add(Person(id: 8, name: "Hal")) }
    #expect(log.take() == ["+5"] && store.objects(Person.self).count == 6)
    token.invalidate()
  }

  /// Nothing is left to compare with: all may have changed.
  @Test func aStoreThatHasLetGoOfItsVersionIsTold() throws {
    let token = try observe()
    try store.invalidate()
    try test.execute(Self.insertion)

    #expect(try store.refresh())
    #expect(log.take() == ["+4 *0,1,2,3"])
    try store.write { try store.add(Person(id: 8, name: "Hal")) }
    #expect(log.take() == ["+5"])
    token.invalidate()
  }

  /// As an asynchronous write does, which tries again.
  @Test func aWriteThatWaitsForTheProgramTellsWhatItWrote() throws {
    let token = try observe()
    try test.execute(Self.update)
    let program = try Database(path: test.folder.file("a.db"))
    try program.execute("BEGIN IMMEDIATE")
    try program.execute(Self.insertion)
    #expect(throws: StoreError.self) { try store.beginWrite(waiting: false, except: []) }
    #expect(log.take() == ["*2"])
    try program.execute("COMMIT")
    #expect(store.objects(Person.self).count == 4)

    try store.write {
      #expect(log.take() == ["+4"])
      try store.add(Person(id: 8, name: "Hal"))
    }

    #expect(log.take() == ["+5"])
    token.invalidate()
  }

  /// Behind the second commit the write takes the file, which it does not get.
  @Test func whatIsWrittenBeforeAWriteCannotBeginIsTold() throws {
    let token = try observe()
    let program = try Database(path: test.folder.file("a.db"))
    behindCommit(2) { [test] in
      try test.execute(Self.insertion)
      try program.execute("BEGIN IMMEDIATE")
    }
    defer { store.database.setStatementLog(nil) }

    #expect(throws: StoreError.self) { try store.beginWrite(waiting: false, except: []) }
    #expect(log.take() == ["+4 *0,1,2,3"] && store.objects(Person.self).count == 5)
    try program.execute("COMMIT")
    token.invalidate()
  }

  /// Behind the first of these commits the store moves to the newest version, behind the second it takes the file for writing.
  @Test(arguments: [1, 2]) func whatIsWrittenWhileAWriteBeginsIsToldBeforeIt(_ commit: Int) throws {
    let token = try observe()
    behindCommit(commit) { [test] in try test.execute(Self.insertion) }
    defer { store.database.setStatementLog(nil) }

    try store.write {
      #expect(log.take() == ["+4 *0,1,2,3"])
      try store.add(Person(id: 8, name: "Hal"))
    }

    #expect(log.take() == ["+5"])
    token.invalidate()
  }

  /// Versions were compared already, and the program writes once more before the store stands on the newer one.
  @Test func whatIsWrittenBehindTheComparisonIsTold() throws {
    let token = try observe()
    try test.execute(Self.update)
    behindCommit(1) { [test] in try test.execute(Self.insertion) }
    defer { store.database.setStatementLog(nil) }

    try store.refresh()
    #expect(log.take() == ["+4 *0,1,2,3"])
    try store.refresh()
    #expect(log.take() == [])
    token.invalidate()
  }

  @Test func whatTheLogSaysIsNotTakenForMore() throws {
    let token = try observe()
    let other = try test.open()
    try store.invalidate()
    try other.write { try other.add(Person(id: 7, name: "Gus")) }
    try store.refresh()
    #expect(log.take() == ["+4"])

    // Behind a comparison.
    try test.execute(Self.update)
    behindCommit(1) { try other.write { try other.add(Person(id: 8, name: "Hal")) } }
    defer { store.database.setStatementLog(nil) }
    try store.refresh()
    #expect(log.take() == ["+5 *2"])
    try store.refresh()
    #expect(log.take() == [])
    token.invalidate()
  }
}
