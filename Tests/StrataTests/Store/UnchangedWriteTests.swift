import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// Transactions that might have changed something.
@Suite struct UnchangedWriteTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    try store.write { try store.add(Person(id: 1, name: "Ada", age: 36)) }
  }

  private func create(age: Int) throws {
    try store.create(Person.self, value: ["id": 1, "name": "Ada", "age": age], update: .modified)
  }

  /// What a savepoint writes to the log is nothing that others would have to look at.
  @Test func whatIsAsItWasIsNoTransactionForOthers() throws {
    let other = try Database(path: test.folder.file("a.db"), mode: .readWrite)
    let version = try other.pragma("data_version")

    try store.write { try create(age: 36) }
    try store.beginRestartableWrite()
    try store.commitOrRestartWrite()
    #expect(try other.pragma("data_version") == version)

    try store.write { try create(age: 37) }
    #expect(try other.pragma("data_version") != version)
  }

  @Test func whatIsObservedStaysSo() throws {
    let log = ChangeLogbook()
    let token = try store.objects(Person.self).observe(log.note)
    try store.write { try create(age: 36) }
    try store.write { try create(age: 37) }
    try store.write { try #require(store.objects(Person.self).first).age = 38 }

    #expect(log.take() == ["initial 1", "*0", "*0"])
    token.invalidate()
  }
}
