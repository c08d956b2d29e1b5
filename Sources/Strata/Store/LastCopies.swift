/// What the objects were that a transaction added, when it was cancelled, and what they led to: their rows are gone, and `detached()`
/// gives back what was in them.
///
/// Only the objects that the program holds are remembered, with what the transaction added behind them. Others are linked to
/// as they are in the store.
// Nothing changes the copies once they are made: they are only copied.
final class LastCopies: @unchecked Sendable {
  /// How many links and elements are followed. What lies beyond is left out, so that a large transaction can be cancelled
  /// without holding all of it in memory.
  static let maximum = 10_000

  private let copies: [Detachment.Key: Object]

  /// - Parameter objects: those that the program holds, before the rows go.
  init(of outcome: WriteOutcome, in objects: UnreadObjects) {
    let detachment = Detachment(
      depth: nil, keeps: { $0.outcome !== outcome }, remembersOrigin: false, budget: Self.maximum)
    objects.visit { $0.outcome !== outcome || detachment.include($0) }
    copies = detachment.managedCopies
    for copy in copies.values { copy.standaloneStorage.isLastCopy = true }
  }

  // Copies lead to each other in circles.
  deinit { for copy in copies.values { copy.standalone = nil } }

  subscript(_ object: Object) -> Object? {
    copies[Detachment.Key(object, isOfCancelledWrite: false)]
  }
}

extension Object {
  /// Whether it is one of them: nothing but a copy of it is ever given away.
  final var isLastCopy: Bool { standalone?.isLastCopy ?? false }

  /// What the object was when its transaction was cancelled; nil for one of which nothing is remembered, and for all others.
  final var lastCopy: Object? {
    guard let outcome, outcome.isCancelled else { return nil }
    return outcome.lastCopies?[self]
  }
}
