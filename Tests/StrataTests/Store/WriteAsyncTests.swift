import Strata
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
