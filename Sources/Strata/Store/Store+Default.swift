import Synchronization

/// What `Store()` is of; only ``Store`` is. An initializer of a protocol may give an object that is there already.
public protocol DefaultStore {}

extension Store: DefaultStore {}

extension DefaultStore where Self == Store {
  /// The store of ``Store/defaultConfiguration``: the same one for all code of an actor, or of a thread or task without one, for as long as
  /// it is held. It is opened with the first call.
  ///
  /// In an actor's `init`, and in closures that do not name `self`, Swift names no actor, and this is the store of the task or of the
  /// main thread: open one with ``Store/init(path:schema:migrations:file:line:)`` there, or hand the actor's store in.
  ///
  /// It stays where it is: a store that is to be sent elsewhere is opened with ``Store/init(configuration:file:line:)``.
  ///
  /// - Throws: ``StoreError``
  public init(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) throws(StoreError) {
    let store = try SharedStores.shared.store(StoreOwner.owner(in: isolation), file, line)
    store.claim(isolation)
    self = store
  }
}

/// The stores that `Store()` has opened.
final class SharedStores: Sendable {
  static let shared = SharedStores()

  // A store is only given to its owner.
  private struct Known: @unchecked Sendable {
    weak var store: Store?
    /// Of which of the default configurations it is.
    let configuration: Int
  }

  private let stores = Mutex<[StoreOwner: Known]>([:])

  func store(
    _ owner: StoreOwner, _ file: StaticString, _ line: UInt
  ) throws(StoreError) -> Store {
    let (configuration, number) = Store.numberedConfiguration
    if let known = stores.withLock({ $0[owner] }), known.configuration == number,
      let store = known.store, !store.isClosed
    {
      return store
    }
    let store = try Store(configuration: configuration, file: file, line: line)
    stores.withLock { stores in
      // Those that are held no more.
      stores = stores.filter { $0.value.store != nil }
      stores[owner] = Known(store: store, configuration: number)
    }
    return store
  }
}
