import StrataSQLite
import StrataSchema

/// One observation, in the isolation of its store: keeps the last reported state and diffs against it.
class Observer {
  final let state: ObservationState
  /// What has happened since it compared.
  final var pending = ChangeRecord()
  /// Whether it is being called.
  final var isCalled = false
  final let scope: ObservationScope
  // What the register knows of it.
  final var number = 0
  final var isNoted = false

  init(_ state: ObservationState, scope: ObservationScope = .everything) {
    self.state = state
    self.scope = scope
  }

  /// Whether there is anything to tell.
  var hasPending: Bool { !pending.isEmpty }

  /// Tells what is pending.
  func deliver() {}

  /// Looks now at what is pending, and tells it later.
  func settle() {}

  /// Tells why nothing follows.
  func end(with error: StoreError) {}

  /// Takes what the running transaction has done for told.
  /// - Returns: what undoes it.
  func skip(_ record: ChangeRecord) throws -> () -> Void { {} }

  /// The transaction that was taken for told is committed.
  func endWhereNothingFollows() {}

  final func takePending() -> ChangeRecord {
    defer { pending = ChangeRecord() }
    return pending
  }
}

/// Finds out how something observed has changed, because it knows how it was.
class DifferenceSource<Difference> {
  /// Without a change of which there is no difference.
  var scope: ObservationScope { .everything }

  /// Looks for the first time.
  func start() throws {}

  /// The difference to what was told last; nil for none. What is there counts as told afterwards.
  /// - Parameter record: what has happened since; where it has looked meanwhile, up to when it looked last.
  func difference(_ record: ChangeRecord) throws -> Difference? { nil }

  /// Looks at what is there before a transaction that may be left out. What is different from what was told stays to be told.
  /// - Parameter record: what has happened since it looked last.
  func look(_ record: ChangeRecord) throws {}

  /// Takes the effect of a transaction for told, and nothing else.
  /// - Parameter record: what it did; nothing has happened between the last look and it.
  /// - Returns: what undoes it.
  func skip(_ record: ChangeRecord) throws -> () -> Void { {} }

  /// Whether nothing can follow.
  func isLast(_ difference: Difference) -> Bool { false }

  /// Whether nothing can follow a transaction that was left out.
  var hasEnded: Bool { false }
}

/// An observer that is called.
final class CallingObserver<Difference>: Observer {
  private let source: DifferenceSource<Difference>
  // The store holds its observers.
  private unowned let store: Store
  private let tell: (Difference) -> Void
  private let fail: (StoreError) -> Void
  /// What had happened when it looked before a write, and is not told yet.
  private var untold = ChangeRecord()

  init(
    _ source: DifferenceSource<Difference>, of store: Store, _ state: ObservationState,
    tell: @escaping (Difference) -> Void, fail: @escaping (StoreError) -> Void
  ) {
    self.source = source
    self.store = store
    self.tell = tell
    self.fail = fail
    super.init(state, scope: source.scope)
  }

  override var hasPending: Bool { !pending.isEmpty || !untold.isEmpty }

  override func settle() {
    guard !pending.isEmpty else { return }
    do {
      try source.look(pending)
      untold.merge(takePending())
    } catch {
      end(with: store.storeError(error))
    }
  }

  override func end(with error: StoreError) {
    state.end()
    fail(error)
  }

  override func endWhereNothingFollows() {
    if source.hasEnded { state.end() }
  }

  override func deliver() {
    guard let difference = takeDifference() else {
      endWhereNothingFollows()
      return
    }
    isCalled = true
    defer { isCalled = false }
    if source.isLast(difference) { state.end() }
    tell(difference)
  }

  /// All that was not told yet as one; nil for nothing, and where it cannot be found out, which is told.
  private func takeDifference() -> Difference? {
    do {
      if untold.isEmpty { return try source.difference(takePending()) }
      settle()
      guard state.isActive else { return nil }
      defer { untold = ChangeRecord() }
      return try source.difference(untold)
    } catch {
      end(with: store.storeError(error))
      return nil
    }
  }

  override func skip(_ record: ChangeRecord) throws -> () -> Void { try source.skip(record) }
}

/// An observer that compares when it is asked, and is told only that it is worth it. Its owner refreshes the store itself, which throws errors.
final class WaitingObserver<Difference>: Observer {
  private let source: DifferenceSource<Difference>
  private let wake: () -> Void

  init(
    _ source: DifferenceSource<Difference>, _ state: ObservationState, _ wake: @escaping () -> Void
  ) {
    self.source = source
    self.wake = wake
    super.init(state, scope: source.scope)
  }

  override func deliver() { wake() }

  /// What is pending, all in one; nil for nothing.
  func difference() throws -> Difference? {
    guard !pending.isEmpty, let difference = try source.difference(takePending()) else {
      return nil
    }
    if source.isLast(difference) { state.end() }
    return difference
  }
}
