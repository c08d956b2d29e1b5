import StrataExpression
package import StrataSchema

/// One model's way through all versions of a fused pass.
struct ModelPipeline {
  /// The model as it is after the pass.
  let target: Model
  /// The model as it is in the source; nil for one that is new, which has no objects yet.
  let source: Model?
  /// From the source on, one for each version.
  let stages: [Stage]

  struct Stage {
    let transition: Transition
    let model: ModelTransition
    /// What the version's block does to each object; nil where it does not map the model.
    let mapping: PassMapping?
    /// Whether a block may assign values to the version's objects.
    var mayAssign: Bool

    /// Whether an object may be such that the version refuses it.
    var mayRefuse: Bool {
      mapping != nil
        || model.properties.contains { property in
          if property.isRequired && property.mayBeNull { return true }
          guard case .expression(let expression) = property.origin,
            case .one(let node) = expression.content
          else { return false }
          return node.mayFail
        }
    }
  }

  init(target: Model, fused: [FusedTransition]) {
    self.target = target
    var name: String? = target.name
    var stages: [Stage] = []
    for step in fused.reversed() {
      guard let current = name, let model = step.transition.model(named: current) else { break }
      let mapping = step.mapping?.newModel == current ? step.mapping : nil
      stages.append(
        Stage(
          transition: step.transition, model: model, mapping: mapping,
          mayAssign: mapping != nil))
      name = model.source?.name
    }
    self.stages = stages.reversed()
    source = fused.isEmpty ? target : name == nil ? nil : stages.last?.model.source
  }

  /// One version of a model that continues one of the source, by a step that is not carried out by mappings.
  init(_ model: ModelTransition, from source: Model, in transition: Transition, mayAssign: Bool) {
    target = model.target
    self.source = source
    stages = [
      Stage(transition: transition, model: model, mapping: nil, mayAssign: mayAssign)
    ]
  }

  /// The models of the source that one of the versions drops, as far as they go, where a version before it may refuse an object.
  static func dropped(by fused: [FusedTransition]) -> [ModelPipeline] {
    fused.indices.dropFirst().flatMap { index in
      fused[index].transition.endedModels
        .map { ModelPipeline(target: $0, fused: Array(fused[..<index])) }
        .filter { $0.source != nil && $0.stages.contains(where: \.mayRefuse) }
    }
  }

  var isClassic: Bool { stages.first?.transition.form == .classic }

  /// Whether no version of the pass changes anything about the objects.
  var isUntouched: Bool {
    guard let source, source.name == target.name else { return false }
    return stages.allSatisfy { stage in
      stage.mapping == nil
        && stage.model.properties.count == stage.model.source?.storedProperties.count
        && stage.model.properties.allSatisfy { property in
          if case .copied(let old, .none) = property.origin {
            return old.name == property.property.name && old == property.property
          }
          return false
        }
    }
  }

  /// The collection of the source whose elements are this collection's; nil where it starts empty.
  func sourceCollection(for property: Property) -> Property? {
    var name = property.name
    for stage in stages.reversed() {
      guard let step = stage.model.properties.first(where: { $0.property.name == name }),
        case .copied(let old, _) = step.origin
      else { return nil }
      name = old.name
    }
    return source?.property(named: name)
  }
}

extension Model {
  /// The stored properties that are columns of the model's own table.
  package var columnProperties: [Property] { storedProperties.filter { !$0.type.isCollection } }

  /// The stored properties that have a table of their own.
  package var collectionProperties: [Property] { storedProperties.filter(\.type.isCollection) }
}
