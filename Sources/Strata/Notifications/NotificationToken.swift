import Synchronization

/// An observation, which lasts until `invalidate()` or until the last reference to its token is gone.
///
/// ```swift
/// let token = try people.observe { change in … }
/// ```
/// A token may be given up on any thread.
public final class NotificationToken: Sendable {
  let state: ObservationState

  // What an observer holds leads to the store, which therefore only knows its observers: the token is who has them. An observer
  // is used in its store's isolation; here it is kept and let go.
  private struct Kept: @unchecked Sendable {
    let observer: Observer
  }

  private let kept: Mutex<Kept?>

  /// - Parameter observer: nil when another owner keeps it.
  init(_ state: ObservationState, keeping observer: Observer?) {
    self.state = state
    kept = Mutex(observer.map { Kept(observer: $0) })
  }

  /// Stops the observation. A call that is running on another thread may finish.
  public func invalidate() {
    state.giveUp()
    let observer = kept.withLock { kept in
      defer { kept = nil }
      return kept
    }
    // Outside of the lock, because it may lead back to this token.
    withExtendedLifetime(observer) {}
  }

  deinit { state.giveUp() }
}

/// Tells a store from every other one, also from those that were before it.
final class StoreIdentity: Sendable {}

/// What a token and its observer share.
final class ObservationState: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let isUnwanted = Atomic<Bool>(false)
  private let atEnd = Mutex<(@Sendable () -> Void)?>(nil)
  /// The store that was asked to observe.
  let store: StoreIdentity

  init(of store: StoreIdentity) { self.store = store }

  var isActive: Bool { !isOver.load(ordering: .acquiring) }

  /// Whether a call that waits for its queue is still to be made. What ends an observation by itself is told.
  var isWanted: Bool { !isUnwanted.load(ordering: .acquiring) }

  /// The token is given up.
  func giveUp() {
    isUnwanted.store(true, ordering: .releasing)
    end()
  }

  func end() {
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let action = atEnd.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  /// Runs once, when the observation ends; at once when it has ended.
  func whenItEnds(_ action: @escaping @Sendable () -> Void) {
    atEnd.withLock { $0 = action }
    if !isActive {
      let action = atEnd.withLock { action in
        defer { action = nil }
        return action
      }
      action?()
    }
  }
}
