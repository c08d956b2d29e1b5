import StrataHistory
import StrataSchema

/// What becomes of the objects of one model in all passes together, and why.
struct ModelFate {
  /// The model's newer name, or the older one of a model that goes away.
  let model: String
  /// The model of the file; nil for a new one.
  let source: String?
  var strategy: UpgradePlan.Strategy
  /// The versions that are made in one pass over the table.
  var versions: [Int]
  /// For people.
  var reason: String
}

extension UpgradeRoute {
  /// One for each stored model of the target, in its order, then one for each that goes away.
  var fates: [ModelFate] {
    let fates = target.schema.storedModels.map { fate(of: $0.name) }
    let continued = Set(fates.compactMap(\.source))
    let lookedAt = Set(passes.first?.dropped.compactMap { $0.source?.name } ?? [])
    return fates
      + source.schema.storedModels.filter { !continued.contains($0.name) }.map {
        ModelFate(
          model: $0.name, source: $0.name, strategy: .dropped, versions: [],
          reason: lookedAt.contains($0.name)
            ? "no later version continues it; each object is looked at for what the versions before that refuse"
            : "no later version continues it")
      }
  }

  /// What is done by model of the target.
  var strategies: [String: UpgradePlan.Strategy] {
    Dictionary(fates.map { ($0.model, $0.strategy) }) { first, _ in first }
  }

  private func fate(of model: String) -> ModelFate {
    var name: String? = model
    // The last pass first.
    var parts: [ModelFate] = []
    for pass in passes.reversed() {
      guard let current = name else { break }
      switch pass.kind {
      case .fused:
        guard let found = pass.model(named: current) else { break }
        name = found.pipeline.source?.name
        parts.append(fate(of: found))
      case .workspace(let transition):
        name = transition.model(named: current)?.source?.name
        let version = transition.target.version
        parts.append(
          ModelFate(
            model: current, source: name, strategy: .stream, versions: [version],
            reason: "the step to version \(version) looks beyond single objects"))
      }
    }
    guard let name else {
      return ModelFate(
        model: model, source: nil, strategy: .new, versions: [],
        reason: "no earlier version has it")
    }
    return Self.combined(parts.reversed(), model: model, source: name)
  }

  private func fate(of model: ModelPass) -> ModelFate {
    let pipeline = model.pipeline
    let versions = pipeline.stages.map(\.transition.target.version)
    var fate = ModelFate(
      model: pipeline.target.name, source: pipeline.source?.name, strategy: .stream,
      versions: versions, reason: "values are worked out object by object")
    let blocks = pipeline.stages.filter { $0.mapping != nil }.map {
      String($0.transition.target.version)
    }
    if migrationBlock != nil {
      fate.strategy = .blocks
      fate.versions = [target.number]
      fate.reason = "the migration block may change any object"
    } else if pipeline.isUntouched {
      fate.strategy = .untouched
      fate.versions = []
      fate.reason = "nothing about it changes"
    } else if inPlaceChange != nil {
      fate.strategy = .metadata
      fate.reason = "the table's description changes, and none of its rows"
    } else if model.statement != nil {
      fate.strategy = .setBased
      fate.reason = "one SQL statement makes all objects"
    } else if !blocks.isEmpty {
      fate.strategy = .blocks
      fate.reason = "Swift block of version \(blocks.joined(separator: ", "))"
    }
    return fate
  }

  /// Of several passes over the same model the strategy that costs most; why each is there.
  private static func combined(_ parts: [ModelFate], model: String, source: String) -> ModelFate {
    let order: [UpgradePlan.Strategy] = [.untouched, .metadata, .setBased, .stream, .blocks]
    let passes = parts.filter { $0.strategy != .untouched }
    guard let first = passes.first else {
      return ModelFate(
        model: model, source: source, strategy: .untouched, versions: [],
        reason: "nothing about it changes")
    }
    let strongest = passes.map { order.firstIndex(of: $0.strategy) ?? 0 }.max() ?? 0
    var reason = first.reason
    if passes.count > 1, passes.allSatisfy({ $0.reason == reason }) {
      reason += ", in \(passes.count) passes"
    } else {
      for pass in passes.dropFirst() {
        reason += pass.versions.count > 1 ? "; then in one pass: " : "; then: "
        reason += pass.reason
      }
    }
    return ModelFate(
      model: model, source: source, strategy: order[strongest],
      versions: Array(Set(passes.flatMap(\.versions))).sorted(), reason: reason)
  }
}
