import Strata
import StrataTestModels
import Testing

/// An embedded object takes the place of one that has its unique value, which goes first.
@Suite struct UniqueEmbeddedTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func badge(_ code: String, _ inner: String? = nil) -> Badge {
    Badge(code: code, inner: inner.map { Badge(code: $0) })
  }

  private func wearer() throws -> Wearer {
    try test.added(
      Wearer(
        badge: badge("a", "a1"), spares: [badge("b"), badge("c", "c1")], pinned: ["k": badge("d")]))
  }

  private func codes(_ badges: Badge?...) -> [String] {
    badges.flatMap { badge in badge.map { [$0.code] + ($0.inner.map { [$0.code] } ?? []) } ?? [] }
  }

  private var all: [String] { store.objects(Badge.self).map(\.code).sorted() }

  @Test func inAProperty() throws {
    let wearer = try wearer()
    let old = wearer.badge!
    try store.write { wearer.badge = badge("a", "a1") }
    #expect(codes(wearer.badge) == ["a", "a1"])
    #expect(old.isInvalidated)
    // What was inside comes out, and the other way round.
    try store.write { wearer.badge = badge("a1", "a") }
    try store.write { wearer.badge = Badge(code: "n", inner: wearer.badge!.inner) }
    #expect(codes(wearer.badge) == ["n", "a"])
    try store.write { wearer.badge = wearer.badge!.inner }
    #expect(codes(wearer.badge) == ["a"])
    #expect(all == ["a", "b", "c", "c1", "d"])
  }

  @Test func inAListAndAMap() throws {
    let wearer = try wearer()
    try store.write {
      wearer.spares[1] = badge("c1", "c")
      wearer.spares[0] = badge("b")
      wearer.pinned["k"] = badge("d", "e")
    }
    #expect(codes(wearer.spares[0], wearer.spares[1]) == ["b", "c1", "c"])
    #expect(codes(wearer.pinned["k"]) == ["d", "e"])
    #expect(all == ["a", "a1", "b", "c", "c1", "d", "e"])
  }

  @Test func theSameObjectStays() throws {
    let wearer = try wearer()
    let (own, spare, pinned) = (wearer.badge!, wearer.spares[1], wearer.pinned["k"]!)
    try store.write {
      wearer.badge = own
      wearer.spares[1] = spare
      wearer.pinned["k"] = pinned
    }
    #expect(!own.isInvalidated && !spare.isInvalidated && !pinned.isInvalidated)
    #expect(all == ["a", "a1", "b", "c", "c1", "d"])
  }

  @Test func withObjectsThatAreNew() throws {
    let wearer = try wearer()
    try store.write {
      wearer.badge = Badge(code: "a", country: Country(code: "FR", name: "France"))
    }
    #expect(wearer.badge?.country?.name == "France")
  }

  @Test func whatStandsElsewhereIsADuplicate() throws {
    let wearer = try wearer()
    for change in [
      { wearer.badge = Badge(code: "n", inner: Badge(code: "c1")) },
      { wearer.spares[0] = Badge(code: "a1") },
      { wearer.pinned["k"] = wearer.badge! },
    ] {
      #expect(throws: StoreError.notUnique(model: "Badge", properties: ["code"])) {
        try store.write {
          change()
          // The old objects stand there until the end.
          #expect(codes(wearer.badge) == ["a", "a1"])
          #expect(codes(wearer.spares[0]) == ["b"] && codes(wearer.pinned["k"]) == ["d"])
          #expect(all == ["a", "a1", "b", "c", "c1", "d"])
        }
      }
      #expect(all == ["a", "a1", "b", "c", "c1", "d"])
    }
  }

  @Test func observersAreTold() throws {
    let wearer = try wearer()
    var told: [[Int]] = []
    let token = try wearer.spares.observe { change in
      if case .update(_, let deletions, let insertions, let modifications, _) = change {
        told += [deletions, insertions, modifications]
      }
    }
    try store.write { wearer.spares[0] = badge("b", "x") }
    #expect(told == [[0], [0], []])
    token.invalidate()
  }
}
