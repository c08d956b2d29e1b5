import StrataSQLite

/// The file whose objects an upgrade reads.
protocol UpgradeSource: AnyObject {
  var database: Database { get }
  /// A connection that is in no transaction of its own and sees the same.
  var reader: Database { get }
  /// From the root, through no symbolic link.
  var path: String { get }
  /// What another connection attaches to read the same: a path, or a URI that says how to read it.
  var attachment: String { get }
  /// Whether others may commit to it while it is read, so that each connection sees the state of its own transaction.
  var mayBeWritten: Bool { get }
  /// Refuses a file in whose place another one stands, before another connection opens what is there.
  func checkIsInPlace() throws
}

extension OriginalFile: UpgradeSource {
  var reader: Database { witness }
  var attachment: String { path }
  var mayBeWritten: Bool { false }
}

extension UntouchedDatabase: UpgradeSource {
  var reader: Database { database }
  /// Who reads without a lock asks in the end whether the file is unchanged.
  func checkIsInPlace() {}
}

extension UpgradeSource {
  var pageSize: Int64 {
    get throws { try database.pragma("page_size").ifInteger ?? Database.strataPageSize }
  }
}

extension UntouchedDatabase {
  /// Whether an error may come of what another process has written: a file without a lock looks damaged then, is refused, or gives blocks
  /// values that make no sense.
  func isToBlame(for error: any Error) -> Bool {
    if let error = error as? MigrationError, error.kind == .cancelled { return false }
    if let error = error as? SQLiteError, error.primaryCode == .full { return false }
    return !isUnchanged
  }
}

/// The file holds another version than when it was looked at: the upgrade begins anew.
struct SourceHasChanged: Error {}
