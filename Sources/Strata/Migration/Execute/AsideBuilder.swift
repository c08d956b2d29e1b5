import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// Builds the upgraded content in a file beside the original, pass by pass, and verifies it.
final class AsideBuilder {
  struct Result {
    let file: AsideFile
    let objects: Int
    /// Tables and views of other programs that the old file has and the new one has not.
    let leftOut: [String]
  }

  let original: any UpgradeSource
  let stored: StoredSchema
  let target: UpgradeTarget
  let versions: [FrozenVersion]
  /// What was planned, and what it became where the data made a part of it impossible.
  private(set) var route: UpgradeRoute
  let folderPath: String
  let files: any FileOperations
  let vfs: String?
  private let usesSecondThread: Bool
  /// Objects of the original by model.
  private(set) var counts: [String: Int]
  /// How many transactions had changed the original, as of the moment that the objects are read from.
  private(set) var transaction: Int64 = 0
  /// What its objects were then.
  private(set) var content: String?
  let watch: UpgradeWatch

  init(
    original: any UpgradeSource, stored: StoredSchema, target: UpgradeTarget,
    versions: [FrozenVersion], route: UpgradeRoute, folderPath: String,
    files: any FileOperations, vfs: String?, usesSecondThread: Bool, counts: [String: Int],
    watch: UpgradeWatch
  ) {
    self.original = original
    self.stored = stored
    self.target = target
    self.versions = versions
    self.route = route
    self.folderPath = folderPath
    self.files = files
    self.vfs = vfs
    self.usesSecondThread = usesSecondThread
    self.counts = counts
    self.watch = watch
  }

  var objects: Int { counts.values.reduce(0, +) }

  func build() throws -> Result {
    if let block = route.migrationBlock { return try damageFirst { try build(block) } }
    var refusal: MigrationError?
    // A block may turn out to look beyond its object only when it runs; each version at most once. Once a statement over all
    // objects may turn out to meet one that is refused, and once a pass of several versions.
    for _ in 0...versions.count + 2 {
      do {
        let result = try damageFirst { try runPasses() }
        guard let refusal else { return result }
        result.file.remove()
        throw refusal
      } catch let found as StepContext.LooksBeyond {
        // What a later version has refused may be otherwise when this one is made before it.
        refusal = nil
        route = try route.cut(at: found.version)
      } catch is SetBasedRefusal {
        route = try route.objectByObject()
      } catch let error as MigrationError
        where refusal == nil && error.isRefusal
        && route.passes.contains(where: \.makesSeveralVersions)
      {
        // Where several objects are refused, the version that comes first is to be named, not the object: step by step.
        refusal = error
        route = try route.versionByVersion()
      }
    }
    throw MigrationError(
      .brokenHistory, "The steps of \(target.history.name) cannot be put in order.")
  }

  /// Runs `body`; where it refuses the data, links that led nowhere before are to blame, and not the steps.
  func damageFirst<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as MigrationError where error.isRefusal {
      if let damage = try? original.reader.linkToNothing(of: stored.schema) { throw damage }
      throw error
    }
  }

  // MARK: - Passes

  private func runPasses() throws -> Result {
    watch.begin(passes: route.passes.count, objects: objects * route.passes.count)
    var source: AsideFile?
    var rowCounter: Int64 = 0
    var objectsWritten = 0
    do {
      for (number, pass) in route.passes.enumerated() {
        // It holds its file alone until it is closed.
        source?.database.close()
        let file = try AsideFile(
          path: AsideFile.path(beside: folderPath, pass: number + 1), of: original.path,
          vfs: vfs, pageSize: try original.pageSize, permissions: try permissions(), files: files)
        do {
          let reached = pass.transitions.last?.target.version ?? route.target.number
          watch.begin(
            pass: number + 1,
            step: versions.prefix { $0.number <= reached }.count - 1,
            of: versions.count - 1,
            builtBytes: { [files, path = file.path] in (try? files.size(of: path)) ?? 0 })
          watch.watch(file.database)
          if source == nil { try original.checkIsInPlace() }
          try file.attachSource(source?.path ?? original.attachment)
          try file.database.begin(.deferred)
          if source == nil { rowCounter = try beginReading(with: file.database) }
          switch pass.kind {
          case .workspace(let transition):
            let workspace = WorkspacePass(
              database: file.database, transition: transition, rowCounter: rowCounter,
              watch: watch)
            try workspace.run()
            rowCounter = workspace.rowCounter
          case .fused(let fused):
            let isFinal = number == route.passes.count - 1
            let known = source == nil ? counts : nil
            let fusedPass = FusedPass(
              database: file.database, pass: pass, functions: route.functions, isFinal: isFinal,
              watch: watch, file: passSource(source), counts: known)
            try PassBlocks(fused, around: fusedPass.run).run()
            if isFinal {
              for statement in StrataMetadata.createStatements() {
                try file.database.execute(statement)
              }
              try FileDescription(stored: stored, target: target, version: route.target).write(
                to: file.database, rowCounter: rowCounter, transaction: transaction,
                content: content)
              watch.describe(.verifying)
              objectsWritten = try UpgradeVerification(
                database: file.database, schema: route.target.schema
              ).run(after: pass, known: known)
            } else {
              try VersionCheck(
                database: file.database, schema: pass.target, after: pass.transitions.last
              ).run()
            }
          }
          try file.commit()
          try file.database.detach("source")
        } catch {
          let cause = file.cause(of: error)
          file.remove()
          throw cause
        }
        source?.remove()
        source = file
      }
    } catch {
      source?.remove()
      throw error
    }
    guard let source else {
      throw MigrationError(.brokenHistory, "The upgrade of \(original.path) has no pass.")
    }
    return try result(source, objects: objectsWritten)
  }

  func result(_ file: AsideFile, objects: Int) throws -> Result {
    Result(
      file: file, objects: objects,
      leftOut: try OtherTables(
        in: original.database, beside: TableLayout(route.source.schema)
      ).names)
  }

  /// What a pass reads, for a connection of its own.
  ///
  /// - Parameter aside: what the pass before has written; nil for the original.
  func passSource(_ aside: AsideFile?) -> PassSource? {
    guard usesSecondThread else { return nil }
    // It would begin to read later, and might see what was written between.
    if aside == nil, original.mayBeWritten { return nil }
    if let aside { return PassSource(attachment: aside.path, vfs: vfs) }
    return PassSource(
      attachment: original.attachment, vfs: vfs,
      check: { [original] in try original.checkIsInPlace() })
  }

  /// Begins to read the original: another process may have written since it was looked at.
  ///
  /// - Returns: the next identity, as of the moment that the objects are read from.
  func beginReading(with database: Database) throws -> Int64 {
    guard try stored.isStill(in: database, "source") else { throw SourceHasChanged() }
    if original.mayBeWritten {
      counts = try database.objectCounts(of: stored.schema, in: "source")
    }
    transaction = try StrataMetadata.counter(.transaction, of: database, in: "source")
    content = try ContentMark.of(database, stored.schema, in: "source")
    return try StrataMetadata.nextRow(of: database, schema: stored.schema, in: "source")
  }

  /// Those of the old file; the maker of the new one has to write it.
  func permissions() throws -> UInt32 {
    (try files.status(of: original.path)?.permissions ?? 0o600) | 0o600
  }
}
