import Foundation
import Strata
import StrataTestModels
import Testing

/// Objects of a file that is damaged, or of a store that was closed: no look at a result stops the program.
@Suite struct UnreadableResultTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var configuration: Store.Configuration {
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: folder.file("a.db")), schema: TestingSchema.self)
    configuration.checksums = true
    return configuration
  }

  /// A file of 1,000 countries; the name of one of them is not what was written.
  private func damagedStore() throws -> Store {
    let store = try Store(configuration: configuration)
    try store.write {
      for number in 0..<1000 {
        try store.add(Country(code: "c\(number)", name: "a country, no \(number)."))
      }
    }
    store.close()
    let path = folder.file("a.db")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.range(of: Data("a country, no 777.".utf8)))
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    return try Store(configuration: configuration)
  }

  @Test(
    arguments: [
      { _ = Array($0) }, { _ = $0.map(\.name) }, { _ = $0.last?.name },
      { _ = Array($0.reversed()) },
      { for index in 0..<$0.count { _ = $0[index].name } },
      { for country in $0 { _ = country.name } },
      { _ = $0.sorted(by: \.name).map(\.code) }, { _ = $0.prefix(900).map(\.name) },
      { _ = Array($0.sorted(by: \.name, ascending: false)) },
    ] as [@Sendable (Results<Country>) -> Void])
  func aDamagedPageIsAnErrorOfTheNextCall(look: @Sendable (Results<Country>) -> Void) throws {
    let store = try damagedStore()
    look(store.objects(Country.self))
    let error = #expect(throws: StoreError.self) { try store.write {} }
    guard case .corrupt = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // Said once: what is whole is read and written on.
    try store.write { try store.add(Country(code: "new")) }
    #expect(try store.object(ofType: Country.self, forPrimaryKey: "new") != nil)
  }

  @Test func aLookupThatFailsLeavesTheStoreAsItWas() throws {
    let store = try damagedStore()
    #expect(throws: StoreError.self) {
      for number in 0..<1000 {
        _ = try store.object(ofType: Country.self, forPrimaryKey: "c\(number)")
      }
    }
    try store.write { try store.add(Country(code: "new")) }
    #expect(try store.object(ofType: Country.self, forPrimaryKey: "new") != nil)
  }

  @Test func aClosedStoreHasNoObjectsToTell() throws {
    let test = try TestStore.withAdaAndBob()
    let ada = try #require(test.store.objects(Person.self).first)
    let (people, old, reports) = (
      test.store.objects(Person.self), test.store.objects(Person.self).where { $0.age > 30 },
      ada.reports
    )
    #expect(people.count == 2 && old.count == 1 && reports.count == 1)
    test.store.close()
    #expect(Array(people).isEmpty && Array(old).isEmpty && Array(reports).isEmpty)
    #expect(people.map(\.name).isEmpty && reports.map(\.name).isEmpty)
    #expect(people[0].isInvalidated)
  }

  @Test func aClosedStoreHasNoSections() throws {
    let test = try TestStore.withAdaAndBob()
    let sections = test.store.objects(Person.self).sectioned(by: \.name)
    #expect(sections.allKeys == ["Ada", "Bob"])
    test.store.close()
    #expect(sections.isEmpty && sections[1].key == "" && sections[1].isEmpty)
    #expect(sections[SectionPlace(section: 1, item: 0)].isInvalidated)
  }

  @Test func sectionsThatCannotBeCountedAreAnErrorOfTheNextCall() throws {
    let store = try damagedStore()
    let sections = store.objects(Country.self).sectioned(by: \.name)
    #expect(sections[0].isEmpty)
    let error = #expect(throws: StoreError.self) { try store.write {} }
    guard case .corrupt = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
