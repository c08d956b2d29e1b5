import StrataExpression
import StrataSchema

/// One pass over the data, and what it does to each model.
struct UpgradePass {
  enum Kind {
    /// Each object goes through all versions in memory and is written once.
    case fused([FusedTransition])
    /// One version whose step looks beyond single objects; its result is complete before the next pass reads it.
    case workspace(Transition)
  }

  let kind: Kind
  /// The schema of what the pass reads, and of what it writes.
  let source: Schema
  let target: Schema
  /// How the objects of each stored model of the target are made, in its order. Empty for a workspace, which goes object by object.
  private(set) var models: [ModelPass] = []
  /// Models of the source that a version of the pass drops, up to that version, where one before it may refuse an object: what is refused
  /// version by version is refused by all together.
  let dropped: [ModelPipeline]

  init(workspace transition: Transition) {
    kind = .workspace(transition)
    source = transition.source
    target = transition.target
    dropped = []
  }

  /// - Parameters:
  ///   - target: what is written where no version is made, and a complete draft becomes the file.
  ///   - functions: what SQL asks the language's own evaluation for.
  init(fused: [FusedTransition], target: Schema, functions: QueryFunctions) {
    self.init(
      fused: fused, target: target, models: ModelPass.Composition.all(of: fused, target),
      functions: functions)
  }

  private init(
    fused: [FusedTransition], target: Schema, models: [ModelPass.Composition],
    functions: QueryFunctions
  ) {
    kind = .fused(fused)
    source = fused.first?.transition.source ?? target
    self.target = target
    dropped = ModelPipeline.dropped(by: fused)
    // What every model's statement looks at: made for each of them it would take as long as all models together.
    let layout = TableLayout(source)
    self.models = models.map {
      ModelPass($0, source: layout, target: target, functions: functions)
    }
  }

  /// Passes over a run of versions: one, or several where expressions grow beyond a bound when one is put into the other.
  static func passes(over fused: [FusedTransition], functions: QueryFunctions) -> [UpgradePass] {
    guard let target = fused.last?.transition.target else { return [] }
    let models = ModelPass.Composition.all(of: fused, target)
    guard fused.count > 1, models.contains(where: \.isTooLarge) else {
      return [UpgradePass(fused: fused, target: target, models: models, functions: functions)]
    }
    let middle = fused.count / 2
    return passes(over: Array(fused[..<middle]), functions: functions)
      + passes(over: Array(fused[middle...]), functions: functions)
  }

  /// The same, every object taken by itself.
  func objectByObject() -> UpgradePass {
    var pass = self
    for index in models.indices { pass.models[index].statement = nil }
    return pass
  }

  var isWorkspace: Bool {
    if case .workspace = kind { return true }
    return false
  }

  /// The versions that are made in one go; empty for a workspace.
  var fused: [FusedTransition] {
    if case .fused(let fused) = kind { return fused }
    return []
  }

  /// Whether objects go through several versions before the next object does.
  var makesSeveralVersions: Bool { transitions.count > 1 }

  /// The transitions of the pass in order.
  var transitions: [Transition] {
    switch kind {
    case .fused(let fused): fused.map(\.transition)
    case .workspace(let transition): [transition]
    }
  }

  func model(named name: String) -> ModelPass? {
    models.binarySearch(name, by: \.pipeline.target.name).map { models[$0] }
  }
}

/// How a fused pass makes the objects of one model.
struct ModelPass {
  let pipeline: ModelPipeline
  /// What all versions together make of an object, as expressions; nil where they do what SQL cannot say.
  let composed: ComposedModel?
  /// What makes all objects at once; nil where each one is taken by itself.
  fileprivate(set) var statement: SetBasedStatement?

  fileprivate init(
    _ composition: Composition, source: TableLayout, target: Schema, functions: QueryFunctions
  ) {
    pipeline = composition.pipeline
    composed = composition.composed
    statement = composition.composed.flatMap {
      SetBasedStatement(
        $0, pipeline: composition.pipeline, source: source, target: target, functions: functions)
    }
  }

  /// A model's way with its expressions put into one another.
  fileprivate struct Composition {
    let pipeline: ModelPipeline
    let composed: ComposedModel?
    let isTooLarge: Bool

    private init(_ pipeline: ModelPipeline) {
      self.pipeline = pipeline
      do throws(ComposedModel.Refusal) {
        composed = try ComposedModel(pipeline)
        isTooLarge = false
      } catch {
        composed = nil
        isTooLarge = error == .tooLarge
      }
    }

    static func all(of fused: [FusedTransition], _ target: Schema) -> [Composition] {
      target.storedModels.map { Composition(ModelPipeline(target: $0, fused: fused)) }
    }
  }
}
