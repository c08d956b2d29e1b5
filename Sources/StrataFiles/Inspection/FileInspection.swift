package import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
package import StrataSchema

/// What a file's first bytes say that it is.
package enum FileKind: String, Sendable, Hashable {
  case strata
  case sqlite
  case realm
  case coredata
  case unknown
}

/// What a file is, and whether and how it can be upgraded.
package struct FileInspection: Sendable {
  package enum Status: String, Sendable {
    case current
    case upgradable
    case newer
    case unknownShape = "unknown-shape"
    /// Not of this schema, or no database of ours.
    case foreign
    case damaged
  }

  package var file: String
  package var kind: FileKind
  package var isEncrypted = false
  package var size = 0
  package var schemaName: String?
  package var version: Int?
  package var shape: Digest?
  package var status: Status
  /// Whether `status` is certain. Without a history `current` says no more than that the file is one of Strata's; a file that this
  /// user may not read, or that a step with an open question keeps from its upgrade, is no foreign one.
  package var isJudged = true
  package var closestVersion: Int?
  /// The newest version that the file could be upgraded to.
  package var newestVersion: Int?
  /// Objects of each model.
  package var counts: [String: Int] = [:]
  package var dataDigest: Digest?
  /// What a look at everything has found; nil where it was not asked for.
  package var contentProblems: [ContentProblem]?
  /// What objects break of the rules that the file has stored, of a damaged file as far as it can be read; nil where it was not asked
  /// for, or is not known.
  package var brokenRules: [RuleViolations]?
  /// Whether damage, or a rule that cannot be asked for, keeps it from being known which rules objects break.
  package var areRulesUnknown = false
  /// The rule that cannot be asked for, where one keeps them from being known.
  package var rulesProblem: MigrationError?
  /// Why the file cannot be used, where it cannot.
  package var problem: MigrationError?
}

extension FileInspector {
  /// Looks at a file without changing anything. What is wrong with it is part of the answer.
  ///
  /// - Throws: `MigrationError` only for a file that does not exist, or that others write each time that it is looked at.
  package func inspect(
    _ path: String, target: UpgradeTarget?, digest: Bool = false, checksAll: Bool = false,
    rules: Bool = false
  ) throws -> FileInspection {
    var result = FileInspection(file: path, kind: .unknown, status: .foreign)
    do {
      try checkFile(path)
      result.size = try files.size(of: path) ?? 0
      let begun = result
      try looking(at: path) { database in
        result = begun
        try inspect(
          database, path: path, target: target, digest: digest, checksAll: checksAll, rules: rules,
          &result)
      }
    } catch let error as MigrationError {
      if error.kind == .fileMissing || error.kind == .busy { throw error }
      result.judge(by: error)
      if error.kind.isOfEncryptedFile {
        result.isEncrypted = true
        return result
      }
      if error.kind == .fileDamaged { result.isEncrypted = EncryptedFile.isEncrypted(path) }
      if result.kind == .unknown, error.kind == .fileIsNewer { result.kind = .strata }
      if result.kind == .unknown, error.kind == .foreignFile || error.kind == .fileDamaged {
        result.kind = error.kind == .fileDamaged ? .sqlite : foreignKind(of: path)
      }
    }
    let isHidden = result.status == .damaged || result.rulesProblem != nil
    result.areRulesUnknown = rules && result.brokenRules == nil && isHidden
    return result
  }

  private func inspect(
    _ database: Database, path: String, target: UpgradeTarget?, digest: Bool, checksAll: Bool,
    rules: Bool, _ result: inout FileInspection
  ) throws {
    let stored = try description(in: database, path: path)
    result.kind = .strata
    result.isEncrypted = EncryptedFile.isEncrypted(path)
    result.schemaName = stored.schemaName
    result.version = stored.version
    result.shape = stored.shape
    if let target {
      result.newestVersion = target.history.newest?.number
      do {
        let versions = try target.versions(from: stored, path: path, to: nil)
        result.version = versions[0].number
        result.newestVersion = versions[versions.count - 1].number
        result.status = versions.count == 1 ? .current : .upgradable
      } catch let error as MigrationError {
        result.judge(by: error)
        result.closestVersion = stored.closest(in: target.history)?.number
      }
    } else {
      result.status = .current
      result.isJudged = false
    }
    if checksAll {
      let problems = try FileCheck(database: database, schema: stored.schema).run()
      result.contentProblems = problems
      if let first = problems.first {
        result.judge(
          by: MigrationError(
            .fileDamaged,
            "\(path) is damaged: \(first.message)\(problems.more). \(SQLiteError.helpForDamage) It was not changed."
          ))
        if rules { result.judgeRules(of: database, stored.schema) }
        return
      }
    }
    do {
      try Self.translate(path) {
        try TableCheck(database: database, schema: stored.schema).run(for: .writing)
        try CellSample(database: database, schema: stored.schema).check()
      }
    } catch let error as MigrationError {
      // A file of a newer program may have what is not known here.
      guard result.status != .newer else { return }
      result.judge(by: error)
      if rules { result.judgeRules(of: database, stored.schema) }
      return
    }
    for model in stored.schema.storedModels {
      let count = try database.firstValue("SELECT count(*) FROM \(SQL.identifier(model.name))")
      result.counts[model.name] = Int(count?.ifInteger ?? 0)
    }
    if rules {
      do {
        result.brokenRules = try RuleCheck(database, schema: stored.schema).run()
      } catch let error as MigrationError where error.kind == .brokenHistory {
        result.rulesProblem = error
      }
    }
    if digest {
      do {
        result.dataDigest = try Self.translate(path) {
          try DataDigest(database: database, schema: stored.schema).compute()
        }
      } catch let error as MigrationError {
        // What is damaged was perhaps passed over before.
        if error.kind == .fileDamaged, result.brokenRules?.isEmpty == true, stored.schema.hasRules {
          result.brokenRules = nil
        }
        throw error
      }
    }
  }

  /// Which other system wrote a file that is not ours.
  private func foreignKind(of path: String) -> FileKind {
    guard let untouched = try? openUntouched(path) else { return .unknown }
    defer { untouched.close() }
    do {
      let isCoreData =
        try untouched.database.firstValue(
          "SELECT 1 FROM sqlite_schema WHERE name = 'Z_METADATA'") != nil
      return isCoreData ? .coredata : .sqlite
    } catch {
      let start = Database.firstBytes(of: path, count: SQLiteHeader.byteCount)
      return SQLiteHeader.isRealm(start ?? []) ? .realm : .unknown
    }
  }
}

extension FileInspection {
  /// Holds the objects of a damaged file against its rules, as far as they can be read. That none is broken is no knowledge where
  /// objects are hurt, because SQLite may pass over rows of damaged pages without an error.
  fileprivate mutating func judgeRules(of database: Database, _ schema: Schema) {
    do {
      let broken = try RuleCheck(database, schema: schema).run()
      let sparesObjects = contentProblems?.allSatisfy(\.sparesObjects) ?? false
      if !broken.isEmpty || sparesObjects || !schema.hasRules { brokenRules = broken }
    } catch let error as MigrationError where error.kind == .brokenHistory {
      rulesProblem = error
    } catch {
      // The damage, of which `problem` tells already.
    }
  }

  /// Takes why the file cannot be used, and what that says of it.
  package mutating func judge(by error: MigrationError) {
    problem = error
    isJudged = true
    switch error.kind {
    case .fileIsNewer: status = .newer
    case .unknownShape: status = .unknownShape
    case .fileDamaged: status = .damaged
    case .fileIsFolder, .notADatabase, .foreignFile: status = .foreign
    default:
      status = .foreign
      isJudged = false
    }
  }
}
