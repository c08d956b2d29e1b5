import Strata
import StrataTestModels
import Testing

/// What follows other writers keeps neither a store nor its actor.
@Suite struct FreedActorTests {
  private actor Library {
    private let store: Store
    private var token: NotificationToken?

    init(_ configuration: Store.Configuration) throws {
      store = try Store(configuration: configuration)
    }

    func start() throws { token = try store.objects(Dog.self).observe { _ in } }
  }

  private func start(_ configuration: Store.Configuration) async throws -> Library {
    let library = try Library(configuration)
    try await library.start()
    return library
  }

  @Test func anActorThatObservesItsOwnStoreIsFreed() async throws {
    let folder = try TemporaryFolder()
    let configuration = Store.Configuration(
      path: folder.file("a.db"), schema: TestingSchema.self)
    weak let library = try await start(configuration)
    for _ in 0..<100_000 where library != nil { await Task.yield() }
    // Its store is closed on the thread that frees it.
    var isDeleted = false
    for _ in 0..<1_000 where !isDeleted {
      isDeleted = (try? Store.deleteFiles(for: configuration)) ?? false
      await Task.yield()
    }

    #expect(library == nil && isDeleted)
  }
}
