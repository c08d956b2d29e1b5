import Foundation
import StrataAdopt
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

/// Shipped histories of well-known apps stand beside the project and are not a part of it.
@Suite("Histories of shipped apps")
struct SharedHistoriesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data/histories").path

  static let isThere = FileManager.default.fileExists(atPath: folder)

  struct History: Sendable, CustomTestStringConvertible {
    var system: AdoptSource
    var path: String
    var versions: Int
    /// Changes that need nothing, that need a step, and of these the ones that nobody but a person can answer.
    var automatic: Int
    var step: Int
    var open: Int
    /// How much the second reading compares.
    var facts: Int

    var testDescription: String { path.split(separator: "/").first.map(String.init) ?? path }
  }

  static let histories = [
    History(
      system: .coredata, path: "woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld",
      versions: 117, automatic: 256, step: 25, open: 6, facts: 355584),
    History(
      system: .coredata, path: "wire-ios-data-model/Resources/zmessaging.xcdatamodeld",
      versions: 90, automatic: 224, step: 74, open: 14, facts: 103274),
    History(
      system: .coredata, path: "wire-ios-data-model/Resources/ZMEventModel.xcdatamodeld",
      versions: 3, automatic: 1, step: 0, open: 0, facts: 118),
    History(
      system: .coredata, path: "simplenote-ios/Simplenote/Simplenote.xcdatamodeld", versions: 6,
      automatic: 8, step: 0, open: 0, facts: 1033),
    History(
      system: .room, path: "nowinandroid/core/database/schemas", versions: 14, automatic: 12,
      step: 11, open: 6, facts: 1826),
    History(
      system: .drift,
      path: "drift-migrations-example/examples/migrations_example/drift_schemas", versions: 11,
      automatic: 6, step: 2, open: 2, facts: 459),
    History(
      system: .drift, path: "drift-migrations-example/examples/app/drift_schemas", versions: 3,
      automatic: 1, step: 0, open: 0, facts: 120),
  ]

  @Test(
    "Each is adopted without a hand, the same on every run, and check finds the questions alone",
    .enabled(if: isThere, "shared/data/histories is not beside the project"), arguments: histories)
  func adopts(_ history: History) throws {
    func read() throws -> AdoptedProject {
      let adopted = try AdoptedProject.read(
        history.system, "\(Self.folder)/\(history.path)", name: nil)
      return try AdoptedProject(adopted, date: "2026-11-21")
    }
    let (project, again) = (try read(), try read())
    try project.compareWithSource()
    #expect(project.history.versions.count == history.versions)
    #expect(project.frozen.openCount == history.open)
    #expect(project.findings.errorCount == history.open)
    #expect(project.count(of: .automatic) == history.automatic)
    #expect(project.count(of: .step) == history.step)
    #expect(project.count(of: .never) == 0)
    #expect(project.files.map(\.text) == again.files.map(\.text))
    #expect(project.report() == again.report())
    // A question is a finding at its place, and there is nothing else to see.
    #expect(project.findings.sorted.allSatisfy { ["STR4106", "STR4010"].contains($0.code) })
    #expect(project.findings.sorted.allSatisfy { $0.severity == .error && $0.span != nil })
  }

  @Test(
    "Each difference of two versions is one change with one verdict, the same on every run",
    .enabled(if: isThere, "shared/data/histories is not beside the project"), arguments: histories)
  func verdicts(_ history: History) throws {
    let adopted = try AdoptedProject.read(
      history.system, "\(Self.folder)/\(history.path)", name: nil)
    let steps = try adopted.freeze(date: "2026-11-21").steps
    #expect(steps.count == history.versions - 1)
    let pairs = zip(adopted.versions, adopted.versions.dropFirst())
    for (step, (older, newer)) in zip(steps, pairs) {
      #expect(step.version == newer.schema.version)
      #expect(VersionDifferences(older.schema, newer.schema, step.changes).problems == [])
    }
    #expect(try adopted.freeze(date: "2026-11-21").steps.map(\.changes) == steps.map(\.changes))
  }

  @Test(
    "What another parser reads in the source is in the result as it was, or in the report",
    .enabled(if: isThere, "shared/data/histories is not beside the project"), arguments: histories)
  func isComplete(_ history: History) throws {
    let adopted = try AdoptedProject.read(
      history.system, "\(Self.folder)/\(history.path)", name: nil)
    let compiled = try adopted.compiled()
    #expect(compiled.count == history.versions)
    var count = 0
    for (version, schema) in zip(adopted.versions, compiled) {
      var comparison = SourceComparison(version, schema)
      let file = try Self.file(of: version, in: history)
      switch history.system {
      case .coredata: comparison.compare(try CoreDataFacts(contentsOf: file))
      case .room: comparison.compare(try TableFacts.room(file))
      case .drift: comparison.compare(try TableFacts.drift(file))
      case .realm, .sqlite: break
      }
      #expect(comparison.differences == [])
      #expect(comparison.count > 5)
      count += comparison.count
    }
    #expect(count == history.facts)
  }

  /// The source of a version; Room and drift may have it one folder further down.
  static func file(of version: AdoptedVersion, in history: History) throws -> URL {
    let folder = URL(fileURLWithPath: "\(Self.folder)/\(history.path)")
    if history.system == .coredata {
      return folder.appendingPathComponent("\(version.name).xcdatamodel/contents")
    }
    let file = folder.appendingPathComponent(version.name)
    if FileManager.default.fileExists(atPath: file.path) { return file }
    let inner = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return folder.appendingPathComponent(inner[0]).appendingPathComponent(version.name)
  }
}
