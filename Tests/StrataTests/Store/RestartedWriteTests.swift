import Foundation
import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// Transactions that go back to their beginning and hold the file meanwhile.
@Suite struct RestartedWriteTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func expectLocked() throws {
    let other = try Database(path: test.folder.file("a.db"), mode: .readWrite)
    defer { other.close() }
    let error = #expect(throws: SQLiteError.self) { try other.begin(.immediate) }
    #expect(error?.primaryCode == .busy)
  }

  @Test func whatWasDoneIsTakenBackAndTheFileStaysLocked() throws {
    let rex = try test.added(Dog(name: "Rex"))
    try store.beginRestartableWrite()
    rex.name = "Max"
    let gone = Dog(name: "Bo")
    try store.add(gone)
    let identity = store.nextIdentity

    #expect(store.restartWrite())

    #expect(rex.name == "Rex")
    #expect(gone.isInvalidated && gone.name == "Bo")
    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
    try expectLocked()
    try store.add(Dog(name: "Bo"))
    #expect(store.nextIdentity == identity)
    try store.commitOrRestartWrite()
    #expect(store.objects(Dog.self).map(\.name) == ["Rex", "Bo"])
  }

  @Test func aRefusedCommitLeavesTheTransactionAtItsBeginning() throws {
    let person = try test.added(Person(id: 1, name: "Ada"))
    try store.beginRestartableWrite()
    person.name = "Grace"
    try store.database.execute(
      "INSERT INTO \"Person.dogs\" (_owner, _index, value) VALUES (999999, 1, 1)")

    #expect(throws: StoreError.self) { try store.commitOrRestartWrite() }

    #expect(store.isInWriteTransaction)
    #expect(person.name == "Ada")
    try expectLocked()
    person.name = "Edith"
    try store.commitOrRestartWrite()
    #expect(try store.refresh() == false)
    #expect(person.name == "Edith")
  }

  /// As on a full disk.
  @Test func whereSQLiteEndedTheTransactionItIsCancelled() throws {
    let rex = try test.added(Dog(name: "Rex"))
    try store.beginRestartableWrite()
    rex.name = "Max"
    try store.database.execute("ROLLBACK")

    #expect(!store.restartWrite())

    #expect(!store.isInWriteTransaction)
    #expect(rex.name == "Rex")
    try store.write { rex.name = "Bo" }
    #expect(rex.name == "Bo")
  }
}
