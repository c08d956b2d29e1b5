import Strata
import StrataAdopt
package import StrataFiles
import StrataSQLite
package import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The objects of an adopted file, brought into a database that is there already.
struct AdoptedMerge {
  /// The database.
  let path: String
  /// Has the steps to the database's version, where it is a later one than the file's.
  let folder: String?
  /// What that folder is called in messages.
  var shownFolder: String?

  struct Outcome {
    let data: AdoptedData
    let report: MergeReport
  }

  /// Reads the file into a database beside this one, upgrades that where the database has a later version, and merges it in one
  /// transaction.
  ///
  /// - Throws: `CommandFailure` where the file has another schema; the database is then as it was.
  func run(
    _ file: some DataAdoption, of project: AdoptedProject, commits: Bool
  ) throws -> Outcome {
    guard try POSIXFiles().exists(path) else {
      throw CommandFailure(
        "\(path) does not exist. The first run makes it: leave --into away; nothing was written.")
    }
    let stored = try FileInspector().stored(at: path, for: .writing)
    let filling = FillingFolder(beside: path)
    let temporary = filling.path
    guard mkdir(temporary, 0o700) == 0 else {
      throw CommandFailure(
        "\(temporary) cannot be written: \(String(cString: strerror(errno))).")
    }
    var keepsFilling = false
    defer { if !keepsFilling { filling.remove() } }
    var fresh = project
    fresh.isForMerging = true
    var data = try file.bring(into: temporary, of: fresh)
    let database = "\(temporary)/\(AdoptedData.databaseName(project.history.name))"
    try upgrade(database, of: file, to: stored, in: project)
    let lines = "\(temporary)/\(AdoptedData.leftOutName)"
    let merged = "\(database).\(AdoptedData.leftOutName)"
    let keepsLines = commits && data.leftOut > 0
    let place = "\(path).\(AdoptedData.leftOutName)"
    if keepsLines, try POSIXFiles().status(of: place)?.kind == .folder {
      throw CommandFailure(
        "\(place) is a folder, and the lines of what is left out go there. Move it away; nothing was written."
      )
    }
    let report = try ObjectMerge.run(from: database, into: path, commits: commits) { identity in
      guard keepsLines else { return }
      try withoutActuallyEscaping(identity) {
        try MergedLeftOut(identity: $0).rewrite(lines, to: merged)
      }
    } note: {
      Terminal.note($0)
    }
    if keepsLines {
      guard rename(merged, place) == 0 else {
        let reason = String(cString: strerror(errno))
        keepsFilling = true
        throw CommandFailure(
          "The objects are in \(path), and the lines of what is left out could not be put at \(place): \(reason). They are in \(merged); move them away before the next run."
        )
      }
      data.leftOutPlace = place
    }
    data.database = nil
    return Outcome(data: data, report: report)
  }

  private func upgrade(
    _ database: String, of file: some DataAdoption, to stored: StoredSchema,
    in project: AdoptedProject
  ) throws {
    let own = try FileInspector().stored(at: database)
    if own.shape == stored.shape {
      // A step may give the same properties other values, so that the number counts as well.
      if own.version == stored.version { return }
      // Without a folder that has both no step is known that would tell an older version from the database's.
      let known = Set(project.history.versions.map(\.schema.version))
      let hasSteps = folder != nil && known.isSuperset(of: [own.version, stored.version])
      if file.mayBe(version: stored.version), own.version > stored.version || !hasSteps {
        Terminal.note(
          "note: \(file.path) does not say which version it is; it is taken for version \(stored.version), that of \(path)"
        )
        return
      }
    }
    let versions =
      "\(path) has version \(stored.version), and what comes is version \(own.version)"
    let withSteps =
      shownFolder.map { ", with the steps of \($0), which this command makes without --into" } ?? ""
    guard own.version < stored.version else {
      throw CommandFailure(
        own.version == stored.version
          ? "\(path) and what comes are both version \(own.version), of different schemas. From the one to the other: \(own.differences(from: stored.schema)). Nothing was written."
          : "\(versions). Upgrade it first, `\(Tool.name) migrate \(path)`\(withSteps); nothing was written."
      )
    }
    guard let folder else {
      throw CommandFailure(
        "\(versions). Name the folder that has the steps between them with --output; nothing was written."
      )
    }
    var options = FolderOptions()
    options.schemas = "\(folder)/schemas"
    options.migrations = "\(folder)/migrations"
    let target = try options.upgradeTarget(allowsQuestions: true)
    var run = Upgrade.Options()
    run.target = stored.version
    _ = try Upgrade(path: database, target: target, options: run).run()
    guard try FileInspector().stored(at: database).shape == stored.shape else {
      throw CommandFailure(
        "\(path) has another version \(stored.version) than \(shownFolder ?? folder). Nothing was written."
      )
    }
  }
}

extension MergeReport {
  /// For people, a line and one for each model.
  package var summary: String {
    func text(_ counts: Counts) -> String {
      "\(grouped(counts.added)) added, \(grouped(counts.updated)) updated, \(grouped(counts.unchanged)) unchanged"
        + (counts.others > 0 ? ", \(grouped(counts.others)) of its own" : "")
    }
    let lines = models.sorted { $0.key < $1.key }.map { "  \($0.key): \(text($0.value))" }
    return ([text(total)] + lines).joined(separator: "\n")
  }

  package var json: JSON {
    func json(_ counts: Counts) -> JSON {
      .object([
        "added": .int(Int64(counts.added)), "updated": .int(Int64(counts.updated)),
        "unchanged": .int(Int64(counts.unchanged)), "others": .int(Int64(counts.others)),
      ])
    }
    return .object(models.mapValues(json))
  }
}
