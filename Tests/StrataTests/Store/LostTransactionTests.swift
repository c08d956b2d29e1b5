import StrataSQLite
import StrataTestModels
import Testing

@testable import Strata

/// Write transactions that SQLite ends by itself, as it does on a full disk and where a page cannot be read: nothing of them is stored, and
/// nothing that comes behind.
@Suite struct LostTransactionTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func stored(_ query: String) throws -> [[SQLiteValue]] {
    let other = try Database(path: test.folder.file("a.db"), mode: .readOnly)
    defer { other.close() }
    return try other.rows(query).map { Array($0) }
  }

  @Test func whatComesBehindIsNotStored() throws {
    let rex = try test.added(Dog(name: "Rex"))
    let ada = try test.added(Person(id: 1, name: "Ada"))
    let transactions = try stored("SELECT value FROM _strata WHERE key = 'transaction'")

    let error = #expect(throws: StoreError.self) {
      try store.write {
        rex.name = "Max"
        try store.database.execute("ROLLBACK")
        rex.age = 9
        ada.dogs.append(rex)
        try? store.add(Dog(name: "Bo"))
        try? store.delete(ada)
      }
    }

    #expect(error?.description.contains("SQLite has taken the transaction back") == true)
    #expect(try stored("SELECT name, age FROM Dog") == [[.text("Rex"), .integer(0)]])
    #expect(try stored(#"SELECT count(*) FROM "Person.dogs""#) == [[.integer(0)]])
    #expect(try stored("SELECT count(*) FROM Person") == [[.integer(1)]])
    #expect(
      try stored("SELECT value FROM _strata WHERE key = 'transaction'") == transactions)
    #expect(rex.name == "Rex" && ada.dogs.isEmpty && !ada.isInvalidated)
    try store.write { rex.age = 4 }
    #expect(try stored("SELECT age FROM Dog") == [[.integer(4)]])
  }

  /// An object of the transaction is not there any more, which is no mistake of the program.
  @Test func whatWasAddedMayStillBeSet() throws {
    let bo = Dog(name: "Bo")
    let ada = Person(id: 1, name: "Ada")

    #expect(throws: StoreError.self) {
      try store.write {
        try store.add(bo)
        try store.add(ada)
        try store.database.execute("ROLLBACK")
        bo.age = 3
        ada.dogs.append(bo)
        ada.name = "Grace"
      }
    }

    #expect(bo.isInvalidated && ada.isInvalidated)
    #expect(store.objects(Dog.self).isEmpty)
  }

  /// The disk has room again, as it may, before the body returns.
  @Test func aFullDisk() throws {
    let rex = try test.added(Dog(name: "Rex"))
    let pages = try store.database.pragma("page_count").ifInteger ?? 0
    try store.database.setPragma("max_page_count", .integer(pages))

    #expect(throws: StoreError.self) {
      try store.write {
        rex.age = 5
        rex.name = String(repeating: "x", count: 1 << 20)
        try store.database.setPragma("max_page_count", .integer(1 << 20))
        rex.age = 9
      }
    }

    #expect(try stored("SELECT name, age FROM Dog") == [[.text("Rex"), .integer(0)]])
    #expect(rex.age == 0)
    try store.write { rex.age = 4 }
    #expect(try stored("SELECT age FROM Dog") == [[.integer(4)]])
  }
}
