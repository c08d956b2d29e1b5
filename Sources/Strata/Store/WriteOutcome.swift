import Synchronization

/// How one write transaction ended, for the objects that were added in it.
///
/// A rollback gives their rows back, and another process may use the numbers for other objects: what was made in the transaction
/// must not become a view of those.
final class WriteOutcome: Sendable {
  /// The first identity that the transaction gave away.
  private let firstRow: Int64
  private let cancelled = Atomic<Bool>(false)
  private let copies = Mutex<LastCopies?>(nil)

  init(firstRow: Int64) { self.firstRow = firstRow }

  /// Whether the transaction was cancelled.
  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() { cancelled.store(true, ordering: .relaxed) }

  /// What the objects of the transaction were, once it is cancelled.
  var lastCopies: LastCopies? {
    get { copies.withLock { $0 } }
    set { copies.withLock { $0 = newValue } }
  }

  /// Whether the transaction was cancelled and had added the object of this identity, which is that of no object from then on.
  func hasCancelled(_ row: Int64) -> Bool { isCancelled && row >= firstRow }

  /// A number that no object has: what was added in a cancelled transaction has it from then on.
  static let noRow: Int64 = -1
}

extension Store {
  /// What decides whether an object of this row stays: nil for one that was there before the running transaction.
  @inline(__always) func outcome(of row: Int64) -> WriteOutcome? {
    row >= writing.firstNewRow ? writing.outcome : nil
  }

  /// The identity of one more object.
  func takeRow() -> Int64 {
    if writing.outcome == nil { writing.outcome = WriteOutcome(firstRow: writing.firstNewRow) }
    defer { writing.nextRow += 1 }
    return writing.nextRow
  }

  /// At the beginning of a write: which identities are new.
  func beginIdentities() throws {
    let counter = try StrataMetadata.counter(.nextRow, of: database)
    // A cancelled transaction of this process has taken numbers that the file does not know of.
    writing.nextRow = max(counter, try firstFreeRow(), KnownFiles.shared.nextRow(of: fileKey))
    writing.firstNewRow = writing.nextRow
    writing.outcome = nil
  }

  /// The identity that the next new object of the running transaction gets.
  package var nextIdentity: Int64 { writing.nextRow }

  /// Gives the identities from `row` on again that a cancelled transaction has taken, for a program that does the same changes again and
  /// keeps no object of before. Nothing where another connection has taken some of them, or something was changed already.
  package func giveIdentitiesAgain(from row: Int64) throws {
    let taken = max(
      try StrataMetadata.counter(.nextRow, of: database), try firstFreeRow())
    guard isInWriteTransaction, !sink.hasChanges, taken <= row, row < writing.nextRow else {
      return
    }
    writing.nextRow = row
    writing.firstNewRow = row
  }

  /// At the end of a write that leaves nothing: this process does not give its numbers out again, and its objects are gone for good.
  /// To be called while the transaction still holds the file, so that no other store of the process comes in between.
  func cancelIdentities() {
    if let outcome = writing.outcome {
      KnownFiles.shared.passOver(before: writing.nextRow, of: fileKey)
      outcome.cancel()
    }
    endIdentities()
  }

  func endIdentities() {
    writing.firstNewRow = .max
    writing.outcome = nil
    unreadObjects.forgetAdded()
  }
}
