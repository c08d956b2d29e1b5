import StrataSchema
import Synchronization

/// What could not be thrown where it happened, because getters and setters cannot. The first is the one to tell.
final class PendingError {
  /// What could not be read: the store's next call that can throws it.
  @exclusivity(unchecked) private(set) var error: (any Error)?
  /// Why a change of the running transaction was not made: its commit throws it, whatever else was thrown and caught meanwhile.
  @exclusivity(unchecked) private var refusal: (any Error)?
  /// Whether a read had failed before that, and nothing had told it.
  @exclusivity(unchecked) private var isErrorFirst = false

  func note(_ error: any Error) {
    if self.error == nil { self.error = error }
  }

  func noteRefusal(_ error: any Error) {
    if refusal != nil { return }
    refusal = error
    isErrorFirst = self.error != nil
  }

  /// What could not be read, and forgets that: a refusal behind it is the one to tell from then on.
  func takeError() -> (any Error)? {
    defer { (error, isErrorFirst) = (nil, false) }
    return error
  }

  /// The one to tell, and forgets all.
  func takeFirst() -> (any Error)? {
    defer { (error, refusal, isErrorFirst) = (nil, nil, false) }
    return isErrorFirst ? error ?? refusal : refusal ?? error
  }

  /// Forgets all, and gives back what brings it back before what was noted meanwhile.
  func putAside() -> () -> Void {
    let (error, refusal, isErrorFirst) = (error, refusal, isErrorFirst)
    (self.error, self.refusal) = (nil, nil)
    return {
      if let refusal {
        self.refusal = refusal
        self.isErrorFirst = isErrorFirst
      } else if error != nil {
        self.isErrorFirst = true
      }
      self.error = error ?? self.error
    }
  }
}

/// The write transactions that are open in this process, by file: a second store of the same file on the same thread is told,
/// instead of waiting for itself.
final class OpenTransactions: Sendable {
  static let shared = OpenTransactions()

  // Its error is only noted by the store's owner; others compare what it is known by. Not the store itself: an object to which
  // something weak has ever pointed is slow to hold, and each object of a store holds it.
  private struct Entry: @unchecked Sendable {
    let pending: PendingError
    let identity: StoreIdentity
    let owner: StoreOwner
    let description: String
  }

  private let entries = Mutex<[String: [Entry]]>([:])

  func began(_ store: Store) {
    let entry = Entry(
      pending: store.pending, identity: store.following.identity, owner: .current,
      description: store.location?.description ?? store.path)
    let file = store.fileKey
    entries.withLock { $0[file, default: []].append(entry) }
  }

  func ended(_ store: Store) {
    let (file, identity) = (store.fileKey, store.following.identity)
    entries.withLock { entries in
      guard var open = entries[file] else { return }
      open.removeAll { $0.identity === identity }
      entries[file] = open.isEmpty ? nil : open
    }
  }

  /// Another store of the same file that is in a write transaction of the same thread or task: where its commit finds what went wrong,
  /// and what it is called.
  func other(than store: Store) -> (pending: PendingError, description: String)? {
    let (file, identity) = (store.fileKey, store.following.identity)
    let open = entries.withLock { $0[file] ?? [] }
    if open.isEmpty { return nil }
    let current = StoreOwner.current
    return open.first { $0.identity !== identity && $0.owner == current }
      .map { ($0.pending, $0.description) }
  }
}

extension Store {
  /// - Throws: `StoreError.otherStoreWrites` where the thread would wait for itself.
  func checkOtherWriters(waiting: Bool) throws(StoreError) {
    // Without a time to wait the database answers at once, and a task that waits lets others of its thread go on.
    if !waiting || configuration.busyTimeout == .zero { return }
    if let other = OpenTransactions.shared.other(than: self) {
      throw .otherStoreWrites(path: path, store: other.description)
    }
  }
}

extension Store {
  /// Outside of a write transaction: whether another store of the file is in one on this thread. Its commit throws then that
  /// an object of this store was changed.
  func failsOtherWriter(_ model: _GeneratedModel, _ property: Int) -> Bool {
    guard !isFrozen, !isClosed, let other = OpenTransactions.shared.other(than: self) else {
      return false
    }
    other.pending.noteRefusal(
      StoreError.changedThroughOtherStore(
        model: model.model.name, property: model.model.properties[property].name))
    return true
  }
}
