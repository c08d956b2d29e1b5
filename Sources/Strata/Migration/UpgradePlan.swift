import StrataExpression
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
    /// Bytes that are written for it, estimated from the size of the old table.
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
  /// Bytes of disk space that have to be free.
  package var diskNeeded: Int

  package static func make(
    path: String, target: UpgradeTarget, options: Upgrade.Options,
    files: any FileOperations = POSIXFiles(), vfs: String? = nil
  ) throws -> UpgradePlan {
    let inspector = FileInspector(files: files, vfs: vfs)
    let stored = try inspector.stored(at: path)
    let versions = try target.versions(from: stored, path: path, to: options.target)
    let untouched = try inspector.openUntouched(path)
    defer { untouched.close() }
    return try FileInspector.translate(path) {
      let size = Int(
        (try untouched.database.pragma("page_count").ifInteger ?? 0)
          * (try untouched.database.pragma("page_size").ifInteger ?? 0))
      var plan = UpgradePlan(
        file: path, from: versions[0].number, to: versions[versions.count - 1].number,
        steps: versions.dropFirst().map(\.number), tables: [],
        write: options.output == nil ? .aside : .output, diskNeeded: 0)
      guard versions.count > 1 else { return plan }
      plan.diskNeeded = (options.output == nil ? 3 : 2) * size
      let route = try UpgradeRoute(
        versions: versions, blocks: target.blocks, isFusing: options.isFusing)
      if options.output == nil, options.isSetBased, options.isFusing,
        let change = InPlaceChange(route)
      {
        plan.write = .inPlace
        plan.diskNeeded = change.diskNeeded(fileSize: size)
      }
      let counts = try stored.schema.storedModels.reduce(into: [String: Int]()) { counts, model in
        let count = try untouched.database.firstValue(
          "SELECT count(*) FROM \(SQL.identifier(model.name))")
        counts[model.name] = Int(count?.ifInteger ?? 0)
      }
      plan.tables =
        TablePlanner(
          route: route, counts: counts, fileSize: size, isInPlace: plan.write == .inPlace
        ).tables()
      return plan
    }
  }
}

/// Says for each model of the target, and for each that goes away, how its objects get there.
private struct TablePlanner {
  let route: UpgradeRoute
  let counts: [String: Int]
  let fileSize: Int
  let isInPlace: Bool

  func tables() -> [UpgradePlan.Table] {
    let total = max(1, counts.values.reduce(0, +))
    var continued: Set<String> = []
    var tables = route.target.schema.storedModels.map { model -> UpgradePlan.Table in
      let (source, plan) = plan(for: model)
      if let source { continued.insert(source) }
      let objects = source.flatMap { counts[$0] } ?? 0
      return UpgradePlan.Table(
        model: model.name, strategy: plan.strategy, fused: plan.fused, objects: objects,
        bytes: isInPlace ? 0 : fileSize * objects / total, reason: plan.reason)
    }
    for model in route.source.schema.storedModels where !continued.contains(model.name) {
      tables.append(
        UpgradePlan.Table(
          model: model.name, strategy: .dropped, fused: [], objects: counts[model.name] ?? 0,
          bytes: 0, reason: "no later version continues it"))
    }
    return tables
  }

  private typealias Choice = (strategy: UpgradePlan.Strategy, fused: [Int], reason: String)

  private func plan(for model: Model) -> (source: String?, Choice) {
    var name: String? = model.name
    var choice: Choice = (.untouched, [], "nothing about it changes")
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
        choice = stronger(choice, self.choice(for: pipeline, versions: versions))
      case .workspace(let transition):
        name = transition.model(named: current)?.source?.name
        choice = stronger(
          choice,
          (
            .stream, [transition.target.version],
            "the step to version \(transition.target.version) looks beyond single objects"
          ))
      }
    }
    guard let source = name else { return (nil, (.new, [], "no earlier version has it")) }
    return (source, choice)
  }

  private func choice(for pipeline: ModelPipeline, versions: [Int]) -> Choice {
    if pipeline.isUntouched { return (.untouched, [], "nothing about it changes") }
    if isInPlace {
      return (.metadata, versions, "the table's description changes, and none of its rows")
    }
    if (try? ComposedModel(pipeline)) != nil {
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

  /// Of two passes over the same model the one that costs more.
  private func stronger(_ left: Choice, _ right: Choice) -> Choice {
    let order: [UpgradePlan.Strategy] = [.untouched, .metadata, .setBased, .stream, .blocks]
    let rank = { (choice: Choice) in order.firstIndex(of: choice.strategy) ?? 0 }
    var result = rank(left) >= rank(right) ? left : right
    result.fused = Array(Set(left.fused + right.fused)).sorted()
    return result
  }
}
