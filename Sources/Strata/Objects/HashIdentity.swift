import Synchronization

/// What an object is hashed by that was hashed before it was a row of a file.
///
/// Objects of one row are equal, and so are hashed by their row. An object that stands in a set or a dictionary while it
/// belongs to no store has no row yet, and its hash must not change when it gets one: it is hashed by an identity of
/// its own, which other objects of the row take over. The identity lives as long as one of them does.
final class HashIdentity: Sendable {
  private struct Place: Hashable {
    let file: FileIdentity
    let row: Int64
  }

  private struct Known {
    weak var identity: HashIdentity?
    /// Tells whose entry it is without holding the identity: that could end another one's life under the lock. A number, because Swift 6.3 without
    /// the optimiser takes an optional of a weak reference beside a pointer for one where there is none, and crashes.
    let owner: UInt

    init(_ identity: HashIdentity) {
      self.identity = identity
      owner = Self.owner(identity)
    }

    static func owner(_ identity: HashIdentity) -> UInt {
      UInt(bitPattern: ObjectIdentifier(identity))
    }
  }

  private static let known = Mutex<[Place: Known]>([:])
  /// The number of entries: most programs have none, and then no hash waits for the lock.
  private static let count = Atomic<Int>(0)

  private let place = Mutex<Place?>(nil)

  /// The identity of a row; nil for most, which are hashed by their numbers.
  static func identity(ofRow row: Int64, of file: FileIdentity) -> HashIdentity? {
    if count.load(ordering: .acquiring) == 0 { return nil }
    return known.withLock { $0[Place(file: file, row: row)]?.identity }
  }

  /// The object has become a new row.
  func become(row: Int64, of file: FileIdentity) {
    let place = Place(file: file, row: row)
    self.place.withLock { $0 = place }
    Self.known.withLock { known in
      known[place] = Known(self)
      Self.count.store(known.count, ordering: .releasing)
    }
  }

  /// The row is gone before its transaction was stored: the object is standalone again.
  func leaveRow() {
    forgetPlace()
    place.withLock { $0 = nil }
  }

  deinit { forgetPlace() }

  private func forgetPlace() {
    guard let place = place.withLock({ $0 }) else { return }
    Self.known.withLock { known in
      // Another object may have become this row since.
      if known[place]?.owner == Known.owner(self) { known[place] = nil }
      Self.count.store(known.count, ordering: .releasing)
    }
  }
}

extension Object: Hashable {
  /// Objects are equal when they are the same object: the same row of the same file, or the same instance.
  public static func == (left: Object, right: Object) -> Bool { left.isSameObject(as: right) }

  /// Stays the same when the object is added, deleted or frozen.
  public func hash(into hasher: inout Hasher) {
    guard let manager else {
      if let reference = self as? ReferredObject { return reference.hashReference(into: &hasher) }
      let identity = hashIdentity ?? HashIdentity()
      hashIdentity = identity
      hasher.combine(ObjectIdentifier(identity))
      return
    }
    manager.lockIfShared()
    defer { manager.unlockIfShared() }
    if hashIdentity == nil {
      hashIdentity = HashIdentity.identity(ofRow: givenRow, of: manager.fileIdentity)
    }
    if let hashIdentity {
      hasher.combine(ObjectIdentifier(hashIdentity))
    } else {
      // Stays what it is when the transaction that added the object is cancelled.
      hasher.combine(givenRow)
    }
  }

  /// The object has become a row.
  /// - Parameter isNew: whether it was inserted. Other objects of a row that was there are hashed by its number already.
  final func settleHash(_ store: Store, isNew: Bool) {
    guard let hashIdentity else { return }
    if isNew {
      hashIdentity.become(row: row, of: store.fileIdentity)
    } else {
      self.hashIdentity = nil
    }
  }
}
