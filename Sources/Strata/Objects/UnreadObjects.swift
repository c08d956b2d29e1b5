import StrataSQLite

/// The objects of a live store whose rows were not read since they were handed out or set. They are read before their rows
/// go, so that a deleted object shows its last values.
///
/// Chains through the objects themselves: an object is in one until it is freed or its turn comes. Objects may be freed on any
/// thread, everything else happens where the store is used.
///
/// Those that a commit passes over, because they have values from an earlier read, go over to a second chain, so that the next commit does not look at them
/// again. Objects that the running transaction added are in a third one once they are read, because a cancel asks for them.
// The lock guards the chains.
final class UnreadObjects: @unchecked Sendable {
  /// How many are read before a store moves on to what others have written, which may have deleted them.
  static let maximumReadAhead = 10_000

  // Recursive: what is read here may be freed here.
  private let lock = RecursiveLock()
  private var first: Unmanaged<Object>?
  /// The second chain.
  private var firstPassed: Unmanaged<Object>?
  /// The third chain.
  private var firstAdded: Unmanaged<Object>?

  var isEmpty: Bool {
    lock.lock()
    defer { lock.unlock() }
    return first == nil && firstPassed == nil
  }

  /// How many wait to be read, and how many of them the next commit looks at.
  var counts: (all: Int, first: Int) {
    lock.lock()
    defer { lock.unlock() }
    let count = Self.count(first)
    return (count + Self.count(firstPassed), count)
  }

  private static func count(_ first: Unmanaged<Object>?) -> Int {
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
    unlink(object)
    object.isUnread = true
    object.wasUnread = true
    link(object, &first)
  }

  /// An object that the running transaction added, and that is read at once.
  func addRead(_ object: Object) {
    if object.isUnread || object.isReadAfterAdding { return }
    lock.lock()
    defer { lock.unlock() }
    object.isReadAfterAdding = true
    object.wasUnread = true
    link(object, &firstAdded)
  }

  /// An object that is freed, or leaves the store.
  func remove(_ object: Object) {
    lock.lock()
    defer { lock.unlock() }
    unlink(object)
  }

  /// At the end of a transaction: nothing asks for what it added any more.
  func forgetAdded() {
    lock.lock()
    defer { lock.unlock() }
    while let object = firstAdded { object._withUnsafeGuaranteedRef { unlink($0) } }
  }

  @inline(__always) private func link(_ object: Object, _ first: inout Unmanaged<Object>?) {
    object.nextUnread = first
    object.previousUnread = nil
    first?._withUnsafeGuaranteedRef { $0.previousUnread = .passUnretained(object) }
    first = .passUnretained(object)
  }

  @inline(__always) private func unlink(_ object: Object) {
    guard object.isUnread || object.isReadAfterAdding else { return }
    if let previous = object.previousUnread {
      previous._withUnsafeGuaranteedRef { $0.nextUnread = object.nextUnread }
    } else if object.isReadAfterAdding {
      firstAdded = object.nextUnread
    } else if first?.toOpaque() == Unmanaged.passUnretained(object).toOpaque() {
      first = object.nextUnread
    } else {
      firstPassed = object.nextUnread
    }
    object.nextUnread?._withUnsafeGuaranteedRef { $0.previousUnread = object.previousUnread }
    object.nextUnread = nil
    object.previousUnread = nil
    object.isUnread = false
    object.isReadAfterAdding = false
  }

  /// Lends the objects of all chains. Another thread that frees one of them waits meanwhile: none may be kept.
  /// - Parameter body: whether to go on.
  func visit(_ body: (Object) -> Bool) {
    lock.lock()
    defer { lock.unlock() }
    for first in [first, firstPassed, firstAdded] {
      var next = first
      while let object = next?.takeUnretainedValue() {
        guard body(object) else { return }
        next = object.nextUnread
      }
    }
  }

  /// Reads the rows of the objects, in no order that is promised. Another thread that frees one of them waits meanwhile.
  ///
  /// - Parameters:
  ///   - onlyNew: whether those that have values from an earlier read are passed over.
  ///   - outcome: that of the running transaction, if there is one.
  func read(atMost maximum: Int = .max, onlyNew: Bool = false, in outcome: WriteOutcome?) {
    lock.lock()
    defer { lock.unlock() }
    var rest = maximum
    read(from: first, &rest, onlyNew: onlyNew, in: outcome)
    if !onlyNew { read(from: firstPassed, &rest, onlyNew: false, in: outcome) }
  }

  private func read(
    from first: Unmanaged<Object>?, _ rest: inout Int, onlyNew: Bool, in outcome: WriteOutcome?
  ) {
    var next = first
    while let entry = next, rest > 0 {
      rest -= 1
      let object = entry.takeUnretainedValue()
      next = object.nextUnread
      unlink(object)
      if onlyNew && !object.buffer.isEmpty {
        object.isUnread = true
        link(object, &firstPassed)
        continue
      }
      if let outcome, object.outcome === outcome {
        object.isReadAfterAdding = true
        link(object, &firstAdded)
      }
      object.readLastValues()
    }
  }
}

extension Store {
  /// Objects that wait to be read; for tests.
  package var unreadCount: Int { unreadObjects.counts.all }
  /// Those that the next commit looks at; for tests.
  package var newUnreadCount: Int { unreadObjects.counts.first }
}
