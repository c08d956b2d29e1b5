/// Which version of the data a store stands on, and how it notices that there is another one.
struct ReadSnapshot {
  /// A store in memory has no WAL: an open read transaction would block its writer.
  let pinsVersions: Bool
  /// Whether a read transaction pins the version.
  var isReading = false
  var dataVersion: Int64 = 0
  /// What SQLite counts the changes of the file's tables with.
  var tablesVersion: Int64 = 0
  /// Says whether another connection has written; created on first use.
  var versionWatch: VersionWatch?
  /// What ``versionWatch`` said just before the version was pinned.
  var pinMark: Int64?
  /// Whether the connection is another one than that which read last.
  var connectionChanged = false
  /// The number with which ``ActiveVersions`` knows that the store holds a version.
  var heldVersion: Int?
  /// Why the store cannot go on: the file has become one of another schema, or a frozen store has lost its version. Stays once it is there.
  var outdated: StoreError? {
    get { reason?.error }
    set { reason = newValue.map { Reason($0) } }
  }
  /// A reference, because several threads may look for it while one of them sets it.
  var reason: Reason?

  final class Reason {
    let error: StoreError

    init(_ error: StoreError) { self.error = error }
  }
}
