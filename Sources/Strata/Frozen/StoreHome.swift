import Synchronization

/// Which actor has a live store. Its frozen stores ask on any thread, so that thawing gives the live store to that actor and no other.
///
/// A store does not know whose it is before it is called: the actor is the last one that has called a function of it which takes an
/// isolation.
final class StoreHome: Sendable {
  // Not held: an actor that has a store would never be freed.
  private struct State {
    weak var actor: (any Actor)?
    /// Stays when the actor is gone.
    var isClaimed = false
  }

  private let state = Mutex(State())

  /// An actor uses the live store.
  func claim(_ actor: any Actor) {
    state.withLock { state in
      state.actor = actor
      state.isClaimed = true
    }
  }

  /// Whether an actor has used the live store.
  var isClaimed: Bool { state.withLock { $0.isClaimed } }

  func isHome(of actor: any Actor) -> Bool { state.withLock { $0.actor === actor } }
}

extension Store {
  /// Notes which actor uses this store; a frozen one belongs to none.
  func claim(_ isolation: (any Actor)?) {
    guard let isolation, !isFrozen else { return }
    // Most calls are the same actor's, and need no lock.
    let claimant = ObjectIdentifier(isolation)
    if sharing.claimant == claimant { return }
    sharing.claimant = claimant
    sharing.home.claim(isolation)
  }
}

extension FrozenSharing {
  /// Whether the live store is that of the caller: of an actor, or, where no actor has it, of the task or thread that froze.
  ///
  /// - Parameter isolation: the actor that Swift says of the caller.
  func isOriginOfCaller(in isolation: (any Actor)?) -> Bool {
    guard home.isClaimed else { return owner == .current }
    if let isolation { return home.isHome(of: isolation) }
    // Of functions of the main thread that are not isolated Swift says no actor.
    return MainQueue.isOfMainActor && home.isHome(of: MainActor.shared)
  }
}
