import StrataExpression
import StrataHistory
package import StrataSQLite
import StrataSchema

/// What an upgrade would do, table by table. Making it changes nothing.
package struct UpgradePlan: Sendable, Hashable {
  package enum Strategy: String, Sendable {
    case untouched
    case metadata
    case setBased = "set-based"
    case blocks
    case stream
    case new
    case dropped
  }

  package enum Write: String, Sendable {
    case inPlace = "in-place"
    case aside
    case output
  }

  package struct Table: Sendable, Hashable {
    /// The model's newer name, or the older one of a model that goes away.
    package var model: String
    package var strategy: Strategy
    /// The versions that are made in one pass over the table.
    package var fused: [Int]
    package var objects: Int
    /// Bytes that are written for it, estimated from the size of the old table and what its objects gain.
    package var bytes: Int
    /// Why this strategy, for people.
    package var reason: String
  }

  package var file: String
  package var from: Int
  package var to: Int
  /// The versions of the steps that are run.
  package var steps: [Int]
  package var tables: [Table]
  package var write: Write
  /// Bytes of disk space that have to be free, with those of a backup on the same file system.
  package var diskNeeded: Int
  /// Bytes that the upgrade itself takes.
  var upgradeSize = 0
  /// Bytes of the old file.
  var fileSize = 0

  /// Whether nothing is to be done. From an earlier shape of the working version a step leads to the same number.
  package var isCurrent: Bool { steps.isEmpty }

  package static func make(
    path: String, target: UpgradeTarget, options: Upgrade.Options,
    files: any FileOperations = POSIXFiles(), vfs: String? = nil
  ) throws -> UpgradePlan {
    let vfs = FileCipher.resolve(vfs ?? Database.processDefaultVFS, forFile: path)
    let inspector = FileInspector(files: files, vfs: vfs)
    let stored = try inspector.stored(
      at: path, for: options.output == nil ? .writing : .reading)
    let versions = try target.versions(from: stored, path: path, to: options.target)
    let untouched = try inspector.openUntouched(path)
    defer { untouched.close() }
    return try FileInspector.translate(path) {
      let database = untouched.database
      var plan = UpgradePlan(
        file: path, from: versions[0].number, to: versions[versions.count - 1].number,
        steps: versions.dropFirst().map(\.number), tables: [],
        write: options.output == nil ? .aside : .output, diskNeeded: 0)
      guard versions.count > 1 else { return plan }
      let route = try UpgradeRoute(
        versions: versions, target: target, isFusing: options.isFusing)
      let estimate = try DiskEstimate(route: route, stored: stored, database: database)
      plan.upgradeSize = estimate.diskNeeded(isWrittenBack: options.output == nil)
      plan.fileSize = estimate.fileSize
      if options.output == nil, options.isSetBased, options.isFusing,
        let change = InPlaceChange(route)
      {
        plan.write = .inPlace
        plan.upgradeSize = change.diskNeeded(fileSize: estimate.fileSize)
      }
      plan.diskNeeded = try DiskSpace(
        files: files, path: path, place: options.output ?? files.realPath(of: path),
        backup: options.backup
      ).needed(plan.upgradeSize, fileSize: plan.fileSize)
      plan.tables = try TablePlanner(
        estimate: estimate, tableSizes: database.tableSizes(), isInPlace: plan.write == .inPlace,
        isSetBased: options.isSetBased, functions: QueryFunctions(database)
      ).tables()
      return plan
    }
  }
}

/// Says for each model of the target, and for each that goes away, how its objects get there.
private struct TablePlanner {
  let estimate: DiskEstimate
  /// Bytes by table; empty where SQLite does not tell.
  let tableSizes: [String: Int]
  let isInPlace: Bool
  let isSetBased: Bool
  let functions: QueryFunctions

  private var route: UpgradeRoute { estimate.route }
  private var counts: [String: Int] { estimate.counts }

  func tables() -> [UpgradePlan.Table] {
    var continued: Set<String> = []
    var tables = route.target.schema.storedModels.map { model -> UpgradePlan.Table in
      let (source, plan) = plan(for: model)
      if let source { continued.insert(source) }
      let objects = source.flatMap { counts[$0] } ?? 0
      return UpgradePlan.Table(
        model: model.name, strategy: plan.strategy, fused: plan.fused, objects: objects,
        bytes: source.map { bytes(of: $0) } ?? 0, reason: plan.reason)
    }
    for model in route.source.schema.storedModels where !continued.contains(model.name) {
      tables.append(
        UpgradePlan.Table(
          model: model.name, strategy: .dropped, fused: [], objects: counts[model.name] ?? 0,
          bytes: 0, reason: "no later version continues it"))
    }
    return tables
  }

  private func bytes(of source: String) -> Int {
    guard !isInPlace, let model = route.source.schema.model(named: source) else { return 0 }
    let objects = counts[source] ?? 0
    var size = tableSizes[source] ?? 0
    for property in model.collectionProperties {
      size += tableSizes["\(source).\(property.name)"] ?? 0
    }
    if tableSizes.isEmpty {
      size = estimate.usedSize * objects / max(1, counts.values.reduce(0, +))
    }
    return size + objects * estimate.bytesGained(by: model)
  }

  /// What one pass does to a table, and why.
  private typealias Choice = (strategy: UpgradePlan.Strategy, fused: [Int], reason: String)

  private func plan(for model: Model) -> (source: String?, Choice) {
    var name: String? = model.name
    // The last pass first.
    var choices: [Choice] = []
    for pass in route.passes.reversed() {
      guard let current = name else { break }
      switch pass {
      case .fused(let fused):
        guard let target = fused.last?.transition.target ?? Optional(route.target.schema),
          let model = target.model(named: current)
        else { break }
        let pipeline = ModelPipeline(target: model, fused: fused)
        name = pipeline.source?.name
        let versions = pipeline.stages.map(\.transition.target.version)
        choices.append(
          self.choice(
            for: pipeline, versions: versions, source: fused.first?.transition.source ?? target,
            target: target))
      case .workspace(let transition):
        name = transition.model(named: current)?.source?.name
        choices.append(
          (
            .stream, [transition.target.version],
            "the step to version \(transition.target.version) looks beyond single objects"
          ))
      }
    }
    guard let source = name else { return (nil, (.new, [], "no earlier version has it")) }
    return (source, combined(choices.reversed()))
  }

  private func choice(
    for pipeline: ModelPipeline, versions: [Int], source: Schema, target: Schema
  ) -> Choice {
    if route.migrationBlock != nil {
      return (.blocks, [route.target.number], "the migration block may change any object")
    }
    if pipeline.isUntouched { return (.untouched, [], "nothing about it changes") }
    if isInPlace {
      return (.metadata, versions, "the table's description changes, and none of its rows")
    }
    if isSetBased, let composed = try? ComposedModel(pipeline),
      SetBasedStatement(
        composed, pipeline: pipeline, source: source, target: target, functions: functions) != nil
    {
      return (.setBased, versions, "one SQL statement makes all objects")
    }
    let blocks = pipeline.stages.filter { !$0.mappings.isEmpty }.map {
      String($0.transition.target.version)
    }
    if !blocks.isEmpty {
      return (.blocks, versions, "Swift block of version \(blocks.joined(separator: ", "))")
    }
    return (.stream, versions, "values are worked out object by object")
  }

  /// Of several passes over the same model the strategy that costs most; why each is there.
  private func combined(_ choices: [Choice]) -> Choice {
    let order: [UpgradePlan.Strategy] = [.untouched, .metadata, .setBased, .stream, .blocks]
    let passes = choices.filter { $0.strategy != .untouched }
    guard let first = passes.first else { return (.untouched, [], "nothing about it changes") }
    let strongest = passes.map { order.firstIndex(of: $0.strategy) ?? 0 }.max() ?? 0
    var reason = first.reason
    if passes.count > 1, passes.allSatisfy({ $0.reason == reason }) {
      reason += ", in \(passes.count) passes"
    } else {
      for pass in passes.dropFirst() {
        reason += pass.fused.count > 1 ? "; then in one pass: " : "; then: "
        reason += pass.reason
      }
    }
    return (order[strongest], Array(Set(passes.flatMap(\.fused))).sorted(), reason)
  }
}
