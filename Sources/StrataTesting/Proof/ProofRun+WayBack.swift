import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// What came of a file that was upgraded, perhaps edited, taken back and upgraded again.
struct ProofWayBack {
  /// What the downgrade reports as lost.
  let report: ProofNotes
  /// The old file, the newer one when it was taken back, the older one that came of it, and that upgraded again.
  let old: ProofData
  let new: ProofData
  let down: ProofData
  /// What came of the same once more, where blocks take part in it.
  let downOnceMore: ProofData?
  /// Nil where the upgrade of what came back is refused, and the report has said that it would be lost.
  let again: ProofData?
  /// A `step.back` that comes too late to be heard, if there is one.
  let lateBack: ProofNotes.LateBack?
}

extension ProofBench {
  /// - Parameter edit: what another program does to the newer file.
  /// - Returns: nil where the edit would be none that an app can make.
  /// - Throws: `MigrationError`, `ProofCrash`
  func takeBack(
    _ data: ProofData, from version: Int, to newest: Int, edit: WayBackEdit? = nil
  ) throws -> ProofWayBack? {
    guard let frozen = target.history.version(version),
      let lineage = target.history.lineage(at: version)
    else { return nil }
    let (old, new, copy) = (file + "-old", file + "-new", file + "-copy")
    for path in [old, new, copy] {
      for suffix in ["", "-wal", "-shm", "-notes"] { try files.removeIfPresent(path + suffix) }
    }
    try data.write(to: old, at: frozen, lineage: lineage)
    try files.copy(old, to: new, permissions: 0o600)
    let upgrade = ProofUpgrade(file: new, target: newest)
    try engine(upgrade, target)
    let lateBack = try ProofNotes(at: upgrade.notes).lateBack
    guard try change(new, edit, target.history.version(newest)?.schema ?? frozen.schema) else {
      return nil
    }
    let before = (try content(of: old, at: version), try content(of: new, at: newest))
    let hasBlocks = target.blocks.keys.contains { $0 > version && $0 <= newest }
    if hasBlocks { try files.copy(new, to: copy, permissions: 0o600) }
    let downgrade = ProofUpgrade(file: new, target: version, old: old)
    try engine(downgrade, target)
    let report = try ProofNotes(at: downgrade.notes)
    let down = try content(of: new, at: version)
    if hasBlocks {
      let elsewhere = otherProcess ?? engine
      try elsewhere(ProofUpgrade(file: copy, target: version, old: old), target)
    }
    var upgraded: ProofData?
    do {
      try engine(upgrade, target)
      upgraded = try content(of: new, at: newest)
    } catch let error as MigrationError where error.isRefusal && !report.isLossless {}
    return ProofWayBack(
      report: report, old: before.0, new: before.1, down: down,
      downOnceMore: hasBlocks ? try content(of: copy, at: version) : nil, again: upgraded,
      lateBack: lateBack)
  }

  /// Makes a change of an app.
  ///
  /// - Returns: whether an app could have made it.
  private func change(_ path: String, _ edit: WayBackEdit?, _ schema: Schema) throws -> Bool {
    guard let edit else { return true }
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try TableLayout(schema).allowFulltext(in: database)
    try database.configureForStrata()
    return try edit.apply(to: database, schema)
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
      if let late = way.lateBack {
        return MigrationProofReport.Failure(
          object: late.model, property: nil, path: path, step: late.version,
          explanation: """
              the block of version \(late.version) says `step.back` of \(late.model) after it has looked at other objects, when \
            it is not heard: say it before
            """)
      }
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
      if let failure = failureOfRepetition(way, path, version) { return failure }
      for edit in WayBackEdit.allCases {
        guard let way = try edited(data, from: version, to: newest, edit) else { continue }
        if let failure = failureOfRepetition(way, "\(path), edited", version) { return failure }
        guard let again = way.again else { continue }
        // What a block creates counts on from other numbers once objects are more or fewer.
        let created = way.old.nextRow
        let found = ContentComparison(schema: way.new.schema, createdFrom: created)
          .differences(way.new, again)
          .first { !way.report.names($0, createdFrom: created) }
        guard let found else { continue }
        return failure(
          found, "\(path) → \(newest), edited", newest,
          "a change is lost by down and up, and the report does not name it")
      }
      return nil
    } catch let crash as ProofCrash {
      let model = crash.model ?? ""
      return MigrationProofReport.Failure(
        object: crash.identity.map { "\(model) #\($0)" } ?? model, property: nil, path: path,
        step: crash.version ?? newest,
        explanation: "  the block ends the process: \(crash.cause)",
        code: MigrationError(.blockFailed, "").code)
    } catch let error as MigrationError
      where error.kind != .blockMissing && error.kind != .cancelled
    {
      return MigrationProofReport.Failure(
        object: error.subject(ofVersion: version), property: nil, path: path,
        step: error.version ?? newest,
        explanation: "  the way back is refused: \(error.description)", code: error.code)
    }
  }

  /// A file that was edited and taken back; nil where the edit would be none that an app can make, or makes something that the older version
  /// refuses: a downgrade that is refused has lost nothing.
  private func edited(
    _ data: ProofData, from version: Int, to newest: Int, _ edit: WayBackEdit
  ) throws -> ProofWayBack? {
    do {
      return try bench.takeBack(data, from: version, to: newest, edit: edit)
    } catch let error as MigrationError where error.version ?? version == version {
      guard [.ruleBroken, .duplicateValue].contains(error.kind) else { throw error }
      return nil
    }
  }

  /// A `step.back` that takes more than its object gives another answer another time.
  private func failureOfRepetition(
    _ way: ProofWayBack, _ path: String, _ version: Int
  ) -> MigrationProofReport.Failure? {
    guard let other = way.downOnceMore,
      let found = ContentComparison(schema: way.old.schema).difference(way.down, other)
    else { return nil }
    return failure(
      found, "\(path), run again", version, "what goes back is another when it is taken back again")
  }

  private func failure(
    _ found: ContentDifference, _ path: String, _ step: Int, _ what: String
  ) -> MigrationProofReport.Failure {
    MigrationProofReport.Failure(
      object: found.object, property: found.property, path: path, step: step,
      explanation: "  \(what): expected \(found.expected), found \(found.found)")
  }
}

extension ProofNotes {
  /// Whether it says that this is lost. Where a loss does not name all of its objects it has to be one of the model. Objects that were
  /// created have no number in common and are told by what they hold: of them, and of what leads to them, it has to be one that does not
  /// name all, or names one that was created.
  func names(_ difference: ContentDifference, createdFrom: Int64) -> Bool {
    return losses.contains { loss in
      let isPartlyNamed = loss.identities.count < loss.count
      if loss.model.isEmpty { return true }
      if difference.isOfCreated,
        isPartlyNamed || loss.identities.contains(where: { $0 >= createdFrom })
      {
        return true
      }
      return loss.model == difference.model
        && (isPartlyNamed
          || (loss.property == nil || loss.property == difference.property)
            && loss.identities.contains(difference.identity))
    }
  }
}

extension MigrationError {
  /// What a report names as that which was refused.
  ///
  /// - Parameter version: that of the file from which it came.
  func subject(ofVersion version: Int) -> String {
    guard let model else { return "a file of version \(version)" }
    return identity.map { "\(model) #\($0)" } ?? model
  }
}
