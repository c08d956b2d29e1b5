import StrataSQLite

/// Transactions whose changes are taken back without ending them, so that no other connection writes in between.
extension Store {
  /// Begins a write transaction that ``restartWrite()`` brings back to its beginning.
  ///
  /// - Throws: as ``beginWrite()``
  package func beginRestartableWrite() throws(StoreError) {
    try beginWrite()
    do {
      writing.beginning = try database.beginSavepoint("strata_restart")
    } catch {
      cancelWrite()
      throw storeError(error)
    }
  }

  /// Whether SQLite has ended the running transaction by itself, with everything that it did.
  package var hasLostTransaction: Bool { database.hasLostTransaction }

  /// Undoes everything that the transaction did, as ``cancelWrite()``, and goes on with it: other connections still cannot write. The same changes
  /// give new objects the same identities again.
  ///
  /// - Returns: false where SQLite has ended the transaction by itself, as it does on a full disk: it is cancelled then, and other
  ///   connections may have written.
  package func restartWrite() -> Bool {
    guard isInWriteTransaction else { return false }
    let row = writing.firstNewRow
    prepareToTakeBack()
    guard let beginning = writing.beginning, (try? database.rollBack(to: beginning)) != nil else {
      cancelWrite()
      return false
    }
    forgetTakenBack()
    writing.nextRow = row
    writing.firstNewRow = row
    return true
  }

  /// Stores everything that the transaction did; where that is refused, the transaction is at its beginning again, as after
  /// ``restartWrite()``.
  ///
  /// - Throws: as ``commitWrite(withoutNotifying:)``
  package func commitOrRestartWrite() throws(StoreError) {
    try checkInWriteTransaction()
    do throws(StoreError) {
      try commit(withoutNotifying: [])
    } catch {
      _ = restartWrite()
      throw error
    }
  }
}
