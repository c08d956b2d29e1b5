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
}

extension OriginalFile: UpgradeSource {
  var reader: Database { witness }
  var attachment: String { path }
  var mayBeWritten: Bool { false }
}

extension UntouchedDatabase: UpgradeSource {
  var reader: Database { database }
}

extension UpgradeSource {
  var pageSize: Int64 {
    get throws { try database.pragma("page_size").ifInteger ?? Database.strataPageSize }
  }
}

/// The file holds another version than when it was looked at: the upgrade begins anew.
struct SourceHasChanged: Error {}
