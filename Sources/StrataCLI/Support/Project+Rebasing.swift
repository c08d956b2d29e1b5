import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource

// After two branches froze the same number.

extension Project {
  /// Our versions on top of those of a revision.
  ///
  /// A merge or a `git rebase` that stopped, or a merge that went through and left two versions of a number, has mixed both sides'
  /// files. Ours are then read from git as they were before.
  ///
  /// - Parameter revision: the other branch; nil for the one that was merged, the baseline or the branch followed.
  func plan(rebasingOnto revision: String?) throws -> FreezePlan {
    let merge = try mergedSides(onto: revision)
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
      let map = StepReader.read(file, reporting: &diagnostics)?.sourceMap
      files[number, default: []].append(
        MigrationFile(
          name: file.name, bytes: file.bytes, toRange: map?.to?.range,
          entries: map?.entries ?? [:]))
    }
    for (number, blocks) in blocks.byVersion {
      files[number, default: []] += blocks.map { MigrationFile(name: $0.name, bytes: $0.bytes) }
    }
    var plan = try freeze.plan(rebasingOnto: theirs, files: files)
    if merge?.ours == Self.rebased { plan.notes += try notesOfEdits(plan) }
    if merge != nil, plan.changesNothing { return restoring(ours, plan) }
    if merge == nil {
      try checkFiles(plan, of: freeze, files, swift: blocks.files, on: theirs)
    } else {
      try checkUnsavedFiles(plan)
    }
    try ours.judge(plan, on: theirs, swift: blocks.files)
    return plan
  }

  /// Refuses to go on from files that a stopped rebase has left, and to write over a file that belongs to no frozen version.
  private func checkFiles(
    _ plan: FreezePlan, of freeze: Freeze, _ files: [Int: [MigrationFile]], swift: [SourceFile],
    on theirs: Upstream
  ) throws {
    let written = Set(plan.files)
    for line in freeze.lock.lines
    where theirs.lock.line(ofVersion: line.version)?.chain != line.chain {
      guard let change = SealedStep(line, now: freeze.stepDigest(of: line.version)) else {
        continue
      }
      // A file that is not what was sealed, and has what is to be written there, is of an earlier rebase.
      let isWritten = (files[line.version] ?? []).contains { file in
        written.contains(
          FreezeFile(.migration(file.name), String(decoding: file.bytes, as: UTF8.self)))
      }
      guard isWritten || change == .gone && !plan.changesNothing else { continue }
      throw FreezeError(
        "STR4003", change.message(version: line.version),
        help: "\(restore); what a rebase has written before it was stopped stands under the next "
          + "numbers")
    }
    let sealed = Set(freeze.lock.lines.flatMap { files[$0.version] ?? [] }.map(\.name))
    for file in plan.files {
      guard case .migration(let name) = file.place, let text = file.text, !sealed.contains(name),
        let there = (steps + swift).first(where: { $0.name == name }),
        there.bytes != Array(text.utf8)
      else { continue }
      throw FreezeError(
        "STR4003", "\(path(of: file.place)) would be written over, and is of no frozen version",
        help: "give it a later number, 'to:' too; or \(restore)")
    }
  }

  /// In a merge git has both sides' files, and what it has of none stands in the work tree alone.
  private func checkUnsavedFiles(_ plan: FreezePlan) throws {
    let unsaved = try GitRevision.unsavedFiles(in: migrationsPath)
    guard !unsaved.isEmpty else { return }
    let there = (steps + (try swiftFiles()).files).filter { unsaved.contains($0.name) }
    for file in plan.files {
      guard case .migration(let name) = file.place,
        let own = there.first(where: { $0.name == name }),
        file.text.map({ Array($0.utf8) }) != own.bytes
      else { continue }
      let change = file.text == nil ? "removed" : "written over"
      throw FreezeError(
        "STR4003",
        "\(path(of: file.place)) would be \(change), and git does not have what is in it",
        help:
          "move it out of \(migrationsPath), or give it a later number, 'to:' too, and rebase again"
      )
    }
  }

  private var restore: String {
    "restore \(schemasPath) and \(migrationsPath) from version control and rebase again"
  }

  /// Our lock and versions as they were before a merge that has mixed them with theirs, which ours had all of. Steps and blocks may hold
  /// changes by the merge or by hand, and stay.
  private func restoring(_ ours: Project, _ plan: FreezePlan) -> FreezePlan {
    let mixed = (versions + [seal].compactMap(\.self)).contains { file in
      file.bytes.split(separator: 0x0A).contains { $0.starts(with: Self.conflictMark) }
    }
    guard mixed else { return plan }
    var plan = plan
    let here = Dictionary(
      (versions + [seal].compactMap(\.self)).map { ($0.path, $0.bytes) }
    ) { first, _ in first }
    func restore(_ file: SourceFile, _ place: FreezeFile.Place) {
      guard here[file.path] != file.bytes else { return }
      plan.files.append(FreezeFile(place, String(decoding: file.bytes, as: UTF8.self)))
    }
    for file in ours.versions {
      guard let number = Int(file.name.prefix { $0 != "." }) else { continue }
      restore(file, .version(number))
    }
    if let seal = ours.seal { restore(seal, .lock) }
    if !plan.changesNothing {
      plan.notes.append("our versions stand on all of theirs already: they are as they were")
    }
    return plan
  }

  /// The commit of ours at which a `git rebase` has stopped.
  private static let rebased = "REBASE_HEAD"

  /// Names the files that were written at an earlier stop of the rebase, and changed there.
  private func notesOfEdits(_ plan: FreezePlan) throws -> [String] {
    let head = try files(at: GitRevision("HEAD", of: schemasPath))
    return (head.steps + head.swift).compactMap { file in
      let written = plan.files.first { $0.place == .migration(file.name) }
      guard let text = written?.text, Array(text.utf8) != file.bytes else { return nil }
      return
        "\(file.name) is written without what was changed in it at an earlier stop: 'git checkout HEAD -- \(file.path)' brings that back"
    }
  }

  /// How a line of git begins above the one side of a conflict.
  private static let conflictMark = Array("<<<<<<< ".utf8)

  /// Refuses to write what `check` would reject of our versions on top of theirs.
  private func judge(_ plan: FreezePlan, on theirs: Upstream, swift: [SourceFile]) throws {
    guard !plan.changesNothing else { return }
    var files = ProjectFiles(
      versions: versions, steps: steps, swift: swift, settings: settings,
      migrationsPath: migrationsPath)
    for file in plan.files { files.put(file, path(of: file.place)) }
    let newest = theirs.history.newest?.number ?? 0
    func isOurs(_ file: SourceFile) -> Bool {
      SwiftFileName.version(of: file.name).map { $0 > newest } ?? false
    }
    let paths = Set((files.versions + files.steps + files.swift).filter(isOurs).map(\.path))
    let found = ProjectCheck.run(files).sorted.filter {
      $0.severity == .error && paths.contains($0.span?.path ?? "")
    }
    guard !found.isEmpty else { return }
    // Each change that needs a step says so itself.
    let changes = found.filter { $0.code != "STR4010" }
    let reasons = changes.isEmpty ? found : changes
    let sentences = reasons.prefix(Self.maximumReasons).map { "\($0.message) [\($0.code)]" }
    let more = reasons.count - sentences.count
    throw FreezeError(
      "STR4003",
      "our versions do not go on top of theirs, because `\(Tool.name) check` would reject them: "
        + sentences.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : ""),
      help: Freeze.agree)
  }

  /// So many findings of a conflict are named.
  private static let maximumReasons = 5

  /// Both sides of a merge or of a rebased commit that has mixed their files; nil where the work tree is ours alone, and what is wrong
  /// there has another reason.
  ///
  /// - Parameter revision: the other branch, where it is named.
  private func mergedSides(
    onto revision: String?
  ) throws -> (ours: String, theirs: String)? {
    var diagnostics = Diagnostics()
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: steps, reporting: &diagnostics)
    if reading != nil, !diagnostics.hasErrors { return nil }
    func exists(_ name: String) -> Bool { GitRevision.exists(name, of: schemasPath) }
    // The commits before the one that git puts there have become others, and theirs is what all go on.
    if let onto = GitRevision.rebased(of: schemasPath) {
      guard exists(Self.rebased), exists(onto) else { return nil }
      return (Self.rebased, onto)
    }
    guard exists("HEAD") else { return nil }
    if exists("MERGE_HEAD") { return ("HEAD", "MERGE_HEAD") }
    let head = try files(at: GitRevision("HEAD", of: schemasPath))
    if Self.isMixed(head) {
      // A version that was frozen since is in neither side.
      let isUnchanged = head.lock?.bytes == seal?.bytes
      guard isUnchanged, exists("HEAD^1"), exists("HEAD^2"), try isMerged(revision) else {
        return nil
      }
      return ("HEAD^1", "HEAD^2")
    }
    // As `git merge --squash` and `git cherry-pick` leave it, which say nowhere what the other side is.
    let isForked = diagnostics.sorted.contains {
      $0.code == HistoryDiagnostic.versionCollision.code
    }
    guard isForked, let revision else { return nil }
    return ("HEAD", revision)
  }

  /// Whether a commit holds what a merge of two sides leaves: a lock that is none, or versions that are not those of the lock.
  private static func isMixed(_ files: ProjectFiles) -> Bool {
    var diagnostics = Diagnostics()
    let reading = HistoryReader.read(
      versions: files.versions, lock: files.lock, steps: [], reporting: &diagnostics)
    return reading == nil || diagnostics.hasErrors
  }

  /// Whether a revision has all of what the last merge has brought: its versions would be lost on top of another one.
  private func isMerged(_ revision: String?) throws -> Bool {
    guard let revision else { return true }
    let name = revision.hasPrefix("git:") ? String(revision.dropFirst(4)) : revision
    let common = try GitRevision(name, of: schemasPath).commonAncestor()
    return try common?.isSameCommit(as: GitRevision("HEAD^2", of: schemasPath)) ?? false
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
      folders: folders, schemas: files.schemas,
      versions: files.versions, seal: files.lock, steps: files.steps, settings: settings)
    return (project, SwiftFiles(files.swift))
  }

  private func upstream(_ revision: GitRevision) throws -> Upstream {
    var diagnostics = Diagnostics()
    let there = try files(at: revision)
    let reading = HistoryReader.read(
      versions: there.versions, lock: there.lock, steps: there.steps, reporting: &diagnostics)
    try diagnostics.failOnErrors()
    guard let reading, let lock = reading.lock?.lock else {
      throw CommandFailure("\(revision.name) has no frozen version to put ours on top of.")
    }
    return Upstream(
      history: reading.history, lock: lock,
      files: Dictionary(
        (there.steps + there.swift).map { ($0.name, $0.bytes) },
        uniquingKeysWith: { first, _ in first }))
  }
}

extension ProjectFiles {
  /// Puts a file that a plan writes, or takes one away that it removes.
  fileprivate mutating func put(_ file: FreezeFile, _ path: String) {
    let source = file.text.map { SourceFile(path: path, text: $0) }
    func put(_ files: inout [SourceFile]) {
      files.removeAll { $0.name == path.nameOfPath }
      if let source { files.append(source) }
    }
    switch file.place {
    case .version: put(&versions)
    case .lock: lock = source
    case .migration(let name): name.hasSuffix(".swift") ? put(&swift) : put(&steps)
    }
  }
}

extension StepSourceMap {
  /// Where the entries stand that a rebase may leave out.
  fileprivate var entries: [StepEntry: Range<Int>] {
    var result: [StepEntry: Range<Int>] = [:]
    for (path, old) in renamedFrom {
      guard let new = renamedTo[path] else { continue }
      result[.rename(path)] = old.range.lowerBound..<new.range.upperBound
    }
    for (path, span) in drop { result[.drop(path)] = span.range }
    for (path, span) in set {
      guard let value = self.span(ofExpressionFor: path) else { continue }
      result[.set(path)] = span.range.lowerBound..<value.range.upperBound
    }
    for (model, span) in delete {
      guard let condition = self.span(ofConditionFor: model) else { continue }
      result[.delete(model)] = span.range.lowerBound..<condition.range.upperBound
    }
    for (model, span) in deduplicate {
      guard let rule = deduplicateRule[model] else { continue }
      result[.deduplicate(model)] = span.range.lowerBound..<rule.range.upperBound
    }
    for (model, span) in swift { result[.block(model)] = span.range }
    return result
  }
}
