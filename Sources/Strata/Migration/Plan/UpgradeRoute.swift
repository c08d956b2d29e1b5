import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// What an upgrade does, decided once before it begins: passes, and what each makes of each model.
///
/// The same value is printed by `plan`, costed, executed and reported. Blocks are registered once, when it is made, and anew only where
/// it turns out on the way that a pass has to be cut: what a block keeps beside its objects then begins at its start.
struct UpgradeRoute {
  /// How passes are cut and models are made.
  struct Choices {
    /// Versions whose blocks were found to look beyond one object while they ran.
    var barriers: Set<Int> = []
    /// False makes every version a pass of its own.
    var isFusing = true
    /// False takes every object by itself where one statement could make all of them.
    var isSetBased = true
    /// Whether the file may be changed where it stands.
    var mayBeInPlace = false
  }

  let source: FrozenVersion
  let target: FrozenVersion
  let transitions: [Transition]
  /// What the statements of the passes call.
  let functions: QueryFunctions
  private(set) var choices: Choices
  private(set) var passes: [UpgradePass] = []
  /// What changes tables and no row; it takes the place of all passes.
  private(set) var inPlaceChange: InPlaceChange?

  /// The classic form's block, where an older file meets one. It takes the place of all passes.
  let migrationBlock: MigrationBlock?

  /// - Parameter versions: the file's version first, then every later one up to the target, in order.
  init(
    versions: [FrozenVersion], target newest: UpgradeTarget, choices: Choices = Choices()
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
    functions = QueryFunctions()
    self.choices = choices
    try decide()
  }

  /// The same, built beside the file, if that takes less time than to change it in place and leaves nothing of other programs out.
  func suited(to database: Database) throws -> UpgradeRoute {
    guard let inPlaceChange, inPlaceChange.takesLonger(thanCopying: try database.sizes().used),
      try OtherTables(in: database, beside: TableLayout(source.schema)).names.isEmpty
    else { return self }
    return aside()
  }

  /// The same, built beside the file, where changing it in place was refused.
  func aside() -> UpgradeRoute {
    var route = self
    route.inPlaceChange = nil
    return route
  }

  /// The same with other choices.
  private func choosing(_ change: (inout Choices) -> Void) throws -> UpgradeRoute {
    var route = self
    change(&route.choices)
    // What is decided on the way is about the content of a file beside the old one.
    route.choices.mayBeInPlace = false
    try route.decide()
    return route
  }

  /// The version's block looks beyond single objects, as it turned out when it ran.
  func cut(at version: Int) throws -> UpgradeRoute {
    try choosing { $0.barriers.insert(version) }
  }

  /// Without statements over all objects, one of which has met an object that a version refuses.
  func objectByObject() throws -> UpgradeRoute { try choosing { $0.isSetBased = false } }

  /// With a pass for each version.
  func versionByVersion() throws -> UpgradeRoute { try choosing { $0.isFusing = false } }

  private mutating func decide() throws {
    passes = try cutIntoPasses()
    if !choices.isSetBased { passes = passes.map { $0.objectByObject() } }
    inPlaceChange =
      choices.mayBeInPlace && choices.isSetBased && choices.isFusing ? InPlaceChange(self) : nil
  }

  private func cutIntoPasses() throws -> [UpgradePass] {
    let switches = EngineSwitches.current
    let maximumInOnePass = switches.versionsInOnePass ?? FusedTransition.maximumInOnePass
    var passes: [UpgradePass] = []
    var pending: [FusedTransition] = []
    for transition in transitions {
      guard !switches.usesWorkspaces, !choices.barriers.contains(transition.target.version),
        transition.isDeclarativelyLocal, let fused = try Self.fused(transition)
      else {
        passes += UpgradePass.passes(over: pending, functions: functions)
        pending = []
        passes.append(UpgradePass(workspace: transition))
        continue
      }
      // The file's own version is not asked whether its objects keep its rules, and the first version that has them, too, is.
      if passes.isEmpty, !pending.isEmpty, transition.endsRules(fused.mapping) {
        passes += UpgradePass.passes(over: pending, functions: functions)
        pending = []
      }
      pending.append(fused)
      if !choices.isFusing || pending.count >= maximumInOnePass
        || pending.count(where: { $0.mapping != nil }) >= FusedTransition.maximumBlocksInOnePass
        || transition.mayViolateUniqueness(fused.mapping)
        || transition.mayBreakRules(fused.mapping)
      {
        passes += UpgradePass.passes(over: pending, functions: functions)
        pending = []
      }
    }
    passes += UpgradePass.passes(over: pending, functions: functions)
    // The last pass writes the final tables, also where nothing is left to change.
    if passes.isEmpty || passes.last?.isWorkspace == true {
      passes.append(UpgradePass(fused: [], target: target.schema, functions: functions))
    }
    return passes
  }

  /// A version with its block's mapping; nil where the block looks beyond one object.
  private static func fused(_ transition: Transition) throws -> FusedTransition? {
    guard let block = transition.block, transition.step.hasBlock else {
      return FusedTransition(transition)
    }
    let context = StepContext(environment: transition.environment, workspace: nil)
    defer { context.end() }
    do {
      try block.body(context)
    } catch {
      // Whatever the block makes of it.
      if context.hasLookedBeyond { return nil }
      // Behind a mapping it may throw because no body has run yet: the pass will say so.
      if context.mappings.isEmpty {
        throw error is MigrationError
          ? error : MigrationError.blockFailed(error, version: transition.target.version)
      }
    }
    if context.hasLookedBeyond { return nil }
    for mapping in context.mappings { try transition.check(mapping) }
    // What stands between several of them, and what one gives to the next, has to come in its turn.
    guard context.mappings.count <= 1 else { return nil }
    return FusedTransition(transition, context.mappings.first)
  }
}

/// A version that is made together with its neighbours, and the block's mapping.
struct FusedTransition {
  /// Versions in one pass: each one costs a row object and a call a property.
  static let maximumInOnePass = 256
  /// Versions with a mapping in one pass: each one's block is called inside of the one before, on a stack of 512 KiB at the least.
  static let maximumBlocksInOnePass = 32

  let transition: Transition
  /// What the block maps; nil where it has none. It was called to learn that, without a body.
  let mapping: PassMapping?

  init(_ transition: Transition, _ mapping: StepContext.Mapping? = nil) {
    self.transition = transition
    self.mapping = mapping.map(PassMapping.init)
  }

  /// The block is called for the pass.
  ///
  /// - Returns: false where it maps other models than it did when the pass was planned.
  func begin(_ running: StepContext.Mapping) -> Bool {
    guard let mapping, mapping.oldModel == running.oldModel, mapping.newModel == running.newModel
    else { return false }
    mapping.body = transition.watchingOwners(running)
    return true
  }
}

/// Which objects a block maps, and by what while it is called.
final class PassMapping {
  let oldModel: String
  let newModel: String
  /// That of the newest call of the block.
  fileprivate(set) var body: StepContext.Mapping.Body

  init(_ mapping: StepContext.Mapping) {
    (oldModel, newModel, body) = (mapping.oldModel, mapping.newModel, mapping.body)
  }
}

extension Transition {
  /// Refuses a mapping between objects that are not the same, or that a block types by another version: it would take one property
  /// for another.
  func check(_ mapping: StepContext.Mapping) throws {
    try checkVersions(of: mapping)
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

  /// Refuses a mapping that a block types by other versions than those of the step.
  func checkVersions(of mapping: StepContext.Mapping) throws {
    let versions = StepContext.Versions(old: source.version, new: target.version)
    guard let named = mapping.versions, named != versions else { return }
    throw MigrationError(
      .brokenHistory,
      """
      The block of version \(target.version) names V\(named.old).\(mapping.oldModel) and V\(named.new).\(mapping.newModel), but it \
      stands between version \(versions.old) and version \(versions.new). Name V\(versions.old) for old objects and \
      V\(versions.new) for new ones.
      """, version: target.version, model: mapping.newModel)
  }

  /// A mapping's body, ended where it gives an object another embedded one or none: what it had before is looked for among all.
  fileprivate func watchingOwners(_ mapping: StepContext.Mapping) -> StepContext.Mapping.Body {
    guard let model = target.model(named: mapping.newModel) else { return mapping.body }
    let owning = model.properties.indices.filter {
      !model.properties[$0].type.isCollection && model.properties[$0].owns(in: target)
    }
    guard !owning.isEmpty else { return mapping.body }
    let version = target.version
    return { old, new in
      try mapping.body(old, new)
      if owning.contains(where: new.isAssigned) { throw StepContext.LooksBeyond(version: version) }
    }
  }

  /// Whether a value that has to be unique may be another after this version, so that duplicates have to be looked for.
  func mayViolateUniqueness(_ mapping: PassMapping?) -> Bool {
    models.contains { model in
      let keys = model.target.uniqueKeys
      guard !keys.isEmpty, let old = model.source else { return false }
      if mapping?.newModel == model.target.name { return true }
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

extension Transition {
  /// Whether objects that this version allows may agree in what had to be unique in the version before.
  var endsUniqueness: Bool {
    source.storedModels.contains { old in
      old.uniqueKeys.contains { key in
        guard let model = model(continuing: old.name) else { return true }
        let names = key.compactMap { model.newName(ofUnchanged: $0) }
        guard names.count == key.count else { return true }
        // Of a primary key one object at most is nil, of other unique values any number.
        let keys = key == old.primaryKey ? [model.target.primaryKey] : model.target.uniqueKeys
        return !keys.contains { Set($0) == Set(names) }
      }
    }
  }
}

extension ModelTransition {
  /// What an old property is called that every object keeps as it is; nil where it may be another.
  fileprivate func newName(ofUnchanged old: String) -> String? {
    properties.first { property in
      guard case .copied(let source, .none) = property.origin else { return false }
      return source.name == old && !property.replacesNil
    }?.property.name
  }
}

extension Model {
  /// Every list of properties whose values no two objects may share: the primary key, unique properties, compound uniqueness.
  package var uniqueKeys: [[String]] {
    (primaryKey.isEmpty ? [] : [primaryKey])
      + storedProperties.filter(\.isUnique).map { [$0.name] } + uniques
  }
}
