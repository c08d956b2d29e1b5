import StrataHistory
import StrataSQLite
import StrataSchema

/// The file that an opening makes where none is.
extension Opening {
  /// A fresh file. Another process may be creating it at the same moment: the first one does it.
  ///
  /// - Returns: nil where another one has done it.
  func create(
    _ database: Database, _ definition: SchemaDefinition, _ standing: Standing
  ) throws -> Result? {
    try database.setPragma("page_size", .integer(Database.strataPageSize))
    var standing = standing
    let (mode, created): (SQLiteValue, Bool) = try waitingForOthers(database) {
      // Another one may have made it with checksums, which what this connection writes would not have.
      guard try isEmpty(database), !database.lacksChecksums else { return (.null, false) }
      let mode =
        configuration.inMemoryIdentifier == nil
        ? try database.setPragma("journal_mode", "WAL") : .null
      // SQLite counts that as a change by others.
      standing = try Standing(of: database)
      let created = try database.transaction {
        guard try isEmpty(database) else { return false }
        let origin = try origin(of: definition.schema)
        try TableLayout(definition.schema).create(
          in: database, lineage: origin.lineage, chain: origin.chain)
        // Before others of this process can open it.
        KnownFiles.shared.created(
          configuration.fileKey(path),
          configuration.inMemoryIdentifier == nil ? try POSIXFiles().status(of: path) : nil)
        standing = try Standing(of: database)
        return true
      }
      return (mode, created)
    }
    guard created else { return nil }
    return Result(
      database: database, definition: definition, path: path, isWriteAheadLogged: mode == "wal",
      standing: standing)
  }

  /// Tries again while others have the file: SQLite gives a file a log, and recovers one, only where it need not wait.
  private func waitingForOthers<Value>(
    _ database: Database, _ body: () throws -> Value
  ) throws -> Value {
    let end = ContinuousClock.now + .milliseconds(configuration.busyTimeout.milliseconds)
    while true {
      do {
        return try body()
      } catch let error as SQLiteError where error.primaryCode == .busy && ContinuousClock.now < end
      {
        Database.pause(milliseconds: Self.pauseInMilliseconds)
      }
    }
  }

  /// What the history says of the version that a fresh file has.
  private func origin(of schema: Schema) throws -> (lineage: Lineage, chain: Digest?) {
    guard let history = try configuration.migrations.map({ try UpgradeTarget($0).history }),
      let version = history.version(schema.version), version.shape == schema.shape,
      let lineage = history.lineage(at: schema.version)
    else { return (Lineage(beginning: schema), nil) }
    return (lineage, version.chain)
  }

  func isEmpty(_ database: Database) throws -> Bool {
    try database.firstValue("SELECT count(*) FROM sqlite_schema") == 0
  }
}
