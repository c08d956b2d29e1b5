import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What has to be true of files after an upgrade of theirs was stopped, however it was: the old content or the new, and a next
/// run that goes on as if nothing had been.
struct Aftermath {
  /// The names that one upgrade uses.
  struct Files {
    var file: String
    var output: String
    var backup: String

    init(_ prefix: String, in bench: Workbench) {
      file = bench.path("\(prefix)-file.db")
      output = bench.path("\(prefix)-output.db")
      backup = bench.path("\(prefix)-backup.db")
    }

    var all: [String] { [file, output, backup] }
  }

  let way: FaultWay
  let bench: Workbench
  /// The file before the upgrade.
  let original: String
  let old: Digest?
  let new: Digest?

  private var target: UpgradeTarget { way.target }

  /// - Parameter hasSucceeded: whether the upgrade that was stopped said that it was done.
  /// - Returns: whether the file, or the output, has the new content.
  @discardableResult
  func check(_ names: Files, hasSucceeded: Bool, _ what: String) throws -> Bool {
    let inspection = try FileInspector().inspect(names.file, target: target, digest: true)
    let isOld = inspection.version == 0 && inspection.dataDigest == old
    let isNew =
      inspection.version == target.history.newest?.number && inspection.dataDigest == new
    let problem =
      inspection.problem?.description
      ?? "version \(inspection.version.map(String.init) ?? "none"), other content"
    #expect(isOld || isNew, "\(what): \(problem)")
    if way.writesOutput {
      let isUnchanged = try POSIXFiles().haveSameContent(names.file, original)
      #expect(isUnchanged, "\(what): --output has changed the old file")
      #expect(try suffixes(beside: names.file) == suffixes(beside: original), "\(what)")
      let isThere = try POSIXFiles().exists(names.output)
      if isThere { #expect(try digest(names.output, target) == new, "\(what): the output") }
      #expect(!hasSucceeded || isThere, "\(what)")
      return isThere
    }
    #expect(!hasSucceeded || isNew, "\(what)")
    if way.keepsBackup {
      let isThere = try POSIXFiles().exists(names.backup)
      if isThere { #expect(try digest(names.backup, target) == old, "\(what): the backup") }
      #expect(isThere || !isNew, "\(what): upgraded without the backup")
    }
    return isNew
  }

  /// The next run goes on as if nothing had been.
  func finish(_ names: Files, isNew: Bool, _ what: String) throws {
    var options = way.options(output: names.output, backup: names.backup)
    options.takesFinishedOutput = true
    try Upgrade(path: names.file, target: target, options: options).run()
    let result = way.writesOutput ? names.output : names.file
    #expect(try digest(result, target) == new, "\(what), then again")
    if way.keepsBackup, try isNew || POSIXFiles().exists(names.backup) {
      #expect(try digest(names.backup, target) == old, "\(what): the backup")
    }
    for path in names.all {
      // A file that is upgraded already needs nothing, so that the log of whoever was killed stays until it is opened.
      let left = try suffixes(beside: path).filter {
        path != names.file || $0.contains(AsideFile.suffix)
      }
      #expect(left.isEmpty, "\(what) left files behind: \(left) of \(path)")
    }
    try bench.removeAll { name in names.all.contains { name.hasPrefix(FilePaths.name(of: $0)) } }
  }

  private func suffixes(beside path: String) throws -> [Substring] {
    try bench.names(beside: path).map { $0.dropFirst(FilePaths.name(of: path).count) }
  }
}

extension Workbench {
  func removeAll(where isRemoved: (String) -> Bool) throws {
    for name in try names() where isRemoved(name) { try POSIXFiles().remove(path(name)) }
  }
}
