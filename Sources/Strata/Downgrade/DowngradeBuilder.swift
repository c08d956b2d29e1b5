import StrataHistory
import StrataSQLite
import StrataSchema

/// Builds the content that a newer file has after it was taken back, in files beside it.
struct DowngradeBuilder {
  let theirs: any UpgradeSource
  let ours: UntouchedDatabase
  /// As people call the two files.
  let path: String
  let old: String
  let target: UpgradeTarget
  /// Beside which the files stand.
  let place: String
  let files: any FileOperations
  let vfs: String?
  let progress: ((UpgradeProgress) -> UpgradeControl)?

  /// Pages of the old file that are copied between two checks for cancellation.
  private static let pagesAtOnce = 8192

  /// - Parameter body: gets the path of the older file, closed and whole, which is removed afterwards.
  func run<Result>(_ body: (String, DowngradeReport) throws -> Result) throws -> Result {
    let inspector = FileInspector(files: files, vfs: vfs)
    let newer = try inspector.stored(in: theirs.reader, path: path)
    let older = try inspector.stored(in: ours.database, path: old)
    let versions = try versions(older, newer)
    let route = try UpgradeRoute(versions: versions, target: target)
    let back = try BackRoute(route, versions: versions)
    let mark = try readingOld {
      try checkSpace(route, older)
      try checkStructure(older)
      return try older.mark(in: ours.database)
    }

    let base = try readingOld {
      try upgrade(ours, older, versions, place + AsideFile.suffix + "-base")
    }
    defer { base.remove() }
    base.database.close()
    try newWatch.report()
    let down = try AsideFile(
      path: place + AsideFile.suffix + "-down", of: theirs.path, vfs: vfs,
      pageSize: try ours.pageSize, permissions: try permissions(), files: files)
    defer { down.remove() }
    let merged = try merge(into: down, base, back, older, newer, newer.upgrades.comes(from: mark))
    guard merged.mayLose else {
      try newWatch.report()
      return try body(down.path, report(merged, back, losses: []))
    }
    let losses = try losses(down, base, versions, back, merged, older) + merged.notes.oldOnly
    try newWatch.report()
    return try body(down.path, report(merged, back, losses: losses))
  }

  // MARK: - Which versions

  private func versions(_ older: StoredSchema, _ newer: StoredSchema) throws -> [FrozenVersion] {
    guard target.classic == nil else {
      throw MigrationError(
        .cannotGoBack,
        "\(path) cannot be taken back by a migration block, which says nothing of the versions between. It needs steps."
      )
    }
    guard older.schemaName == newer.schemaName else {
      throw MigrationError(
        .cannotGoBack,
        "\(old) holds the schema \(older.schemaName), and \(path) \(newer.schemaName): it is no older version of it."
      )
    }
    let to = try target.version(of: older, path: old)
    let from = try target.version(of: newer, path: path)
    if to.number == from.number {
      throw MigrationError(
        .cannotGoBack,
        "\(path) and \(old) are both at version \(from.number) of \(newer.schemaName): there is nothing to take back."
      )
    }
    guard to.number < from.number else {
      throw MigrationError(
        .cannotGoBack,
        """
        \(old) is at version \(to.number) of \(newer.schemaName), later than \(path) at version \(from.number): a file is \
        taken back to an older one.
        """)
    }
    let versions = try target.versions(from: older, path: old, to: from.number)
    guard versions.last?.shape == from.shape else {
      throw MigrationError(
        .cannotGoBack,
        """
        \(path) was written with an earlier shape of version \(from.number) of \(newer.schemaName), which is not frozen yet: \
        what led to it is not known any more. Upgrade it first.
        """)
    }
    return versions
  }

  // MARK: - Base

  /// Upgrades a file into one beside, as the upgrade did it.
  private func upgrade(
    _ source: UntouchedDatabase, _ stored: StoredSchema, _ versions: [FrozenVersion],
    _ place: String
  ) throws -> AsideFile {
    let route = try UpgradeRoute(versions: versions, target: target)
    let estimate = try DiskEstimate(route: route, stored: stored, database: source.database)
    let builder = AsideBuilder(
      original: source, stored: stored, target: target, versions: versions, route: route,
      folderPath: place, files: files, vfs: vfs, usesSecondThread: true, counts: estimate.counts,
      watch: newWatch)
    return try builder.build().file
  }

  /// The old file's pages become the file's, all of them: what contradicts itself in them would, too, also where no reading comes by.
  private func checkStructure(_ older: StoredSchema) throws {
    let (database, watch) = (ours.database, newWatch)
    watch.watch(database)
    defer { database.setProgressHandler(every: 0, nil) }
    // Values are looked at where they are read.
    func judge(_ finding: String) throws {
      if !IntegrityFinding.isOfValues(finding) { throw FileDamage(finding) }
    }
    do {
      do {
        try IntegrityFinding.checkWhole(database, judge)
      } catch let error as SQLiteError where error.primaryCode == .error {
        // Another program has an index by a collation or a function of its own in the file: SQLite checks nothing whole then.
        for table in try ownTables(of: older) where !IntegrityFinding.beginsAsNumber(table) {
          _ = try IntegrityFinding.check(database, SQL.identifier(table), judge)
        }
      }
    } catch {
      try watch.report()
      throw error
    }
  }

  /// Those of the schema, and those in which full-text indexes keep their content.
  private func ownTables(of older: StoredSchema) throws -> [String] {
    let shadows = Array(
      try ours.database.rows(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'"))
    return TableLayout(older.schema).tableNames + shadows.compactMap { $0[0].ifText }
  }

  /// Runs what reads the old file alone: damage is that file's, and a refusal is one of its upgrade.
  private func readingOld<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError where error.isOfDamagedFile {
      throw MigrationError(error, path: old, .downgrade)
    } catch let error as FileDamage {
      return try FileInspector.translate(old, .downgrade) { throw error }
    } catch let error as MigrationError where error.isRefusal {
      throw error.takingBack(path, from: old)
    }
  }

  /// Of one of the three stages: the old file upgraded, its copy changed, and that upgraded again.
  private var newWatch: UpgradeWatch {
    UpgradeWatch(path: path, direction: .downgrade, callback: progress)
  }

  private func checkSpace(_ route: UpgradeRoute, _ older: StoredSchema) throws {
    let estimate = try DiskEstimate(route: route, stored: older, database: ours.database)
    // The old file upgraded, its copy, and the copy upgraded again.
    let needed = 2 * estimate.diskNeeded(isWrittenBack: true) + estimate.fileSize
    try DiskSpace(files: files, path: path, place: place, backup: nil, direction: .downgrade).check(
      needed: needed, fileSize: estimate.fileSize)
  }

  /// Those of the newer file; the maker of the older one has to write it.
  private func permissions() throws -> UInt32 {
    (try files.status(of: theirs.path)?.permissions ?? 0o600) | 0o600
  }

  // MARK: - Merge

  private struct Merged {
    let found: ChangeDetection.Result
    let notes: LossNotes
    let objects: Int
    /// Whether something may be lost, so that it has to be looked for.
    let mayLose: Bool
    let nextRow: Int64
    /// Whether the newer file was made of the old one as it is; nil where it does not know.
    let isMadeOfOld: Bool?
    /// What other programs have in the newer file.
    let otherTables: [String]
  }

  private func merge(
    into down: AsideFile, _ base: AsideFile, _ route: BackRoute, _ older: StoredSchema,
    _ newer: StoredSchema, _ isMadeOfOld: Bool?
  ) throws -> Merged {
    let database = down.database
    let watch = newWatch
    do {
      try readingOld { try copyOld(into: database, watch) }
      // What other programs had in the old file is older than what they have in the newer one, and would pass for it.
      try readingOld {
        try OtherTables(in: database, beside: TableLayout(route.older)).drop(from: database)
      }
      try database.attach(base.path, as: "base")
      try down.attach(theirs, as: "theirs")
      try database.attach(ours.attachment, as: "old")
      watch.watch(database)
      try database.begin(.deferred)
      let layout = TableLayout(route.older)
      let others = try OtherTables(
        in: database, attachedAs: "theirs", beside: TableLayout(route.newer))
      try layout.allowFulltext(in: database)
      let before = try DatabaseLayout(of: database, in: "main")
      let found = try ChangeDetection(database: database, route: route).run(
        path: path, old: old, isMadeOfOldFile: isMadeOfOld)
      let merge = ThreeWayMerge(database, route, found, watch)
      if !found.isEmpty { try merge.run() }
      let nextRow = try nextRow(database, older, newer)
      try describe(database, route, nextRow, max(older.transaction, newer.transaction))
      let objects = try verify(database, route, before, isTouched: !found.isEmpty)
      try down.commit()
      for name in ["old", "theirs", "base"] { try database.detach(name) }
      try down.finish()
      let changes = found.properties.enumerated().contains { index, properties in
        !LossEstimate(route).isSafe(route.ways[index], properties, found.counts[index])
      }
      return Merged(
        found: found, notes: merge.notes, objects: objects,
        mayLose: !found.isEmpty && (changes || !merge.notes.isEmpty), nextRow: nextRow,
        isMadeOfOld: isMadeOfOld, otherTables: others.names)
    } catch {
      throw down.cause(of: error)
    }
  }

  /// What an upgrade gives to objects that steps make, it gives to the same ones again: only identities that were given since are gone.
  private func nextRow(_ database: Database, _ older: StoredSchema, _ newer: StoredSchema) throws
    -> Int64
  {
    let old = try StrataMetadata.nextRow(of: database, schema: older.schema, in: "old")
    let made = try StrataMetadata.nextRow(of: database, schema: newer.schema, in: "base")
    let now = try StrataMetadata.nextRow(of: database, schema: newer.schema, in: "theirs")
    return now > made ? max(now, old) : old
  }

  private func copyOld(into database: Database, _ watch: UpgradeWatch) throws {
    let backup = try Backup(from: ours.database, into: database)
    copying: while true {
      switch try backup.step(pages: Self.pagesAtOnce) {
      case .done: break copying
      case .more: try watch.report()
      case .busy:
        throw MigrationError(
          .busy, "\(old) is being written by another process. Try again when it has finished.")
      }
    }
    try backup.finish()
    database.discardCachedStatements()
  }

  /// What the file says of itself is what the old one said, but that it goes on counting where the newer one is.
  private func describe(
    _ database: Database, _ route: BackRoute, _ nextRow: Int64, _ transaction: Int64
  ) throws {
    try StrataMetadata.write(.integer(nextRow), for: .nextRow, to: database)
    try StrataMetadata.write(.integer(transaction), for: .transaction, to: database)
    try database.execute("DELETE FROM main.\(SQL.identifier(LayoutNames.changes))")
    // Stores that have other content in memory learn that anything may have changed.
    let sink = ChangeSink(schema: route.older)
    for index in route.older.models.indices { sink.changedEverything(of: index) }
    _ = try sink.write(to: database)
  }

  private func verify(
    _ database: Database, _ route: BackRoute, _ before: DatabaseLayout, isTouched: Bool
  ) throws -> Int {
    var objects = 0
    for model in route.older.storedModels {
      objects += try database.count(of: "main.\(SQL.identifier(model.name))")
    }
    guard isTouched else { return objects }
    if let difference = try DatabaseLayout(of: database, in: "main").differences(from: before).first
    {
      throw refusal("its layout is not that of \(old): \(difference)", route)
    }
    let broken = try RuleCheck(database, schema: route.older).run()
    if !broken.isEmpty {
      throw MigrationError.ruleBroken(broken, takingBack: path, to: route.older.version)
    }
    if route.older.storedModels.contains(where: \.isEmbedded) {
      try VersionCheck(database: database, schema: route.older).run()
    }
    return objects
  }

  private func refusal(_ what: String, _ route: BackRoute) -> MigrationError {
    MigrationError(
      .verificationFailed,
      """
      The older content was refused before anything was written: \(what). The file is as it was. Please report this with the \
      schema history.
      """, version: route.older.version)
  }

  // MARK: - Report

  private func report(
    _ merged: Merged, _ route: BackRoute, losses: [DowngradeReport.Loss]
  ) -> DowngradeReport {
    var report = DowngradeReport(
      from: route.newer.version, to: route.older.version,
      changes: merged.found.changes.sorted { $0.model < $1.model }, losses: losses,
      objects: merged.objects, isMadeOfOldFile: merged.isMadeOfOld)
    report.otherTables = merged.otherTables
    return report
  }

  private func losses(
    _ down: AsideFile, _ base: AsideFile, _ versions: [FrozenVersion], _ route: BackRoute,
    _ merged: Merged, _ older: StoredSchema
  ) throws -> [DowngradeReport.Loss] {
    let inspector = FileInspector(files: files, vfs: vfs)
    let source = try inspector.openUntouched(down.path)
    defer { source.close() }
    let stored = try inspector.stored(in: source.database, path: path)
    let again: AsideFile
    do {
      again = try upgrade(source, stored, versions, down.path)
    } catch let error as MigrationError where error.isRefusal {
      let object = error.identity.map { DowngradeReport.LostObject(identity: $0, key: nil) }
      return [
        DowngradeReport.Loss(
          model: error.model ?? "", property: nil,
          reason: "an upgrade of what goes back is refused (\(error.description))", count: 1,
          objects: object.map { [$0] } ?? [])
      ]
    }
    defer { again.remove() }
    try again.database.attach(base.path, as: "base")
    try again.attach(theirs, as: "theirs")
    try again.database.begin(.deferred)
    let losses = try LossJudge(
      database: again.database, route: route, notes: merged.notes,
      firstMade: (
        merged.nextRow,
        try StrataMetadata.nextRow(of: ours.database, schema: older.schema)
      )
    ).run()
    try again.database.rollback()
    return losses
  }
}
