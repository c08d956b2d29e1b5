import StrataExpression
package import StrataSchema

// Whether objects stay apart where a version wants them to.

extension StepCoverage {
  func coversKey(_ change: SchemaChange) -> Bool {
    if isHandled(change.path.model) { return true }
    guard let model = newer.model(named: change.path.model) else { return false }
    // A key that is gone asks for nothing.
    if model.primaryKey.isEmpty { return true }
    return model.primaryKey.contains { isGenerated($0, in: model) }
      || model.primaryKey.allSatisfy { isSet($0, of: model) || isGenerated($0, in: model) }
        && (change.kind == .primaryKeyChanged || oldNames(model.primaryKey, in: model).isEmpty)
      || wereApart(model.primaryKey, in: model, withNil: false)
      || isDeduplicated(change, by: model.primaryKey)
  }

  func coversUniqueness(_ change: SchemaChange) -> Bool {
    if isHandled(change.path.model) { return true }
    guard let model = newer.model(named: change.path.model) else { return false }
    func isCovered(_ names: [String]) -> Bool {
      names.contains { isGenerated($0, in: model) }
        || wereApart(names, in: model, withNil: true) || isDeduplicated(change, by: names)
        // Nothing of an old object says which ones agree: the step's values do.
        || oldNames(names, in: model).isEmpty && names.contains { isSet($0, of: model) }
    }
    if let property = change.path.property { return isCovered([property]) }
    let added = addedUniques(of: model)
    return !added.isEmpty && added.allSatisfy(isCovered)
  }

  /// The properties by which objects have to be told apart before a change that asks for it, each list by old names and
  /// without those that no old object has; empty where nothing is asked.
  package func askedApart(_ change: SchemaChange) -> [[String]] {
    guard let model = newer.model(named: change.path.model) else { return [] }
    let lists: [[String]] =
      switch change.kind {
      case .primaryKeyAdded, .primaryKeyChanged: [model.primaryKey]
      case .uniqueAdded: change.path.property.map { [[$0]] } ?? addedUniques(of: model)
      default: []
      }
    let withNil = change.kind == .uniqueAdded
    return lists.filter { !wereApart($0, in: model, withNil: withNil) }
      .map { oldNames($0, in: model) }
  }

  /// The uniques of a model that it did not have before.
  private func addedUniques(of model: Model) -> [[String]] {
    guard let old = oldModel(of: model) else { return model.uniques }
    let before = Set(old.uniques)
    return model.uniques.filter { names in
      let olds = names.map { oldName($0, old) ?? "" }
      return !before.contains(olds)
    }
  }

  private func oldModel(of model: Model) -> Model? {
    (step?.renames ?? Renames()).oldModel(of: model.name, in: older)
  }

  private func oldName(_ name: String, _ old: Model) -> String? {
    (step?.renames ?? Renames()).oldProperty(of: name, in: old)?.name
  }

  /// Of some new properties those that continue old ones, by the old names.
  private func oldNames(_ names: [String], in model: Model) -> [String] {
    guard let old = oldModel(of: model) else { return [] }
    return names.compactMap { oldName($0, old) }
  }

  private func isSet(_ name: String, of model: Model) -> Bool {
    step?.set[model.name]?[name] != nil
  }

  /// Whether two old objects never agree in all of these, because some of them were a key or unique, and what the step makes of
  /// those values differs where they do.
  ///
  /// - Parameter withNil: whether several may have nil there.
  private func wereApart(_ names: [String], in model: Model, withNil: Bool) -> Bool {
    guard let old = oldModel(of: model) else { return false }
    let kept = Set(
      names.compactMap { name -> String? in
        guard let before = oldName(name, old), old.property(named: before)?.isStored == true
        else { return nil }
        guard let value = step?.set[model.name]?[name] else { return before }
        return Self.keepsApart(value, before) ? before : nil
      })
    let known =
      [old.primaryKey] + old.uniques
      + old.properties.filter(\.isUnique).map { [$0.name] }
    return known.contains { group in
      !group.isEmpty && group.allSatisfy(kept.contains)
        && (withNil
          || group.allSatisfy { old.property(named: $0)?.type.valueType?.isOptional == false })
    }
  }

  /// Whether different values of an old property become different ones: it is copied, or leads to the object with that key.
  private static func keepsApart(_ value: Expression, _ name: String) -> Bool {
    let member = Expression(.member(base: Expression(.object(.old)), name: name))
    if case .lookup(_, let key) = value.kind { return key == [member] }
    return value == member
  }

  /// Whether each existing object gets a value of its own.
  private func isGenerated(_ name: String, in model: Model) -> Bool {
    guard let property = model.property(named: name), let generate = property.generate,
      generate != .now
    else { return false }
    guard let old = oldModel(of: model) else { return true }
    return oldName(name, old) == nil
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
}
