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
      || stayApart(model.primaryKey, in: model, withNil: false)
      || isDeduplicated(change, by: model.primaryKey)
  }

  func coversUniqueness(_ change: SchemaChange) -> Bool {
    if isHandled(change.path.model) { return true }
    guard let model = newer.model(named: change.path.model) else { return false }
    func isCovered(_ names: [String]) -> Bool {
      names.contains { isGenerated($0, in: model) }
        || stayApart(names, in: model, withNil: true) || isDeduplicated(change, by: names)
        // Nothing of an old object says which ones agree: the step's values do.
        || oldNames(names, in: model).isEmpty && names.contains { isSet($0, of: model) }
    }
    if let name = change.path.property {
      return (!isNewlyUnique(name, of: model) || isCovered([name]))
        && keepsNilApart(name, of: model)
    }
    let added = addedUniques(of: model)
    return !added.isEmpty && added.allSatisfy(isCovered)
  }

  /// The properties by which objects have to be told apart before a change that asks for it, each list by old names and
  /// without those that no old object has; empty where nothing is asked.
  package func askedApart(_ change: SchemaChange) -> [[String]] {
    guard let model = newer.model(named: change.path.model) else { return [] }
    var lists: [[String]] = []
    var isAskedForNil = false
    switch (change.kind, change.path.property) {
    case (.primaryKeyAdded, _), (.primaryKeyChanged, _): lists = [model.primaryKey]
    case (.uniqueAdded, let name?):
      if isNewlyUnique(name, of: model) { lists = [[name]] }
      isAskedForNil = !keepsNilApart(name, of: model)
    case (.uniqueAdded, nil): lists = addedUniques(of: model)
    default: break
    }
    let withNil = change.kind == .uniqueAdded
    return lists.filter { !stayApart($0, in: model, withNil: withNil) }
      .map { oldNames($0, in: model) } + (isAskedForNil ? [[]] : [])
  }

  /// Of several lists that objects are told apart by, the one that all others hold whole: one rule by it answers all. Nil where there
  /// is none: a rule by what the lists merely share would make objects one that agree in no list.
  package static func common(to lists: [[String]]) -> [String]? {
    lists.first { list in lists.allSatisfy { Set(list).isSubset(of: $0) } }
  }

  /// Whether the step says already which of equal objects stays, and compares where a link led before: objects that differ in the link alone
  /// agree once `deduplicate:` has made those one that it leads to.
  package func comparesLinksTooEarly(_ change: SchemaChange) -> Bool {
    guard change.kind == .uniqueAdded, let model = newer.model(named: change.path.model),
      let old = oldModel(of: model), step?.deduplicate[old.name] != nil
    else { return false }
    let lists = change.path.property.map { [[$0]] } ?? addedUniques(of: model)
    return lists.contains { names in
      names.contains { leadsToMergedObjects($0, of: model) }
        && !stayApart(names, in: model, withNil: true)
    }
  }

  private func isNewlyUnique(_ name: String, of model: Model) -> Bool {
    guard model.property(named: name)?.isUnique == true else { return false }
    return oldProperty(name, of: model)?.isUnique != true
  }

  /// Whether no object that had nil in a property, and takes its default now, meets another one with that value.
  private func keepsNilApart(_ name: String, of model: Model) -> Bool {
    if !replacesNil(name, of: model) || isSet(SchemaPath(model.name, name)) { return true }
    let groups =
      [model.primaryKey] + model.uniques + model.properties.filter(\.isUnique).map { [$0.name] }
    return groups.filter { $0.contains(name) }.allSatisfy { group in
      group.contains { isGenerated($0, in: model) }
        || stayApart(group, in: model, withNil: group != model.primaryKey)
    }
  }

  /// Whether objects that are carried over get a default where they had nil.
  private func replacesNil(_ name: String, of model: Model) -> Bool {
    guard let property = model.property(named: name), let old = oldProperty(name, of: model) else {
      return false
    }
    return property.replacesNil(of: old) && !deletesObjects(without: name, of: model.name)
  }

  private func oldProperty(_ name: String, of model: Model) -> Property? {
    guard let old = oldModel(of: model) else { return nil }
    return oldName(name, old).flatMap(old.property(named:))
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

  /// Whether two old objects never agree in all of these: because of what they were told apart by before, or because one of them is new
  /// and nil, of which a unique list takes any number.
  private func stayApart(_ names: [String], in model: Model, withNil: Bool) -> Bool {
    wereApart(names, in: model, withNil: withNil)
      || withNil && names.contains { isNewAndNil($0, in: model) }
  }

  private func isNewAndNil(_ name: String, in model: Model) -> Bool {
    guard let old = oldModel(of: model), oldName(name, old) == nil,
      let property = model.property(named: name), !isSet(name, of: model)
    else { return false }
    return property.type.valueType?.isOptional == true && property.defaultValue == nil
      && property.generate == nil
  }

  /// Whether two old objects never agree in all of these, because some of them were a key or unique, and what the step makes of
  /// those values differs where they do.
  ///
  /// - Parameter withNil: whether several may have nil there.
  private func wereApart(_ names: [String], in model: Model, withNil: Bool) -> Bool {
    guard let old = oldModel(of: model) else { return false }
    let kept = Set(names.compactMap { keptApart($0, of: model, old) })
    let known =
      [old.primaryKey] + old.uniques
      + old.properties.filter(\.isUnique).map { [$0.name] }
    return known.contains { group in
      !group.isEmpty && group.allSatisfy(kept.contains)
        && (withNil
          || group.allSatisfy { old.property(named: $0)?.type.valueType?.isOptional == false })
    }
  }

  /// Whether two different objects that a property leads to may become one by `deduplicate:`.
  private func leadsToMergedObjects(_ name: String, of model: Model) -> Bool {
    guard let step, let type = model.property(named: name)?.type.valueType else { return false }
    switch type.base {
    case .object(let target):
      return step.renames.oldModel(of: target, in: older).map {
        step.deduplicate[$0.name] != nil
      } ?? false
    case .scalar(.any): return !step.deduplicate.isEmpty
    default: return false
    }
  }

  /// The lists in which objects of a model had to differ before, too, and may agree once those that a link leads to have become one.
  package func mergedApart(_ model: Model) -> [(names: [String], links: [String])] {
    guard let step, !step.deduplicate.isEmpty, !isHandled(model.name), let old = oldModel(of: model)
    else { return [] }
    let before = Set(([old.primaryKey] + old.uniques).map(Set.init))
    let lists = [model.primaryKey] + model.storedProperties.filter(\.isUnique).map { [$0.name] }
    return (lists + model.uniques).filter { !$0.isEmpty }.compactMap { names in
      let links = names.filter { leadsToMergedObjects($0, of: model) }
      let olds = names.compactMap { oldName($0, old) }
      let isOld =
        olds.count == names.count
        && (before.contains(Set(olds))
          || olds.count == 1 && old.property(named: olds[0])?.isUnique == true)
      // One that is new is asked for as a change.
      guard !links.isEmpty, isOld,
        !stayApart(names, in: model, withNil: names != model.primaryKey)
      else { return nil }
      let others = names.filter { !links.contains($0) }.compactMap { oldName($0, old) }
      // Of those that differ in the links alone one stays, or they agree in nothing else.
      if let rule = step.deduplicate[old.name], !rule.properties.isEmpty,
        rule.properties.allSatisfy(others.contains)
      {
        return nil
      }
      return (names, links)
    }
  }

  /// The old property whose different values become different ones of a property: it is copied, spelled as a text, or leads to the object
  /// with that key.
  private func keptApart(_ name: String, of model: Model, _ old: Model) -> String? {
    if leadsToMergedObjects(name, of: model) { return nil }
    guard let value = step?.set[model.name]?[name] else {
      guard let before = oldName(name, old), old.property(named: before)?.isStored == true
      else { return nil }
      return replacesNil(name, of: model) ? nil : before
    }
    return switch value.kind {
    case .member: Self.copied(value, old)
    case .lookup(_, let key) where key.count == 1: Self.copied(key[0], old)
    case .call(.string, let arguments) where arguments.count == 1:
      Self.copied(arguments[0], old).flatMap {
        Self.isSpelledApart(old.property(named: $0)) ? $0 : nil
      }
    default: nil
    }
  }

  private static func copied(_ value: Expression, _ old: Model) -> String? {
    guard case .member(let base, let name) = value.kind, case .object(.old) = base.kind,
      old.property(named: name)?.isStored == true
    else { return nil }
    return name
  }

  /// Whether no two values of a property have one text.
  private static func isSpelledApart(_ property: Property?) -> Bool {
    guard case .scalar(let scalar)? = property?.type.valueType?.base else { return false }
    return switch scalar {
    case .bool, .int, .int8, .int16, .int32, .int64, .string, .uuid, .objectID: true
    default: false
    }
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
    guard let newModel = newer.model(named: change.path.model) else { return false }
    // Of a link to objects that become one, `by:` compares where it led before.
    let olds = names.filter { !leadsToMergedObjects($0, of: newModel) }.compactMap {
      step.renames.oldProperty(of: $0, in: model)?.name ?? keptApart($0, of: newModel, model)
    }
    return !rule.properties.isEmpty && rule.properties.allSatisfy { olds.contains($0) }
  }
}
