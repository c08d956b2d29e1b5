import Foundation
import Strata
import StrataAdopt
import StrataEvolution
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataCLI

/// Stores that old versions of a shipped app wrote stand beside the project and are not a part of it.
@Suite("Stores of a shipped app")
struct SharedStoreTests {
  static let folder = SharedHistoriesTests.folder + "/wire-ios-data-model"
  static let isThere = FileManager.default.fileExists(atPath: folder)
  static let isMissing: Comment = "shared/data/histories is not beside the project"

  struct Store: Sendable, CustomTestStringConvertible {
    var name: String
    /// What the versions that are the store's own are called; none where it is older than all.
    var versions: [String]
    var objects: Int
    var testDescription: String { name }
  }

  /// For each the app's 90 versions are read: the oldest, one of each generation and one of two versions; all of them with `STRATA_LONG_TESTS=1`.
  static let stores =
    ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil
    ? allStores : allStores.filter { ["store1-24", "store1-28", "store2-80-0"].contains($0.name) }

  private static let allStores = [
    Store(name: "store1-24", versions: [], objects: 180),
    Store(name: "store1-28", versions: ["zmessaging1.28"], objects: 57),
    Store(name: "store2-101-0", versions: ["zmessaging2.101.0"], objects: 99),
    Store(name: "store2-24-1", versions: ["zmessaging2.24.1"], objects: 99),
    Store(name: "store2-3", versions: ["zmessaging2.3"], objects: 27),
    Store(name: "store2-42-0", versions: ["zmessaging2.42.0"], objects: 99),
    Store(name: "store2-60-0", versions: ["zmessaging2.60.0"], objects: 99),
    Store(name: "store2-8", versions: ["zmessaging2.8"], objects: 99),
    Store(name: "store2-80-0", versions: ["zmessaging2.80.0", "zmessaging2.81.0"], objects: 99),
    Store(name: "store2-95-0", versions: ["zmessaging2.95.0"], objects: 99),
  ]

  /// The history with the answers of a person who lets go what is gone.
  private static func target(_ project: AdoptedProject) throws -> UpgradeTarget {
    let steps = Dictionary(uniqueKeysWithValues: project.frozen.steps.map { ($0.version, $0) })
    let versions = try project.history.versions.map { version in
      let number = version.schema.version
      var step = steps[number]?.answer
      for change in steps[number]?.open ?? [] {
        var answered = step ?? MigrationStep(to: number)
        if change.kind.code == "STR3202" {
          answered.set[change.path.model, default: [:]][change.path.property ?? ""] =
            try Expression.parse("0")
        } else {
          answered.drop.insert(change.oldPath ?? change.path)
        }
        step = answered
      }
      return FrozenVersion(
        schema: version.schema, step: step, date: "2026-11-22", stepDigest: nil,
        chain: project.frozen.origins[number]?.chain)
    }
    return UpgradeTarget(history: History(name: project.history.name, versions: versions))
  }

  /// How many links each property holds: of one object, or of collections.
  private static func links(_ database: Database, _ schema: Schema) throws -> [String: Int64] {
    var result: [String: Int64] = [:]
    for model in schema.storedModels {
      for property in model.storedProperties {
        let isLink =
          property.type.linkedModel != nil
          || property.type.valueType?.base == .scalar(.any)
        guard isLink else { continue }
        let name = "\(model.name).\(property.name)"
        let sql =
          property.type.isCollection
          ? "SELECT count(*) FROM \(SQL.identifier(name))"
          : "SELECT count(\(SQL.identifier(property.name))) FROM \(SQL.identifier(model.name))"
        result[name] = try database.firstValue(sql)?.ifInteger
      }
    }
    return result
  }

  @Test(
    "Each is recognised, adopted and upgraded to the newest version, its links and counts intact",
    .enabled(if: isThere, isMissing), arguments: stores)
  func upgrades(_ store: Store) throws {
    let scratch = try AdoptScratch()
    let adoption = try CoreDataAdoption(
      path: "\(Self.folder)/stores/\(store.name).wiredatabase",
      model: "\(Self.folder)/Resources/zmessaging.xcdatamodeld", name: "App")
    let recognition = adoption.source.recognition
    #expect(recognition.equal.map(\.name) == store.versions)
    let project = try AdoptedProject(adoption.history, date: "2026-11-22")
    let data = try adoption.bring(into: scratch.path, of: project)
    #expect(data.transfer.objects.values.reduce(0, +) == store.objects)
    #expect(data.check != nil)

    let path = scratch.path + "/App.db"
    let target = try Self.target(project)
    let (before, counts) = try FileInspector().reading(path) { database, _ in
      try (
        Self.links(database, adoption.source.schema),
        FileInspector().inspect(path, target: target).counts
      )
    }
    try Upgrade(path: path, target: target).run()
    let inspection = try FileInspector().inspect(path, target: target, checksAll: true)
    #expect(inspection.status == .current)
    #expect(inspection.problem == nil)
    #expect(inspection.version == 90)
    let newest = try #require(project.history.versions.last?.schema)
    for (model, count) in counts where newest.model(named: model) != nil {
      #expect(inspection.counts[model] == count, "\(model)")
    }
    let after = try FileInspector().reading(path) { database, _ in
      try Self.links(database, newest)
    }
    // Its inverse, of the same name, says that this relationship goes on.
    if let count = before["TextMessage.conversation"] {
      #expect(count > 0 && after["TextMessage.visibleInConversation"] == count)
    }
    var compared = 0
    for (property, count) in before {
      guard let other = after[property] else { continue }
      #expect(other == count, "\(property)")
      compared += 1
    }
    #expect(compared > 10)
  }
}
