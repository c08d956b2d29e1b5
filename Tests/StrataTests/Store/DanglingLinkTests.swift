import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// Links that lead to no object, which only a program without foreign keys can leave behind.
@Suite struct DanglingLinkTests {
  let test: TestStore

  init() throws {
    test = try TestStore()
    try test.store.write {
      let boss = Person(id: 1, name: "Ada")
      let person = Person(id: 2, name: "Bob")
      person.boss = boss
      person.home = Address(street: "Rue 1")
      try test.store.add(person)
    }
  }

  /// What a program with foreign keys off does to the file.
  private func execute(_ sql: String) throws {
    let database = try Database(path: test.folder.file("a.db"))
    defer { database.close() }
    try database.setPragma("foreign_keys", false)
    try database.setPragma("recursive_triggers", false)
    try database.execute(sql)
  }

  private func damage(_ store: Store) -> String? {
    let error = #expect(throws: StoreError.self) { try store.write {} }
    #expect(error?.code == "STR5004")
    return error?.description
  }

  @Test(arguments: [false, true])
  func aLinkToNothingIsNilAndSaidByTheNextCall(isOpen: Bool) throws {
    if !isOpen { test.store.close() }
    try execute("DELETE FROM Person WHERE id = 1")
    let store = try isOpen ? test.store : test.open()
    try store.refresh()
    let bob = try #require(store.objects(Person.self).filter("id = 2").first)

    #expect(bob.boss == nil)

    #expect(damage(store)?.contains(": boss leads to Person _row ") == true)
    #expect(bob["boss"] == nil)
    #expect(damage(store)?.contains(", which is not there") == true)
    #expect(bob.name == "Bob" && bob.home?.street == "Rue 1")
    try store.write { bob.boss = nil }
    #expect(bob.boss == nil)
    try store.write {}
  }

  /// A deleted object still shows what it led to.
  @Test func aDeletedObjectIsNoDamage() throws {
    let store = test.store
    let bob = try #require(store.objects(Person.self).filter("id = 2").first)
    #expect(bob.boss?.name == "Ada")
    try store.write { try store.deleteAll() }
    #expect(bob.isInvalidated)
    _ = bob.boss
    try store.write {}
  }
}
