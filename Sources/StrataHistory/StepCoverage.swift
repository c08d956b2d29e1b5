import StrataExpression
package import StrataSchema

/// Whether a step says what becomes of the data that a change is about.
package struct StepCoverage: Sendable {
  package let older: Schema
  package let newer: Schema
  package let step: MigrationStep?

  package init(older: Schema, newer: Schema, step: MigrationStep?) {
    self.older = older
    self.newer = newer
    self.step = step
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
    case .requiredPropertyAdded, .typeChangedLossy, .typeChangedIncompatible,
      .relationshipTargetChanged, .cardinalityNarrowed:
      return isSet(change.path)
    case .primaryKeyChanged:
      return coversKey(change)
    case .primaryKeyAdded, .uniqueAdded: return coversUniqueness(change)
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
  private func isHandled(_ model: String) -> Bool { step?.swiftModels.contains(model) ?? false }

  private func isSet(_ path: SchemaPath) -> Bool {
    guard let step, let property = path.property else { return false }
    return step.set[path.model]?[property] != nil || isHandled(path.model)
  }

  /// Whether the step deletes every object that has nil there: `delete: { Person: old.dog == nil }`, perhaps with others.
  private func deletesObjectsWithoutIt(_ change: SchemaChange) -> Bool {
    guard let step, let name = change.path.property,
      let old = step.renames.oldModel(of: change.path.model, in: older),
      let property = step.renames.oldProperty(of: name, in: old),
      let condition = step.delete[old.name]
    else { return false }
    return Self.holds(condition, whereNil: property.name)
  }

  private static func holds(_ condition: Expression, whereNil name: String) -> Bool {
    switch condition.kind {
    case .binary(.or, let left, let right):
      return holds(left, whereNil: name) || holds(right, whereNil: name)
    case .comparison(.equal, let left, let right, _):
      let member = Expression.Kind.member(base: Expression(.object(.old)), name: name)
      return [(left, right), (right, left)].contains {
        $0.kind == member && $1.kind == .literal(.null)
      }
    default: return false
    }
  }

  private func newName(ofOldModel name: String) -> String { step?.renames.models[name] ?? name }

  private func hasDefault(_ path: SchemaPath) -> Bool {
    guard let name = path.property,
      let property = newer.model(named: path.model)?.property(named: name)
    else { return false }
    return property.defaultValue != nil
  }

  // MARK: Keys

  private func coversKey(_ change: SchemaChange) -> Bool {
    if isHandled(change.path.model) { return true }
    guard let model = newer.model(named: change.path.model) else { return false }
    // A key that is gone asks for nothing.
    if model.primaryKey.isEmpty { return true }
    return model.primaryKey.allSatisfy {
      step?.set[model.name]?[$0] != nil || isGenerated($0, in: model)
    }
      || isDeduplicated(change, by: model.primaryKey)
  }

  private func coversUniqueness(_ change: SchemaChange) -> Bool {
    if isHandled(change.path.model) { return true }
    guard let model = newer.model(named: change.path.model) else { return false }
    if let property = change.path.property {
      return isGenerated(property, in: model) || isDeduplicated(change, by: [property])
    }
    if change.kind == .primaryKeyAdded {
      return model.primaryKey.contains { isGenerated($0, in: model) }
        || isDeduplicated(change, by: model.primaryKey)
    }
    let old = change.oldPath.flatMap { older.model(named: $0.model) }
    let added = model.uniques.filter { !(old?.uniques.contains($0) ?? false) }
    return !added.isEmpty && added.allSatisfy { isDeduplicated(change, by: $0) }
  }

  /// Whether each existing object gets a value of its own.
  private func isGenerated(_ name: String, in model: Model) -> Bool {
    guard let property = model.property(named: name), let generate = property.generate,
      generate != .now
    else { return false }
    let renames = step?.renames ?? Renames()
    guard let old = renames.oldModel(of: model.name, in: older) else { return true }
    return renames.oldProperty(of: name, in: old) == nil
  }

  /// Whether objects that agree in some of the properties become one.
  private func isDeduplicated(_ change: SchemaChange, by names: [String]) -> Bool {
    guard let step else { return false }
    let oldModel = change.oldPath?.model ?? change.path.model
    guard let rule = step.deduplicate[oldModel], let model = older.model(named: oldModel) else {
      return false
    }
    let olds = names.compactMap { step.renames.oldProperty(of: $0, in: model)?.name }
    return !rule.properties.isEmpty && rule.properties.allSatisfy { olds.contains($0) }
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
