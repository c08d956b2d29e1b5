import StrataSQLite

@testable import Strata

/// How a file may be left by whoever wrote it last.
enum AbandonedState: CaseIterable {
  /// Everything is in the file.
  case closed
  /// A killed process has left its log and the log's index.
  case logAndIndex
  /// The file was copied with its log.
  case logAlone
  /// A killed process has left a rollback journal.
  case hotJournal
  /// The file was written by a program that does not use a log.
  case noLogMode
}

extension Workbench {
  /// A file at version 0 in a state, with 40 people the first of whom is 99 years old.
  func abandoned(_ state: AbandonedState) throws -> String {
    let made = try sample("made.db", version: 0, of: PeopleHistory.target, objects: 40)
    let file = path("old.db")
    let writer = try Database(path: made, mode: .readWrite)
    defer { writer.close() }
    if state == .hotJournal || state == .noLogMode {
      try writer.setPragma("journal_mode", "DELETE")
    }
    try writer.execute("UPDATE Person SET age = 99 WHERE _row = 1")
    var suffixes = [""]
    switch state {
    case .closed: _ = try writer.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    case .logAndIndex: suffixes += ["-wal", "-shm"]
    case .logAlone: suffixes += ["-wal"]
    case .noLogMode: break
    case .hotJournal:
      suffixes += ["-journal"]
      // So small a cache writes the file before the transaction ends.
      try writer.setPragma("cache_size", 1)
      try writer.begin()
      try writer.execute("UPDATE Person SET age = 1, firstName = firstName || printf('%5000s', '')")
    }
    for suffix in suffixes {
      try POSIXFiles().copy(made + suffix, to: file + suffix, permissions: 0o600)
    }
    writer.close()
    for name in try names() where name.hasPrefix("made.db") {
      try POSIXFiles().remove(path(name))
    }
    return file
  }
}
