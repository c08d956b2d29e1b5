import Synchronization

extension Store {
  /// What is called after a statement of SQL: its text, in which `?` stands for values; how long it ran, from its first row to its last; and how
  /// many rows it gave.
  public typealias Log = @Sendable (_ statement: String, _ duration: Duration, _ rows: Int) -> Void

  /// Called after each statement of the stores that are opened from now on, in the isolation of the store; nil for nothing. It must not use
  /// the store.
  ///
  /// ```swift
  /// Store.log = { statement, duration, rows in print(duration, rows, statement) }
  /// ```
  public static var log: Log? {
    get { sharedLog.withLock { $0 } }
    set { sharedLog.withLock { $0 = newValue } }
  }

  private static let sharedLog = Mutex<Log?>(nil)
}
