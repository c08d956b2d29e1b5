import StrataExpression
package import StrataSchema

/// Whether a step says what becomes of the data that a change is about.
package struct StepCoverage: Sendable {
  package let older: Schema
  package let newer: Schema
  /// Without renames that lead to nothing.
  package let step: MigrationStep?
  /// Models behind `swift:` with whose objects the block does nothing.
  private let idleModels: Set<String>

  package init(
    older: Schema, newer: Schema, step: MigrationStep?, idleModels: Set<String> = []
  ) {
    self.older = older
    self.newer = newer
    self.idleModels = idleModels
    self.step = step.map { step in
      var step = step
      step.renames = step.renames.leading(from: older, to: newer)
      return step
    }
  }

  /// The changes from the older to the newer version, as the step lets them be seen.
  package var diff: SchemaDiff {
    SchemaDiff(from: older, to: newer, step?.correspondence ?? Correspondence())
  }

  package func covers(_ change: SchemaChange) -> Bool {
    if !change.verdict.needsStep { return true }
    if change.verdict == .never { return false }
    switch change.kind {
    case .modelRemoved:
      return isDropped(change.path) || isHandled(change.path.model)
    case .propertyRemoved, .relationshipRemoved:
      return isDropped(change.path) || isDropped(SchemaPath(change.path.model))
        || isHandled(newName(ofOldModel: change.path.model))
    case .madeRequired:
      return hasDefault(change.path) || isSet(change.path) || deletesObjectsWithoutIt(change)
    case .linkMadeRequired: return isSet(change.path) || deletesObjectsWithoutIt(change)
    // Of a block that leaves it without a value STR4012 tells.
    case .requiredPropertyAdded: return isSet(change.path) || isNamed(change.path.model)
    case .typeChangedLossy, .typeChangedIncompatible,
      .relationshipTargetChanged, .cardinalityNarrowed:
      return isSet(change.path)
    case .primaryKeyChanged, .primaryKeyAdded: return coversKey(change)
    case .uniqueAdded: return coversUniqueness(change)
    case .enumCaseRemoved, .enumRawValueChanged, .enumRawTypeChanged:
      return coversEnum(change.path.model)
    case .propertyMoved:
      return isSet(change.path) || isHandled(change.path.model)
    case .modelMerged, .modelSplit, .embeddingChanged:
      return isHandled(change.path.model)
        || change.oldPath.map { isHandled($0.model) } ?? false
    default: return false
    }
  }

  /// Whether the step says what becomes of objects that break a rule that is new or another one.
  package func repairs(_ change: SchemaChange) -> Bool {
    change.verdict == .verified && step?.repair[change.path] != nil
  }

  // MARK: What the step says

  private func isDropped(_ path: SchemaPath) -> Bool { step?.drop.contains(path) ?? false }

  /// Whether the version's Swift block takes care of the model's objects.
  func isHandled(_ model: String) -> Bool { isNamed(model) && !idleModels.contains(model) }

  private func isNamed(_ model: String) -> Bool { step?.swiftModels.contains(model) ?? false }

  package func isSet(_ path: SchemaPath) -> Bool {
    guard let step, let property = path.property else { return false }
    return step.set[path.model]?[property] != nil || isHandled(path.model)
  }

  /// Whether the step deletes every object that has nil there: `delete: { Person: old.dog == nil }`, perhaps with others.
  private func deletesObjectsWithoutIt(_ change: SchemaChange) -> Bool {
    change.path.property.map { deletesObjects(without: $0, of: change.path.model) } ?? false
  }

  /// The same of a property, by its new names.
  func deletesObjects(without name: String, of model: String) -> Bool {
    guard let step, let old = step.renames.oldModel(of: model, in: older),
      let property = step.renames.oldProperty(of: name, in: old),
      let condition = step.delete[old.name]
    else { return false }
    let member = Expression.Kind.member(base: Expression(.object(.old)), name: property.name)
    return condition.holds(whereNil: Expression(member))
  }

  private func newName(ofOldModel name: String) -> String { step?.renames.models[name] ?? name }

  private func hasDefault(_ path: SchemaPath) -> Bool {
    guard let name = path.property,
      let property = newer.model(named: path.model)?.property(named: name)
    else { return false }
    return property.defaultValue != nil
  }

  // MARK: Enums

  /// Whether every property that holds the enum's values, and did before, is set.
  private func coversEnum(_ name: String) -> Bool {
    let renames = step?.renames ?? Renames()
    for model in newer.storedModels {
      guard let old = renames.oldModel(of: model.name, in: older) else { continue }
      for property in model.storedProperties
      where property.type.valueType?.base == .enumeration(name)
        && renames.oldProperty(of: property.name, in: old) != nil
      {
        guard isSet(SchemaPath(model.name, property.name)) else { return false }
      }
    }
    return true
  }
}
