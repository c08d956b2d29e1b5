import Strata
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource
import StrataTesting
import Testing

@testable import StrataCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Real files of a case: `samples/0-old.jsonl` holds the objects of a database `0-old.db` of version 0, a line each.

extension RuleCase {
  /// What a check finds, with the samples where the case has some.
  func checkWithSamples(
    _ project: ProjectFiles, against baseline: ProjectCheck.Against?
  ) throws -> Diagnostics {
    guard has("samples") else { return ProjectCheck.run(project, against: baseline) }
    let history = try history(of: project)
    let folder = FileManager.default.temporaryDirectory.path + "/strata-case-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for file in try SourceFolder.read("\(Self.folder)/\(name)/samples", extensions: ["jsonl"]) {
      let number = try #require(SwiftFileName.version(of: file.name))
      let version = try #require(history.version(number))
      let path = "\(folder)/\(file.name.replacing(".jsonl", with: ".db"))"
      try SampleDatabase(version: version, of: history).create(at: path, objects: 0, seed: 0)
      var lines = file.bytes.split(separator: 0x0A).map(Array.init)[...]
      _ = try ObjectImporter.run(into: path, target: nil, model: nil) { lines.popFirst() }
    }
    let samples = SampleFolder(path: folder, target: UpgradeTarget(history: history))
    var failure: (any Error)?
    let found = ProjectCheck.run(project, against: baseline) { input in
      do { return try samples.samples(for: input) } catch { failure = error }
      return []
    }
    if let failure { throw failure }
    return found.replacing(folder + "/", with: "samples/").withoutByteCounts
  }

  /// The frozen versions with their steps.
  func history(of project: ProjectFiles) throws -> History {
    var diagnostics = Diagnostics()
    let reading = HistoryReader.read(
      versions: project.versions, lock: project.lock, steps: project.steps,
      reporting: &diagnostics)
    return try #require(reading, "\(diagnostics.sorted.map(\.message))").history
  }
}

extension Diagnostics {
  private func mapping(_ transform: (String) -> String) -> Diagnostics {
    var result = Diagnostics()
    for finding in sorted {
      var finding = finding
      finding.message = transform(finding.message)
      result.report(finding)
    }
    return result
  }

  fileprivate func replacing(_ text: String, with other: String) -> Diagnostics {
    mapping { $0.replacing(text, with: other) }
  }

  /// How many bytes an upgrade needs is the planner's business, and the case is about the rule.
  fileprivate var withoutByteCounts: Diagnostics {
    mapping {
      $0.replacing(/needs [0-9,]+ bytes/, with: "needs … bytes")
        .replacing(/allows [0-9,]+/, with: "allows …")
    }
  }
}
