import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// Upgrades a file whose rows stay as they are, in the one transaction that holds its lock.
struct InPlaceUpgrade {
  let original: OriginalFile
  let stored: StoredSchema
  let target: UpgradeTarget
  let route: UpgradeRoute
  let change: InPlaceChange
  let watch: UpgradeWatch

  /// - Returns: nil where the upgrade has to be built aside; the file is as it was then, and locked still.
  func run(beforeCommit: () throws -> Void) throws -> UpgradeReport? {
    let database = original.database
    try watch.report()
    watch.watch(database)
    defer { database.setProgressHandler(every: 0, nil) }
    let savepoint = try database.beginSavepoint("strata_in_place")
    do {
      let content = try ContentMark.of(database, stored.schema)
      for statement in change.statements(triggers: try change.ownTriggers(in: database)) {
        watch.describe(.indexes)
        try watch.stopIfCancelled()
        try database.execute(statement)
      }
      try change.makeMissingIndexes(in: database)
      try FileDescription(stored: stored, target: target, version: route.target).write(
        to: database, rowCounter: stored.rowCounter,
        transaction: StrataMetadata.counter(.transaction, of: database), content: content)
      watch.describe(.verifying)
      // What other programs keep in the file stays; what is built aside would leave it out.
      guard try change.leadsToTarget(database) else { throw SetBasedRefusal() }
      try VersionCheck(
        database: database, schema: route.target.schema, form: target.form,
        after: route.transitions.last
      ).checkRules()
      try watch.report()
    } catch let error where error.isRefusal {
      // A unique index over duplicates, or an older file's layout: what is built aside tells which, or mends it.
      try database.takeBack(savepoint)
      database.discardCachedStatements()
      return nil
    }
    // From here on it is too late to cancel: what has begun to be committed is.
    database.setProgressHandler(every: 0, nil)
    try database.release(savepoint)
    try beforeCommit()
    try original.commit()
    return UpgradeReport(route, objects: nil)
  }
}

extension Error {
  fileprivate var isRefusal: Bool {
    if let error = self as? SQLiteError {
      return error.primaryCode == .constraint || error.primaryCode == .error
    }
    return self is SetBasedRefusal
  }
}

/// What a file says of itself after an upgrade.
struct FileDescription {
  let stored: StoredSchema
  let target: UpgradeTarget
  let version: FrozenVersion
  /// What a migration block has renamed.
  var renames = Renames()

  /// - Parameters:
  ///   - rowCounter: the identity of the next object.
  ///   - transaction: how many transactions had changed the old file when it was read.
  ///   - content: what its objects were then.
  func write(
    to database: Database, rowCounter: Int64, transaction: Int64, content: String?
  ) throws {
    let mark = UpgradeMark(
      version: stored.version, transaction: transaction, content: content)
    let lineage = target.lineage(of: version, from: stored, renames: renames)
    let metadata = StrataMetadata(
      schema: version.schema, lineage: lineage, chain: version.chain, nextRow: rowCounter,
      transaction: transaction, upgrades: stored.upgrades.adding(mark))
    try metadata.write(to: database)
    // Stores that have the old content in memory learn that anything may have changed.
    let sink = ChangeSink(schema: version.schema)
    for index in version.schema.models.indices { sink.changedEverything(of: index) }
    _ = try sink.write(to: database)
  }
}
