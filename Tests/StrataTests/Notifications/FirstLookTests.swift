import Observation
import Strata
import StrataTestModels
import Testing

/// What others commit before a store begins to follow: it is told without another write.
@MainActor @Suite struct FirstLookTests {
  let test: TestStore
  let store: Store
  let other: Store

  init() throws {
    test = try TestStore()
    store = test.store
    other = try test.open()
    try store.write { try store.add(Person(id: 0, name: "Ada")) }
  }

  private func addByAnother(_ id: Int) throws {
    try other.write { try other.add(Person(id: id, name: "Bob")) }
  }

  @Test(.timeLimit(.minutes(10))) func anObserverIsToldWhatWasCommittedBeforeIt() async throws {
    let people = store.objects(Person.self)
    #expect(people.count == 1)
    try addByAnother(1)
    let (told, continuation) = AsyncStream<[Int]>.makeStream()
    let token = try people.observe { change in
      if case .update(_, _, let insertions, _, _) = change { continuation.yield(insertions) }
    }

    var changes = told.makeAsyncIterator()
    #expect(await changes.next() == [1])
    #expect(people.count == 2)
    token.invalidate()
  }

  /// Without versions a store cannot read while another one is in a transaction, which may be of the same thread.
  @Test(.timeLimit(.minutes(5)))
  func aTransactionInMemoryHoldsNoneUp() async throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "first look \(test.folder.path)"
    configuration.busyTimeout = .seconds(600)
    let (store, other) = (
      try Store(configuration: configuration), try Store(configuration: configuration)
    )
    let (told, continuation) = AsyncStream<Int>.makeStream()
    let token = try store.objects(Person.self).observe { change in
      if case .update(let people, _, _, _, _) = change { continuation.yield(people.count) }
    }
    try other.write { try other.add(Person(id: 0, name: "Ada")) }
    try other.beginWrite()
    try other.add(Person(id: 1, name: "Bob"))
    for _ in 0..<20 { await Task.yield() }
    try other.commitWrite()

    for await count in told where count == 2 { break }
    token.invalidate()
  }

  private func trackedCount(_ told: AsyncStream<Void>.Continuation) -> Int {
    withObservationTracking {
      store.objects(Person.self).count
    } onChange: {
      told.yield()
    }
  }

  @Test(.timeLimit(.minutes(10))) func aTrackedReadIsToldWhatWasCommittedBeforeIt() async throws {
    #expect(store.objects(Person.self).count == 1)
    try addByAnother(1)
    let (told, continuation) = AsyncStream<Void>.makeStream()
    #expect(trackedCount(continuation) == 1)

    for await _ in told { break }
    #expect(store.objects(Person.self).count == 2)
  }

  /// Nothing is tracked meanwhile, so that the store does not follow.
  @Test(.timeLimit(.minutes(10)))
  func whatIsCommittedBetweenTheCallAndTheNextTrackedReadIsTold() async throws {
    let (told, continuation) = AsyncStream<Void>.makeStream()
    var calls = told.makeAsyncIterator()
    #expect(trackedCount(continuation) == 1)
    try addByAnother(1)
    _ = await calls.next(isolation: #isolation)
    try addByAnother(2)
    // Lets the store notice that nothing is tracked any more.
    for _ in 0..<100 { await Task.yield() }
    #expect(trackedCount(continuation) == 2)

    _ = await calls.next(isolation: #isolation)
    #expect(store.objects(Person.self).count == 3)
  }
}
