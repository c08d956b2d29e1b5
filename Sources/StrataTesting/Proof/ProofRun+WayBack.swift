import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// What came of a file that was upgraded, perhaps edited, taken back and upgraded again.
struct ProofWayBack {
  let report: DowngradeReport
  /// The old file, the newer one when it was taken back, the older one that came of it, and that upgraded again.
  let old: ProofData
  let new: ProofData
  let down: ProofData
  /// Nil where the upgrade of what came back is refused, and the report has said that it would be lost.
  let again: ProofData?
}

extension ProofBench {
  /// - Parameter edit: what another program does to the newer file.
  /// - Throws: `MigrationError`
  func takeBack(
    _ data: ProofData, from version: Int, to newest: Int,
    edit: (Database) throws -> Void = { _ in }
  ) throws -> ProofWayBack? {
    guard let frozen = target.history.version(version),
      let lineage = target.history.lineage(at: version)
    else { return nil }
    let files = POSIXFiles()
    let (old, new) = (file + "-old", file + "-new")
    for path in [old, new].flatMap({ path in ["", "-wal", "-shm"].map { path + $0 } }) {
      try files.removeIfPresent(path)
    }
    try data.write(to: old, at: frozen, lineage: lineage)
    var options = Upgrade.Options()
    options.target = newest
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    let database = try Database(path: new, mode: .readWrite)
    try TableLayout(target.history.version(newest)?.schema ?? frozen.schema)
      .allowFulltext(in: database)
    try database.configureForStrata()
    try edit(database)
    database.close()
    let before = (try content(of: old, at: version), try content(of: new, at: newest))
    var back = Downgrade.Options()
    back.acceptsLoss = true
    let report = try Downgrade(path: new, from: old, target: target, options: back).run()
    let down = try content(of: new, at: version)
    var again = Upgrade.Options()
    again.target = newest
    var upgraded: ProofData?
    do {
      try Upgrade(path: new, target: target, options: again).run()
      upgraded = try content(of: new, at: newest)
    } catch let error as MigrationError where error.isRefusal && !report.isLossless {}
    return ProofWayBack(
      report: report, old: before.0, new: before.1, down: down, again: upgraded)
  }
}

extension ProofRun {
  /// The laws of the way back: up and down gives the old data, up, down and up the new data, and a change survives down and up where
  /// the report does not say that it is lost.
  ///
  /// - Returns: the first law that does not hold; nil where all of them do.
  func failureOfWayBack(
    _ data: ProofData, _ versions: [Int], _ name: String
  ) throws -> MigrationProofReport.Failure? {
    guard let version = versions.first, let newest = versions.last, version < newest else {
      return nil
    }
    let path = "\(name)\(version) → \(newest) → \(version)"
    do {
      guard let way = try bench.takeBack(data, from: version, to: newest) else { return nil }
      if let loss = way.report.losses.first {
        return MigrationProofReport.Failure(
          object: loss.model, property: loss.property, path: path, step: newest,
          explanation:
            "  nothing was changed, and the report says that something is lost: \(loss.reason)")
      }
      if let found = ContentComparison(schema: way.old.schema).difference(way.old, way.down) {
        return failure(
          found, path, version, "what was not changed is another after up and down")
      }
      if let again = way.again,
        let found = ContentComparison(schema: way.new.schema).difference(way.new, again)
      {
        return failure(
          found, "\(path) → \(newest)", newest,
          "what was not changed is another after up, down and up")
      }
      guard
        let changed = try bench.takeBack(
          data, from: version, to: newest, edit: { try Self.edit($0, way.new.schema) })
      else { return nil }
      guard let again = changed.again,
        let found = ContentComparison(schema: changed.new.schema).difference(changed.new, again),
        !changed.report.losses.contains(where: {
          $0.model == found.model && ($0.property == nil || $0.property == found.property)
            || $0.model.isEmpty
        })
      else { return nil }
      return failure(
        found, "\(path) → \(newest), edited", newest,
        "a change is lost by down and up, and the report does not name it")
    } catch let error as MigrationError where error.kind != .blockMissing {
      return MigrationProofReport.Failure(
        object: error.model ?? "", property: nil, path: path, step: error.version ?? newest,
        explanation: "  the way back is refused: \(error.description)", code: error.code)
    }
  }

  private func failure(
    _ found: ContentDifference, _ path: String, _ step: Int, _ what: String
  ) -> MigrationProofReport.Failure {
    MigrationProofReport.Failure(
      object: found.object, property: found.property, path: path, step: step,
      explanation: "  \(what): expected \(found.expected), found \(found.found)")
  }

  /// Gives the first object of each model the values of the last one, but for what has to be unique or owned, and deletes one where
  /// that is allowed.
  private static func edit(_ database: Database, _ schema: Schema) throws {
    for model in schema.storedModels {
      let keys = Set(model.uniqueKeys.flatMap { $0 })
      let table = SQL.identifier(model.name)
      for property in model.columnProperties where !keys.contains(property.name) {
        let isOwned =
          property.type.linkedModel.flatMap(schema.model(named:))?.isEmbedded ?? false
        guard !isOwned else { continue }
        let column = SQL.identifier(property.name)
        try database.execute(
          """
          UPDATE \(table) SET \(column) = (SELECT \(column) FROM \(table) ORDER BY _row DESC LIMIT 1) \
          WHERE _row = (SELECT min(_row) FROM \(table))
          """)
      }
      guard !model.isEmbedded else { continue }
      try database.begin()
      do {
        try database.execute(
          "DELETE FROM \(table) WHERE _row = (SELECT _row FROM \(table) ORDER BY _row LIMIT 1 OFFSET 1)"
        )
        try database.commit()
      } catch let error as SQLiteError
        where error.primaryCode == .constraint || error.isOfTooLongChain
      {
        // Its place is asked for, or more goes with it than SQLite follows.
        try database.rollback()
      }
    }
  }
}
