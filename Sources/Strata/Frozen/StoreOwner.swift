import StrataSQLite

/// Who runs: the main thread, an actor, a task, or a thread without one.
///
/// Confinement is the compiler's; this only tells a frozen store whether it is thawed by the task or thread that froze it, so that the live
/// store from which it came may be given back where no actor has that.
struct StoreOwner: Hashable, Sendable {
  private enum Kind: Hashable {
    case mainThread
    case isolation(ObjectIdentifier)
    case task(Int)
    case thread(UInt)
  }

  private let kind: Kind

  static var current: StoreOwner {
    if ThreadIdentity.isMain { return StoreOwner(kind: .mainThread) }
    let task = withUnsafeCurrentTask { $0?.hashValue }
    return StoreOwner(kind: task.map(Kind.task) ?? .thread(ThreadIdentity.current))
  }

  /// The owner of what belongs to an actor; of what belongs to none the thread or task.
  static func owner(in isolation: (any Actor)?) -> StoreOwner {
    guard let isolation else { return current }
    if isolation === MainActor.shared { return StoreOwner(kind: .mainThread) }
    return StoreOwner(kind: .isolation(ObjectIdentifier(isolation)))
  }
}
