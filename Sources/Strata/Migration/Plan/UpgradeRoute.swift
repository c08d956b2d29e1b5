import StrataExpression
import StrataHistory
import StrataSchema

/// The versions that an upgrade goes through, cut into passes over the data.
struct UpgradeRoute {
  /// Versions that are made in one pass.
  enum Pass {
    /// Each object goes through all versions in memory and is written once.
    case fused([FusedTransition])
    /// One version whose step looks beyond single objects; its result is complete before the next pass reads it.
    case workspace(Transition)
  }

  let source: FrozenVersion
  let target: FrozenVersion
  let transitions: [Transition]
  let passes: [Pass]

  /// The classic form's block, where an older file meets one. It takes the place of all passes.
  let migrationBlock: MigrationBlock?

  /// - Parameters:
  ///   - versions: the file's version first, then every later one up to the target, in order.
  ///   - barriers: versions whose blocks were found to look beyond one object while they ran.
  ///   - isFusing: false makes every version a pass of its own, for proofs.
  init(
    versions: [FrozenVersion], target newest: UpgradeTarget, barriers: Set<Int> = [],
    isFusing: Bool = true
  ) throws {
    guard let first = versions.first, let last = versions.last else {
      throw MigrationError(.brokenHistory, "There is no version to upgrade from.")
    }
    source = first
    target = last
    migrationBlock = first.number < last.number ? newest.classic?.block : nil
    transitions = try zip(versions, versions.dropFirst()).map { older, newer in
      try Transition(from: older, to: newer, block: newest.blocks[newer.number], form: newest.form)
    }
    passes = try Self.passes(for: transitions, barriers: barriers, isFusing: isFusing)
  }

  private static func passes(
    for transitions: [Transition], barriers: Set<Int>, isFusing: Bool
  ) throws -> [Pass] {
    let switches = EngineSwitches.current
    let maximumInOnePass = switches.versionsInOnePass ?? FusedTransition.maximumInOnePass
    var passes: [Pass] = []
    var pending: [FusedTransition] = []
    for transition in transitions {
      let version = transition.target.version
      guard !switches.usesWorkspaces, !barriers.contains(version), transition.isDeclarativelyLocal,
        let fused = try fused(transition)
      else {
        passes += composable(pending).map(UpgradeRoute.Pass.fused)
        pending = []
        passes.append(.workspace(transition))
        continue
      }
      pending.append(fused)
      if !isFusing || pending.count >= maximumInOnePass
        || transition.mayViolateUniqueness(fused.mappings)
      {
        passes += composable(pending).map(UpgradeRoute.Pass.fused)
        pending = []
      }
    }
    passes += composable(pending).map(UpgradeRoute.Pass.fused)
    // The last pass writes the final tables, also where nothing is left to change.
    if passes.isEmpty || passes.last?.isWorkspace == true { passes.append(.fused([])) }
    return passes
  }

  /// Cuts versions whose expressions grow beyond a bound when one is put into the other into runs that don't.
  private static func composable(_ fused: [FusedTransition]) -> [[FusedTransition]] {
    guard fused.count > 1, let target = fused.last?.transition.target else {
      return fused.isEmpty ? [] : [fused]
    }
    let isTooLarge = target.storedModels.contains { model in
      do throws(ComposedModel.Refusal) {
        _ = try ComposedModel(ModelPipeline(target: model, fused: fused))
        return false
      } catch {
        return error == .tooLarge
      }
    }
    guard isTooLarge else { return [fused] }
    let middle = fused.count / 2
    return composable(Array(fused[..<middle])) + composable(Array(fused[middle...]))
  }

  /// A version with its block's mappings; nil where the block looks beyond one object.
  private static func fused(_ transition: Transition) throws -> FusedTransition? {
    guard let block = transition.block, transition.step.hasBlock else {
      return FusedTransition(transition: transition, mappings: [])
    }
    let context = StepContext(environment: transition.environment, workspace: nil)
    do {
      try block.body(context)
    } catch {
      // Whatever the block makes of it.
      if context.hasLookedBeyond { return nil }
      throw error is MigrationError
        ? error : MigrationError.blockFailed(error, version: transition.target.version)
    }
    if context.hasLookedBeyond { return nil }
    let mappings = try context.mappings.map { mapping in
      try transition.check(mapping)
      return transition.watchingOwners(mapping)
    }
    return FusedTransition(transition: transition, mappings: mappings, context: context)
  }
}

extension UpgradeRoute.Pass {
  var isWorkspace: Bool {
    if case .workspace = self { return true }
    return false
  }

  /// Whether objects go through several versions before the next object does.
  var makesSeveralVersions: Bool { transitions.count > 1 }

  /// The transitions of the pass in order.
  var transitions: [Transition] {
    switch self {
    case .fused(let fused): fused.map(\.transition)
    case .workspace(let transition): [transition]
    }
  }
}

/// A version that is made together with its neighbours, and the block's mappings.
struct FusedTransition {
  /// Versions in one pass: each one costs a row object and a call a property.
  static let maximumInOnePass = 256

  let transition: Transition
  let mappings: [StepContext.Mapping]
  /// What the mappings' bodies see of the step.
  var context: StepContext?
}

extension [FusedTransition] {
  /// The first version whose block has looked beyond one object while its mappings ran.
  var lookedBeyond: StepContext.LooksBeyond? {
    first { $0.context?.hasLookedBeyond == true }
      .map { StepContext.LooksBeyond(version: $0.transition.target.version) }
  }
}

extension Transition {
  /// Refuses a mapping between objects that are not the same.
  func check(_ mapping: StepContext.Mapping) throws {
    guard let model = model(named: mapping.newModel), model.source?.name == mapping.oldModel else {
      throw MigrationError(
        .brokenHistory,
        """
        The block of version \(target.version) maps \(mapping.oldModel) to \(mapping.newModel), but \
        \(mapping.newModel) does not continue \(mapping.oldModel) there. Say it under `rename:` in \
        the step, or create the objects with `step.create`.
        """, version: target.version, model: mapping.newModel)
    }
  }

  /// The mapping, ended where it gives an object another embedded one or none: what it had before is looked for among all.
  fileprivate func watchingOwners(_ mapping: StepContext.Mapping) -> StepContext.Mapping {
    guard let model = target.model(named: mapping.newModel) else { return mapping }
    let owning = model.properties.indices.filter {
      !model.properties[$0].type.isCollection && model.properties[$0].owns(in: target)
    }
    guard !owning.isEmpty else { return mapping }
    let version = target.version
    return StepContext.Mapping(oldModel: mapping.oldModel, newModel: mapping.newModel) { old, new in
      try mapping.body(old, new)
      if owning.contains(where: new.isAssigned) { throw StepContext.LooksBeyond(version: version) }
    }
  }

  /// Whether a value that has to be unique may be another after this version, so that duplicates have to be looked for.
  func mayViolateUniqueness(_ mappings: [StepContext.Mapping]) -> Bool {
    models.contains { model in
      let keys = model.target.uniqueKeys
      guard !keys.isEmpty, let old = model.source else { return false }
      if mappings.contains(where: { $0.newModel == model.target.name }) { return true }
      let oldKeys = Set(old.uniqueKeys)
      return keys.contains { key in
        let origins = key.map { name in
          model.properties.first { $0.property.name == name }?.origin
        }
        let oldNames = origins.compactMap { origin -> String? in
          if case .copied(let property, .none)? = origin { return property.name }
          return nil
        }
        // What differs from each other as nil no longer does as a default, or in a primary key.
        let givesDefaults = key.contains { name in
          model.property(named: name)?.replacesNil ?? false
        }
        let isNewPrimaryKey = key == model.target.primaryKey && oldNames != old.primaryKey
        return oldNames.count < key.count || !oldKeys.contains(oldNames) || givesDefaults
          || isNewPrimaryKey
      }
    }
  }
}

extension Model {
  /// Every list of properties whose values no two objects may share: the primary key, unique properties, compound uniqueness.
  package var uniqueKeys: [[String]] {
    (primaryKey.isEmpty ? [] : [primaryKey])
      + storedProperties.filter(\.isUnique).map { [$0.name] } + uniques
  }
}
