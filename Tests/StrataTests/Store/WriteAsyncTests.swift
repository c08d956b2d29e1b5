import Strata
import StrataSQLite
import StrataTestModels
import Testing

@Suite struct WriteAsyncTests {
  let test: TestStore

  init() throws { test = try TestStore() }

  @Test func writingGivesTheResultAndUndoesWhatThrows() async throws {
    let store = test.store
    let name = try await store.writeAsync {
      try store.add(Dog(name: "Rex"))
      return "Rex"
    }
    await #expect(throws: CancellationError.self) {
      try await store.writeAsync {
        try store.deleteAll()
        throw CancellationError()
      }
    }

    #expect(name == "Rex" && store.objects(Dog.self).count == 1 && !store.isInWriteTransaction)
  }

  @Test @MainActor func waitingForAnotherWriterHoldsNobodyUp() async throws {
    let path = test.folder.file("a.db")
    let store = try Store(path: path, schema: TestingSchema.self)
    let other = test.store
    try other.beginWrite()
    try other.add(Dog(name: "First"))

    let waiting = Task { @MainActor in
      let store = try Store(path: path, schema: TestingSchema.self)
      try await store.writeAsync { try store.add(Dog(name: "Second")) }
    }
    // The waiting writer leaves the actor to others.
    for _ in 0..<20 { await Task.yield() }
    try other.commitWrite()
    try await waiting.value

    try store.refresh()
    #expect(store.objects(Dog.self).map(\.name) == ["First", "Second"])
  }

  /// Without an actor, so that the store does not move on by itself.
  private func observe(
    _ store: Store, _ log: ChangeLogbook
  ) throws -> NotificationToken { try store.objects(Dog.self).observe(log.note) }

  /// A store in memory cannot read while another one is in a transaction, and its observers hear first what others did.
  @MainActor @Test(.timeLimit(.minutes(5)))
  func waitingInMemoryHoldsNoneUpWhereThereAreObservers() async throws {
    var configuration = Store.Configuration(schema: TestingSchema.self)
    configuration.inMemoryIdentifier = "waiting async \(test.folder.path)"
    configuration.busyTimeout = .seconds(600)
    let store = try Store(configuration: configuration)
    let other = try Store(configuration: configuration)
    let log = ChangeLogbook()
    let token = try observe(store, log)
    try other.beginWrite()
    try other.add(Dog(name: "First"))

    let waiting = Task { @MainActor in
      try await store.writeAsync { try store.add(Dog(name: "Second")) }
    }
    // The waiting writer leaves the actor to others.
    for _ in 0..<20 { await Task.yield() }
    try other.commitWrite()
    try await waiting.value

    #expect(log.take() == ["initial 0", "+0", "+1"])
    // Other calls wait as before.
    #expect(try store.database.pragma("busy_timeout").ifInteger == 600_000)
    token.invalidate()
  }

  @Test func aWaitEndsWithItsTask() async throws {
    let path = test.folder.file("a.db")
    try test.store.beginWrite()
    let (started, continuation) = AsyncStream<Void>.makeStream()
    let waiting = Task.detached {
      let store = try Store(path: path, schema: TestingSchema.self)
      continuation.yield()
      try await store.writeAsync { try store.add(Dog(name: "Never")) }
    }
    for await _ in started { break }
    waiting.cancel()

    await #expect(throws: CancellationError.self) { try await waiting.value }
    test.store.cancelWrite()
    #expect(test.store.objects(Dog.self).isEmpty)
  }

  @Test func tokensAreNotTold() async throws {
    let store = test.store
    let log = ChangeLogbook()
    let token = try store.objects(Dog.self).observe(log.note)
    try await store.writeAsync(withoutNotifying: [token]) { try store.add(Dog(name: "Rex")) }

    #expect(log.take() == ["initial 0"])
    token.invalidate()
  }

  @Test func wrongUsesAreErrors() async throws {
    let store = test.store
    try store.beginWrite()
    await #expect(throws: StoreError.alreadyInWriteTransaction) { try await store.writeAsync {} }
    store.cancelWrite()
    await #expect(throws: StoreError.frozen) { try await store.freeze().writeAsync {} }
    store.close()
    await #expect(throws: StoreError.closed) { try await store.writeAsync {} }
  }
}
