import StrataSQLite
import StrataSchema

/// One observation, in the isolation of its store: keeps the last reported state and diffs against it.
class Observer {
  final let state: ObservationState
  /// What has happened since it compared.
  final var pending = ChangeRecord()
  /// Whether it is being called.
  final var isCalled = false

  init(_ state: ObservationState) { self.state = state }

  /// Whether there is anything to tell.
  var hasPending: Bool { !pending.isEmpty }

  /// Tells what is pending.
  func deliver() {}

  /// Compares now what is pending, and tells it later.
  func settle() {}

  /// Tells why nothing follows.
  func end(with error: StoreError) {}

  /// Takes what the running transaction has done for told.
  /// - Returns: what undoes it.
  func skip(_ record: ChangeRecord) throws -> () -> Void { {} }

  final func takePending() -> ChangeRecord {
    defer { pending = ChangeRecord() }
    return pending
  }
}

/// Finds out how something observed has changed, because it knows how it was.
class DifferenceSource<Difference> {
  /// Looks for the first time.
  func start() throws {}

  /// The difference to what was there last; nil for none. What is there counts as told afterwards.
  func difference(_ record: ChangeRecord) throws -> Difference? { nil }

  /// Looks again without telling.
  /// - Parameter record: what has happened since it looked last.
  /// - Returns: what undoes it.
  func skip(_ record: ChangeRecord) throws -> () -> Void { {} }

  /// Whether nothing can follow.
  func isLast(_ difference: Difference) -> Bool { false }
}

/// An observer that is called.
final class CallingObserver<Difference>: Observer {
  private let source: DifferenceSource<Difference>
  // The store holds its observers.
  private unowned let store: Store
  private let tell: (Difference) -> Void
  private let fail: (StoreError) -> Void
  /// Differences that are not told yet.
  private var settled: [Difference] = []

  init(
    _ source: DifferenceSource<Difference>, of store: Store, _ state: ObservationState,
    tell: @escaping (Difference) -> Void, fail: @escaping (StoreError) -> Void
  ) {
    self.source = source
    self.store = store
    self.tell = tell
    self.fail = fail
    super.init(state)
  }

  override var hasPending: Bool { !pending.isEmpty || !settled.isEmpty }

  override func settle() {
    guard !pending.isEmpty else { return }
    do {
      if let difference = try source.difference(takePending()) { settled.append(difference) }
    } catch {
      end(with: store.storeError(error))
    }
  }

  override func end(with error: StoreError) {
    state.end()
    fail(error)
  }

  override func deliver() {
    settle()
    let differences = settled
    settled = []
    isCalled = true
    defer { isCalled = false }
    for difference in differences where state.isActive {
      if source.isLast(difference) { state.end() }
      tell(difference)
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
    super.init(state)
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
