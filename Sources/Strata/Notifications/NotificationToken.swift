import Synchronization

/// An observation, which lasts until `invalidate()` or until nobody has its token any more.
///
/// ```swift
/// let token = try people.observe { change in … }
/// ```
/// A token may be given up on any thread.
public final class NotificationToken: Sendable {
  let state: ObservationState

  init(_ state: ObservationState) { self.state = state }

  /// Ends the observation: the observer is not called again by whoever called this, and soon by nobody.
  public func invalidate() { state.end() }

  deinit { state.end() }
}

/// What a token and its observer share.
final class ObservationState: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let atEnd = Mutex<(@Sendable () -> Void)?>(nil)

  var isActive: Bool { !isOver.load(ordering: .acquiring) }

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
