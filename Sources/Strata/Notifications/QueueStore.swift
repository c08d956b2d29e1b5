import Dispatch
import StrataSchema
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The store of all observations on queues of one file: one more connection for all of them, however many there are. It lives on a queue
/// of its own, and is closed with the last observation.
// The store, its listener and the observations are touched on `work` only, the number of observations under `known`.
final class QueueStore: @unchecked Sendable {
  /// What has to be the same for observations to share a store. Migrations are not: the file is at the version of the schema.
  private struct Key: Hashable {
    let file: FileIdentity
    let type: ObjectIdentifier?
    /// Of a store that takes its schema of the file, which may have had another one before.
    let schema: Schema?
    let encryptionKey: Data?
    let passphrase: String?
    let cipher: Store.Cipher
    let vfs: String?
    let busyTimeout: Duration

    init(_ store: Store) {
      let configuration = store.configuration
      file = store.fileIdentity
      type = configuration.schema.map { ObjectIdentifier($0) }
      schema = configuration.schema == nil ? store.definition.schema : nil
      encryptionKey = configuration.encryptionKey
      passphrase = configuration.passphrase
      cipher = configuration.cipher
      vfs = configuration.vfs
      busyTimeout = configuration.busyTimeout
    }
  }

  /// Those that take more observations.
  private static let known = Mutex<[Key: QueueStore]>([:])

  let work = DispatchQueue(label: "strata.observe")
  private let key: Key
  private let configuration: Store.Configuration
  private let isWoken = Atomic<Bool>(false)
  /// How many observations have joined and not left.
  private var count = 0
  private var observations: [ObjectIdentifier: QueueObservation] = [:]
  private var listener: Int?
  /// Nil until the first observation begins.
  private(set) var store: Store?

  private init(_ key: Key, _ store: Store) {
    self.key = key
    var configuration = store.configuration
    // It follows the newest version, and holds none up.
    configuration.maximumActiveVersions = nil
    // The file was opened before: where it is not there any more, or is another one, nothing is made, deleted or upgraded.
    configuration.shouldCompactOnLaunch = nil
    configuration.deleteIfMigrationNeeded = false
    configuration.seedFileURL = nil
    self.configuration = configuration
  }

  /// The one for observations of what a store shows; each leaves it when it ends.
  static func join(_ store: Store) -> QueueStore {
    let key = Key(store)
    let new = QueueStore(key, store)
    return known.withLock { known in
      let shared = known[key] ?? new
      known[key] = shared
      shared.count += 1
      return shared
    }
  }

  /// The store on the newest version, with which an observation begins.
  func newest() throws(StoreError) -> Store {
    let store: Store
    if let open = self.store { store = open } else { store = try open() }
    try moveOn(store)
    return store
  }

  private func open() throws(StoreError) -> Store {
    let store = try Store(again: configuration)
    guard store.fileIdentity == key.file else {
      store.close()
      throw .fileAccess(path: store.path, reason: StoreError.isReplaced)
    }
    self.store = store
    let path = configuration.inMemoryIdentifier == nil ? store.path : nil
    listener = CommitSignals.shared.listen(to: key.file.key, at: path) { [weak self] in
      self?.wake()
    }
    return store
  }

  /// An observation hears from now on where the store cannot go on.
  func add(_ observation: QueueObservation) {
    observations[ObjectIdentifier(observation)] = observation
  }

  /// An observation is over. The last one closes the store.
  func leave(_ observation: QueueObservation) {
    observations[ObjectIdentifier(observation)] = nil
    let isLast = Self.known.withLock { known in
      count -= 1
      if count == 0, known[key] === self { known[key] = nil }
      return count == 0
    }
    guard isLast else { return }
    if let listener { CommitSignals.shared.stop(listener, key.file.key) }
    listener = nil
    store?.close()
    store = nil
  }

  private func wake() {
    guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
    work.async {
      self.isWoken.store(false, ordering: .releasing)
      // Where another program holds the file, what it does is told when it has done it. The observations know of every other error.
      if let store = self.store { try? self.moveOn(store) }
    }
  }

  /// Moves to the newest version, which wakes the observers of what has changed. Where the store cannot go on, all observations end.
  private func moveOn(_ store: Store) throws(StoreError) {
    do throws(StoreError) {
      try store.refresh()
      if let outdated = store.snapshot.outdated { throw outdated }
    } catch {
      if case .busy = error { throw error }
      // What is observed from now on begins with another store.
      Self.known.withLock { known in
        if known[key] === self { known[key] = nil }
      }
      for observation in observations.values { observation.stop(error) }
      throw error
    }
  }
}
