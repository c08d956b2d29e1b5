import Strata
import StrataTestModels
import Testing

private protocol Thawing { func thaw() -> Self? }
extension Person: Thawing {}

/// `thaw()` gives the live store to the actor that has it and to no other code; where no actor has it, to the task or thread that froze.
@Suite struct ThawingTests {
  let test: TestStore

  init() throws { test = try .withAdaAndBob() }

  private actor Library {
    private let store: Store

    init(_ configuration: Store.Configuration) throws {
      store = try Store(configuration: configuration)
    }

    var identifier: ObjectIdentifier { ObjectIdentifier(store) }

    func first() -> sending Person? { store.objects(Person.self).first?.freeze() }
    func all() -> sending Results<Person> { store.objects(Person.self).freeze() }

    func storeOfThawed(_ person: sending Person) -> ObjectIdentifier? {
      person.thaw()?.store.map { ObjectIdentifier($0) }
    }

    /// Whether all that is frozen here leads back to the actor's store.
    func thawsItsOwn() throws -> Bool {
      guard let ada = store.objects(Person.self).first else { return false }
      let stores = [
        try store.freeze().thaw(), ada.freeze().thaw()?.store, ada.dogs.freeze().thaw()?.store,
        ada.tags.freeze().thaw()?.store, ada.scores.freeze().thaw()?.store,
        ada.reports.freeze().thaw()?.store, store.objects(Person.self).freeze().thaw()?.store,
      ]
      return stores.allSatisfy { $0 === store }
    }
  }

  @Test func anActorThawsInItsStore() async throws {
    let library = try Library(test.store.configuration)

    #expect(try await library.thawsItsOwn())
  }

  /// It is the same task that runs in the actor and outside of it.
  @Test func whatAnActorHasFrozenIsThawedElsewhereInAnotherStore() async throws {
    let library = try Library(test.store.configuration)
    let own = await library.identifier
    let frozen = await library.first()
    let thawed = try #require(frozen?.thaw())
    let store = try #require(thawed.store)
    #expect(ObjectIdentifier(store) != own && thawed.name == "Ada")
    let all = await library.all()
    let another = all.thaw()?.store.map { ObjectIdentifier($0) }
    #expect(another != nil && another != own)

    try store.write { thawed.age += 1 }
    try test.store.refresh()
    #expect(test.store.objects(Person.self).first?.age == 37)
    #expect(try await library.thawsItsOwn())
  }

  @Test func anotherActorThawsInAnotherStore() async throws {
    let library = try Library(test.store.configuration)
    let other = try Library(test.store.configuration)
    let own = await library.identifier
    var stores: [ObjectIdentifier?] = []
    for thawing in [library, other] {
      guard let ada = await library.first() else { continue }
      stores.append(await thawing.storeOfThawed(ada))
    }

    #expect(stores.count == 2 && stores[0] == own && stores[1] != nil && stores[1] != own)
  }

  /// Swift says no actor here.
  private func thawWithoutActor(_ person: Person) -> Person? { person.thaw() }

  @MainActor @Test func theMainActorAndItsFunctionsThawInItsStore() async throws {
    let store = try test.open()
    let ada = store.objects(Person.self)[0]
    let frozen = ada.freeze()
    #expect(frozen.thaw()?.store === store)
    #expect(thawWithoutActor(frozen)?.store === store)

    let own = ObjectIdentifier(store)
    let sent = ada.freeze()
    let other = await Task.detached { sent.thaw()?.store.map { ObjectIdentifier($0) } }.value
    #expect(other != nil && other != own)
  }

  @Test func aFunctionWithoutParametersIsThere() throws {
    let store = test.store
    let frozen = store.objects(Person.self)[0].freeze()
    let thaw: () -> Person? = frozen.thaw
    func thawed<Kept: Thawing>(_ kept: Kept) -> Kept? { kept.thaw() }

    #expect(thaw()?.store === store && thawed(frozen)?.store === store)
  }
}
