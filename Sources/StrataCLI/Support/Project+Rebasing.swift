import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataProject
import StrataSource

// After two branches froze the same number.

extension Project {
  /// Our versions on top of those of a revision.
  ///
  /// A merge that stopped, or that went through and left two versions of a number, has mixed both sides' files.
  /// Ours are then read from git as they were before.
  ///
  /// - Parameter revision: the other branch; nil for the one that was merged, the baseline or the branch followed.
  func plan(rebasingOnto revision: String?) throws -> FreezePlan {
    let merge = try mergedSides()
    let name =
      try revision.map { $0.hasPrefix("git:") ? String($0.dropFirst(4)) : $0 }
      ?? merge?.theirs ?? followed()
    let theirs = try upstream(GitRevision(name, of: schemasPath))
    var ours = self
    var blocks = try swiftFiles()
    if let merge {
      (ours, blocks) = try project(at: GitRevision(merge.ours, of: schemasPath))
    }
    let freeze = try ours.freeze(lenient: nil, checksSeal: true, blocks: blocks)
    var files: [Int: [MigrationFile]] = [:]
    for file in ours.steps {
      guard let number = StepReader.number(of: file) else { continue }
      var diagnostics = Diagnostics()
      let to = StepReader.read(file, reporting: &diagnostics)?.sourceMap.to?.range
      files[number, default: []].append(
        MigrationFile(name: file.name, bytes: file.bytes, toRange: to))
    }
    for (number, blocks) in blocks.byVersion {
      files[number, default: []] += blocks.map { MigrationFile(name: $0.name, bytes: $0.bytes) }
    }
    return try freeze.plan(rebasingOnto: theirs, files: files)
  }

  /// Both sides of a merge that left a lock which is none; nil where the lock is whole.
  private func mergedSides() throws -> (ours: String, theirs: String)? {
    var diagnostics = Diagnostics()
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: steps, reporting: &diagnostics)
    if reading != nil, !diagnostics.hasErrors { return nil }
    for (ours, theirs) in [("HEAD", "MERGE_HEAD"), ("HEAD^1", "HEAD^2")]
    where GitRevision.exists(theirs, of: schemasPath) {
      return (ours, theirs)
    }
    return nil
  }

  /// The branch that ours goes to, as far as anything says so.
  private func followed() throws -> String {
    if let baseline = settings.baseline, baseline.hasPrefix("git:") {
      return String(baseline.dropFirst(4))
    }
    if GitRevision.exists("@{upstream}", of: schemasPath) { return "@{upstream}" }
    throw CommandFailure(
      "nothing says which branch is the other one. Name it: freeze --rebase git:origin/main.",
      status: ExitStatus.usage)
  }

  /// The project as it was at a revision.
  private func project(at revision: GitRevision) throws -> (project: Project, blocks: SwiftFiles) {
    let files = try files(at: revision)
    let project = Project(
      schemasPath: schemasPath, migrationsPath: migrationsPath, schemas: files.schemas,
      versions: files.versions, seal: files.lock, steps: files.steps, settings: settings)
    return (project, SwiftFiles(files.swift))
  }

  private func upstream(_ revision: GitRevision) throws -> Upstream {
    var diagnostics = Diagnostics()
    let yaml = SourceFolder.yamlExtensions
    let steps = try revision.files(in: migrationsPath, extensions: yaml)
    let reading = HistoryReader.read(
      versions: try revision.files(in: schemasPath + "/versions", extensions: yaml),
      lock: try revision.files(in: schemasPath, extensions: ["lock"]).first {
        $0.name == "schema.lock"
      }, steps: steps, reporting: &diagnostics)
    try diagnostics.failOnErrors()
    guard let reading, let lock = reading.lock?.lock else {
      throw CommandFailure("\(revision.name) has no frozen version to put ours on top of.")
    }
    let swift = try revision.files(in: migrationsPath, extensions: ["swift"])
    return Upstream(
      history: reading.history, lock: lock,
      files: Dictionary(
        (steps + swift).map { ($0.name, $0.bytes) }, uniquingKeysWith: { first, _ in first }))
  }
}
