import CSQLite

/// What a connection knows of a transaction that nothing may be stored outside of.
final class TransactionGuard {
  /// Whether one is running, as its user thinks.
  var isOpen = false
  /// Whether SQLite has ended it by itself.
  var isLost = false
}

extension Database {
  /// Guards the transaction that was begun: where SQLite ends it by itself, as it does on a full disk and where a page cannot be read, each
  /// statement behind it would be a transaction of its own, and stored. Until ``endGuard()`` such statements fail.
  package func guardTransaction() {
    let state = transactionGuard ?? installGuard()
    state.isOpen = true
    state.isLost = false
  }

  /// The guarded transaction is over, in one way or the other.
  package func endGuard() {
    transactionGuard?.isOpen = false
    transactionGuard?.isLost = false
  }

  /// Whether SQLite has ended the guarded transaction by itself: nothing of it is stored.
  package var hasLostTransaction: Bool { transactionGuard?.isLost ?? false }

  /// Before the connection closes, which statements of others may outlive.
  func removeGuard() {
    guard transactionGuard != nil else { return }
    sqlite3_rollback_hook(handle, nil, nil)
    sqlite3_commit_hook(handle, nil, nil)
    transactionGuard = nil
  }

  private func installGuard() -> TransactionGuard {
    let state = TransactionGuard()
    transactionGuard = state  // kept for as long as SQLite has its address
    let address = Unmanaged.passUnretained(state).toOpaque()
    sqlite3_rollback_hook(
      handle,
      { address in
        guard let address else { return }
        let state = Unmanaged<TransactionGuard>.fromOpaque(address).takeUnretainedValue()
        if state.isOpen { state.isLost = true }
      }, address)
    sqlite3_commit_hook(
      handle,
      { address in
        guard let address else { return 0 }
        return Unmanaged<TransactionGuard>.fromOpaque(address).takeUnretainedValue().isLost ? 1 : 0
      }, address)
    return state
  }
}
