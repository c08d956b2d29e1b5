import Foundation
import Strata
import StrataTestModels
import Testing

/// SQLite ends a read transaction where a page cannot be read: what is read behind it would be of the newest version.
@Suite struct LostVersionTests {
  let folder: TemporaryFolder
  let store: Store
  let other: Store

  /// A file in which a page of people is damaged, far from where the file is opened.
  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file("a.db")
    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.checksums = true
    let filled = try Store(configuration: configuration)
    try filled.write {
      for id in 1...3_000 { try filled.add(Person(id: id, name: "Person \(id)")) }
      for name in ["Rex", "Tan"] { try filled.add(Dog(name: name)) }
    }
    filled.close()
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(content.range(of: Data("Person 1500".utf8)))
    content[place.lowerBound] = UInt8(ascii: "F")
    try content.write(to: URL(fileURLWithPath: path))
    store = try Store(configuration: configuration)
    other = try Store(configuration: configuration)
  }

  /// - Parameter throwing: whether the read says so itself; else the next call that can does.
  private func readDamage(of store: Store, throwing: Bool) throws {
    if throwing {
      let error = #expect(throws: StoreError.self) {
        _ = try store.object(ofType: Person.self, forPrimaryKey: 1_500)
      }
      #expect(error?.code == "STR5004")
    } else {
      let name = store.objects(Person.self).where { $0.id == 1_500 }.first?.name ?? ""
      #expect(name.isEmpty)
    }
  }

  private func changeDogs() throws {
    try other.write {
      other.objects(Dog.self).first?.age = 5
      try other.add(Dog(name: "Max"))
    }
  }

  /// - Parameter isShared: whether the live store reads on the connection of the frozen one.
  @Test(arguments: [false, true], [false, true])
  func aFrozenStoreShowsNoOtherVersion(isShared: Bool, throwing: Bool) throws {
    if !isShared {
      // From here on the store tells versions apart.
      _ = store.freeze()
      try store.refresh()
    }
    let frozen = store.freeze()
    #expect(frozen.objects(Dog.self).count == 2)
    try readDamage(of: frozen, throwing: throwing)
    try changeDogs()

    #expect([0, 2].contains(frozen.objects(Dog.self).count))
    #expect(frozen.objects(Dog.self).allSatisfy { $0.age == 0 })
    try store.refresh()
    #expect(store.objects(Dog.self).count == 3)
    #expect(store.freeze().objects(Dog.self).count == 3)
  }

  @Test(arguments: [false, true])
  func aLiveStoreNoticesThatItStandsOnAnotherOne(throwing: Bool) throws {
    let dog = try #require(store.objects(Dog.self).first)
    #expect(dog.age == 0)
    try readDamage(of: store, throwing: throwing)
    try changeDogs()

    #expect(store.objects(Dog.self).count == 3 && dog.age == 5)
  }

  /// The error of the live store, which has one connection with the frozen one, ends the version of both.
  @Test func aStoreThatHasLostItsVersionFreezesAnotherOne() throws {
    let frozen = store.freeze()
    try readDamage(of: store, throwing: true)
    try changeDogs()

    #expect([0, 2].contains(frozen.objects(Dog.self).count))
    let newest = store.freeze()
    #expect(newest !== frozen && newest.objects(Dog.self).count == 3)
  }
}
