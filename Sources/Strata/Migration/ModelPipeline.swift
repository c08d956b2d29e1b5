import StrataExpression
import StrataSchema

/// One model's way through all versions of a fused pass.
struct ModelPipeline {
  /// What a column of the result is.
  enum Column {
    /// A column of the source table, unchanged.
    case copied(Property)
    /// The same value for every object.
    case constant(Value)
    /// Worked out for each object.
    case computed
  }

  /// The model as it is after the pass.
  let target: Model
  /// The model as it is in the source; nil for one that is new, which has no objects yet.
  let source: Model?
  /// From the source on, one for each version.
  let stages: [Stage]

  struct Stage {
    let transition: Transition
    let model: ModelTransition
    let mappings: [StepContext.Mapping]
  }

  init(target: Model, fused: [FusedTransition]) {
    self.target = target
    var name: String? = target.name
    var stages: [Stage] = []
    for step in fused.reversed() {
      guard let current = name, let model = step.transition.model(named: current) else { break }
      stages.append(
        Stage(
          transition: step.transition, model: model,
          mappings: step.mappings.filter { $0.newModel == current }))
      name = model.source?.name
    }
    self.stages = stages.reversed()
    source = fused.isEmpty ? target : name == nil ? nil : stages.last?.model.source
  }

  /// Whether SQL alone can copy the objects.
  var isCopy: Bool {
    stages.allSatisfy(\.mappings.isEmpty)
      && target.columnProperties.allSatisfy {
        if case .computed = column(for: $0) { return false }
        return true
      }
  }

  /// Whether no version of the pass changes anything about the objects.
  var isUntouched: Bool {
    guard let source, source.name == target.name, isCopy else { return false }
    return stages.allSatisfy { stage in
      stage.model.properties.count == stage.model.source?.storedProperties.count
        && stage.model.properties.allSatisfy { property in
          if case .copied(let old, .none) = property.origin {
            return old.name == property.property.name
          }
          return false
        }
    }
  }

  /// Where a column's values come from, followed through all versions.
  func column(for property: Property) -> Column {
    var name = property.name
    for stage in stages.reversed() {
      if !stage.mappings.isEmpty { return .computed }
      guard let step = stage.model.properties.first(where: { $0.property.name == name }) else {
        return .computed
      }
      switch step.origin {
      case .copied(let old, .none):
        let becomesRequired = step.isRequired && !old.isRequiredColumn
        if becomesRequired { return .computed }
        name = old.name
      case .copied, .expression: return .computed
      case .constant(let value):
        return value.isNull && step.isRequired ? .computed : .constant(value)
      case .generated(.now): return .constant(.date(stage.transition.environment.date))
      case .generated: return .computed
      }
    }
    return source?.property(named: name).map(Column.copied) ?? .computed
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
  var columnProperties: [Property] { storedProperties.filter { !$0.type.isCollection } }

  /// The stored properties that have a table of their own.
  var collectionProperties: [Property] { storedProperties.filter(\.type.isCollection) }
}
