import Observation
import StrataTestModels
import Synchronization
import Testing

@testable import Strata

/// Observers that come while Swift's Observation tracks what is read, as in the body of a view.
@Suite struct TrackedObservationTests {
  let test: TestStore
  let store: Store
  let ada = Person(id: 1, name: "Ada")

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write { [store, ada] in
      try store.add(ada)
      ada.dogs.append(Dog(name: "Rex"))
    }
  }

  private func tracked<Result>(_ body: () throws -> Result) throws -> Result {
    try withObservationTracking {
      Swift.Result { try body() }
    } onChange: {
    }.get()
  }

  private func hasNext(_ change: ObjectChange<Person>) -> Bool {
    if case .change = change { true } else { false }
  }

  private func isUpdate<Observed>(_ change: CollectionChange<Observed>) -> Bool {
    if case .update = change { true } else { false }
  }

  /// Ways to observe what the transaction of the test changes, each with a way to say that it was told.
  private func observe(_ name: String, _ told: @escaping () -> Void) throws -> NotificationToken {
    switch name {
    case "list": try ada.notes.observe { if isUpdate($0) { told() } }
    case "list of objects": try ada.dogs.observe { if isUpdate($0) { told() } }
    case "set": try ada.tags.observe { if isUpdate($0) { told() } }
    case "map": try ada.scores.observe { if isUpdate($0) { told() } }
    case "object":
      try ada.observe { (change: ObjectChange<Person>) in if hasNext(change) { told() } }
    case "results": try store.objects(Person.self).observe { if isUpdate($0) { told() } }
    case "inverse": try ada.reports.observe { if isUpdate($0) { told() } }
    case "sections":
      try store.objects(Person.self).sectioned(by: \.age).observe { change in
        if case .update = change { told() }
      }
    default: try store.observe { _, _ in told() }
    }
  }

  @Test(arguments: [
    "list", "list of objects", "set", "map", "object", "results", "inverse", "sections", "store",
  ])
  func isToldOfWhatFollows(_ name: String) throws {
    var count = 0
    // Their collections are there before anything is tracked.
    _ = (ada.notes, ada.dogs, ada.tags, ada.scores, ada.reports)
    let token = try tracked { try observe(name) { count += 1 } }
    for age in 1...2 {
      try store.write {
        ada.age = age
        ada.notes.append("n")
        ada.dogs.append(Dog(name: "Tan"))
        _ = ada.tags.insert("\(age)")
        ada.scores["go"] = Double(age)
        try store.add(Person(id: 1 + age, name: "Bob", age: age, boss: ada))
      }
      #expect(count == age)
    }
    token.invalidate()
  }

  /// One that waits, as sequences of changes and observers on a queue do.
  @Test func whoWaitsIsToldOfWhatFollows() throws {
    let notes = ada.notes
    let source = ElementsSource(notes.core, WatchedPaths()) { notes.core.storedValues }
    let state = ObservationState(of: store.following.identity)
    var count = 0
    let waiting = try tracked { try store.wait(for: source, state) { count += 1 } }
    try store.write { notes.append("n") }

    #expect(try count == 1 && waiting.difference()?.insertions == [0])
  }

  private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }

  /// Whether a read is tracked does not depend on what other threads do.
  @Test func anotherThreadThatTracksMakesNoDifference() async {
    let hasEnded = Flag()
    await withTaskGroup(of: Int.self) { group in
      group.addTask {
        while !hasEnded.isSet.load(ordering: .relaxed) {
          withObservationTracking {
            for _ in 0..<100 { _ = ObservationTracker.isTracking }
          } onChange: {
          }
        }
        return 0
      }
      group.addTask {
        defer { hasEnded.isSet.store(true, ordering: .relaxed) }
        return (0..<200_000).count { _ in ObservationTracker.isTracking }
      }
      #expect(await group.reduce(0, +) == 0)
    }
    var isTracked = false
    withObservationTracking {
      isTracked = ObservationTracker.isTracking
    } onChange: {
    }
    #expect(isTracked && !ObservationTracker.isTracking)
  }
}
