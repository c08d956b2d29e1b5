import StrataExpression
import StrataHistory
import StrataSchema

/// How objects of a later version are taken back to an earlier one, worked out once before any row is read: for each model of the
/// later version its way through the steps.
final class BackRoute {
  /// The older version first.
  let versions: [FrozenVersion]
  let transitions: [Transition]
  /// One for each stored model of the later version, in its order.
  private(set) var ways: [BackWay] = []
  /// By level, the position in `ways` of what stands there as a model of this name.
  private var positions: [[String: Int]] = []

  /// - Throws: `MigrationError` where a step's `back:` does not fit its versions.
  init(_ route: UpgradeRoute, versions: [FrozenVersion]) throws {
    self.versions = versions
    transitions = route.transitions
    let blocks = try transitions.map(BackMappings.init)
    ways = try route.target.schema.storedModels.enumerated().map { index, model in
      try BackWay(index, model, transitions, blocks)
    }
    positions = versions.indices.map { level in
      Dictionary(
        ways.compactMap { way in way.model(at: level).map { ($0.name, way.index) } }
      ) { first, _ in first }
    }
  }

  var older: Schema { versions[0].schema }
  var newer: Schema { versions[versions.count - 1].schema }

  /// The way on which a model stands at a level; level 0 is the oldest version.
  func way(ofModel name: String, at level: Int) -> BackWay? {
    guard positions.indices.contains(level) else { return nil }
    return positions[level][name].map { ways[$0] }
  }

  /// The ways of the objects that a `back:` on this one reads beside its own.
  func read(by way: BackWay) -> Set<Int> {
    var found: Set<Int> = []
    for number in 0..<way.top {
      guard let level = way.level(number),
        let subject = level.transition.target.indexOfModel(named: level.newer.name)
      else { continue }
      for case .expression(let expression) in level.properties {
        let schema = level.transition.target
        for model in RuleReads(expression, in: schema, ofModel: subject).modelsBeside {
          if let read = self.way(ofModel: schema.models[model].name, at: number + 1) {
            found.insert(read.index)
          }
        }
      }
    }
    return found
  }

  /// Whether every object is upgraded by itself, and none is made, moved, given up or refused by a step: then an object that has gone
  /// back is upgraded to what it was, whatever becomes of others.
  ///
  /// What the newest version allows, one between may refuse, whose rules and unique values it has not.
  var keepsObjectsApart: Bool {
    transitions.allSatisfy { !$0.step.hasBlock && $0.isDeclarativelyLocal }
      && transitions.dropFirst().allSatisfy { !$0.endsRules(nil) && !$0.endsUniqueness }
  }
}

/// What a version's block says with `step.back`. It is registered before the block looks at any object.
struct BackMappings {
  let mappings: [StepContext.Mapping]
  /// Whether the block looked at other objects, or threw because no body has run. What it would have said after that is not known.
  let isCutShort: Bool

  /// - Throws: `MigrationError` where the block names other versions than its own, models that are no pair, or two twice.
  init(_ transition: Transition) throws {
    guard let block = transition.block, transition.step.hasBlock else {
      mappings = []
      isCutShort = false
      return
    }
    let context = StepContext(environment: transition.environment, workspace: nil)
    // Where it looks beyond one object it stops; that is the upgrade's affair.
    var hasThrown = false
    do { try block.body(context) } catch { hasThrown = true }
    mappings = context.takeBackMappings()
    isCutShort = context.hasLookedBeyond || hasThrown
    for (index, mapping) in mappings.enumerated() {
      try transition.checkBack(mapping, behind: mappings[..<index])
    }
  }
}

extension Transition {
  /// Refuses what would not be heard: models that are no pair have no way back, and of two of a pair only one would run.
  fileprivate func checkBack(
    _ mapping: StepContext.Mapping, behind others: ArraySlice<StepContext.Mapping>
  ) throws {
    try checkVersions(of: mapping)
    let (old, new) = (mapping.oldModel, mapping.newModel)
    guard model(named: new)?.source?.name == old else {
      throw MigrationError(
        .brokenHistory,
        """
        The block of version \(target.version) takes \(new) back to \(old) with `step.back`, but \(new) does not continue \(old) \
        there. Say it under `rename:` in the step, or leave it out.
        """, version: target.version, model: new)
    }
    guard !others.contains(where: { $0.oldModel == old && $0.newModel == new }) else {
      throw MigrationError(
        .brokenHistory,
        """
        The block of version \(target.version) says `step.back` twice for \(new), and only one of the two would be heard. Say in \
        one how its objects go back.
        """, version: target.version, model: new)
    }
  }
}

/// One model's way from the later version back to the older one.
struct BackWay {
  let index: Int
  /// The model as the later version has it.
  let newest: Model
  /// From the newest version back to the oldest in which the model is; the last is that of the older version where it goes all
  /// the way.
  private let levels: [BackLevel]
  /// The number of the newest level: levels count from the older version.
  let top: Int

  init(
    _ index: Int, _ model: Model, _ transitions: [Transition], _ blocks: [BackMappings]
  ) throws {
    self.index = index
    newest = model
    top = transitions.count
    var levels: [BackLevel] = []
    var current = model
    for (transition, block) in zip(transitions, blocks).reversed() {
      guard let step = transition.model(named: current.name), let old = step.source else { break }
      levels.append(
        try BackLevel(
          old, step: step, transition: transition,
          mapping: block.mappings.first {
            $0.oldModel == old.name && $0.newModel == current.name
          },
          isCutShort: block.isCutShort))
      current = old
    }
    self.levels = levels
  }

  /// The model as it is in the older version; nil where that has none that became this one.
  var oldest: Model? { levels.count == top ? (levels.last?.model ?? newest) : nil }

  /// Whether an expression or a block says something of the way.
  var isWorkedOut: Bool {
    levels.contains { level in
      level.mapping != nil
        || level.properties.contains {
          if case .expression = $0 { return true }
          return false
        }
    }
  }

  /// How the model goes back to this level; nil for the newest, and where there is none.
  func level(_ number: Int) -> BackLevel? {
    let index = top - 1 - number
    return levels.indices.contains(index) ? levels[index] : nil
  }

  /// The model at a level.
  func model(at number: Int) -> Model? { number == top ? newest : level(number)?.model }
}

/// How the objects of one model go back over one step.
struct BackLevel {
  /// The model before the step, and after it.
  let model: Model
  let newer: Model
  let transition: Transition
  /// What the block's `step.back` works with.
  let environment: StepEnvironment
  /// For each stored property of `model`.
  let properties: [BackProperty]
  /// What the version's block says of the model with `step.back`.
  let mapping: StepContext.Mapping?
  /// Whether the version's block looks at other objects, after which what it says of a way back is not heard.
  let isCutShort: Bool

  init(
    _ old: Model, step: ModelTransition, transition: Transition, mapping: StepContext.Mapping?,
    isCutShort: Bool
  ) throws {
    model = old
    newer = step.target
    self.transition = transition
    environment = transition.environment.reversed
    self.mapping = mapping
    self.isCutShort = isCutShort
    let expressions = transition.step.back[old.name] ?? [:]
    properties = try old.storedProperties.map { property in
      if let expression = expressions[property.name] {
        return .expression(
          try Self.resolve(expression, property, old, step.target, transition))
      }
      guard
        let position = step.properties.firstIndex(where: {
          if case .copied(let source, _) = $0.origin { return source.name == property.name }
          return false
        }), case .copied(_, let conversion) = step.properties[position].origin
      else { return .unknown }
      return .carried(
        position,
        BackConversion(
          forward: conversion, old: property, older: transition.source,
          new: step.properties[position].property))
    }
  }

  /// The number of the version after the step.
  var newerVersion: Int { transition.target.version }

  private static func resolve(
    _ expression: Expression, _ property: Property, _ old: Model, _ new: Model,
    _ transition: Transition
  ) throws -> ResolvedExpression {
    do {
      return try ResolvedExpression(
        expression, in: transition.target, of: new, for: .back,
        assignedTo: AssignmentTarget(
          property, in: transition.source, renames: transition.step.renames.reversed))
    } catch {
      throw MigrationError(
        .brokenHistory,
        """
        The step to version \(transition.target.version) takes \(old.name).\(property.name) back with an expression that the \
        versions do not fit: \(error.sentence).
        """, version: transition.target.version, model: old.name)
    }
  }
}

/// Where the value of an older property comes from on the way back.
enum BackProperty {
  /// From the stored property of the newer model at this position.
  case carried(Int, BackConversion)
  /// The step says it with `back:`.
  case expression(ResolvedExpression)
  /// Nothing of the newer version says it.
  case unknown
}
