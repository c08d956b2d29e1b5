import StrataSQLite

/// The objects of a live store whose rows were not read since they were handed out or set. They are read before their rows
/// go, so that a deleted object shows its last values.
///
/// A chain through the objects themselves: an object is in it until it is freed or its turn comes. Objects may be freed on any
/// thread, everything else happens where the store is used.
// The lock guards the chain.
final class UnreadObjects: @unchecked Sendable {
  /// How many are read before a store moves on to what others have written, which may have deleted them.
  static let maximumReadAhead = 10_000

  // Recursive: what is read here may be freed here.
  private let lock = RecursiveLock()
  private var first: Unmanaged<Object>?

  var isEmpty: Bool {
    lock.lock()
    defer { lock.unlock() }
    return first == nil
  }

  var count: Int {
    lock.lock()
    defer { lock.unlock() }
    var count = 0
    var next = first
    while let entry = next {
      count += 1
      next = entry._withUnsafeGuaranteedRef { $0.nextUnread }
    }
    return count
  }

  func add(_ object: Object) {
    // Only the store's own thread adds and reads, so that this needs no lock.
    if object.isUnread { return }
    lock.lock()
    defer { lock.unlock() }
    object.isUnread = true
    object.wasUnread = true
    object.nextUnread = first
    object.previousUnread = nil
    first?._withUnsafeGuaranteedRef { $0.previousUnread = .passUnretained(object) }
    first = .passUnretained(object)
  }

  /// An object that is freed, or leaves the store.
  func remove(_ object: Object) {
    lock.lock()
    defer { lock.unlock() }
    guard object.isUnread else { return }
    object.isUnread = false
    if let previous = object.previousUnread {
      previous._withUnsafeGuaranteedRef { $0.nextUnread = object.nextUnread }
    } else {
      first = object.nextUnread
    }
    object.nextUnread?._withUnsafeGuaranteedRef { $0.previousUnread = object.previousUnread }
    object.nextUnread = nil
    object.previousUnread = nil
  }

  /// Lends the objects, the newest first. Another thread that frees one of them waits meanwhile: none may be kept.
  /// - Parameter body: whether to go on.
  func visit(_ body: (Object) -> Bool) {
    lock.lock()
    defer { lock.unlock() }
    var next = first
    while let object = next?.takeUnretainedValue(), body(object) { next = object.nextUnread }
  }

  /// Reads the rows of the objects, the newest first. Another thread that frees one of them waits meanwhile.
  ///
  /// - Parameter onlyNew: whether those that have values from an earlier read stay in the chain.
  func read(atMost maximum: Int = .max, onlyNew: Bool = false) {
    lock.lock()
    defer { lock.unlock() }
    var next = first
    var count = 0
    while let entry = next, count < maximum {
      count += 1
      let object = entry.takeUnretainedValue()
      next = object.nextUnread
      if onlyNew && !object.buffer.isEmpty { continue }
      remove(object)
      object.readLastValues()
    }
  }
}

extension Store {
  /// Objects that wait to be read; for tests.
  package var unreadCount: Int { unreadObjects.count }
}
