import StrataHistory
import StrataSchema

extension RelationshipSteps {
  /// What becomes of a stored end that no stored one continues.
  enum Outcome: Equatable {
    /// The relationship is gone.
    case gone
    /// It goes on as a property of the same model.
    case renamed(String)
    /// Other properties take its links over, or have them all along.
    case carried
    /// Another property has its links, and not their order.
    case unordered
    /// It goes on, and which of its links do is for the author to say.
    case unclear
  }

  /// - Parameter path: a stored property of a model of the older version that goes on, which none of the newer one continues.
  func outcome(of path: SchemaPath) -> Outcome {
    guard let end = declaration(of: path) else { return .gone }
    // It may have gone on at an end that is not known.
    if ends.halves.contains(end) { return .unclear }
    guard let found = relationship(of: end) else { return .unclear }
    // Its renaming identifier may have been another one than its name.
    guard let (same, other) = found else { return isToldBySchema ? .unclear : .gone }
    if isIgnored(same, in: newer.schema) || isIgnored(other, in: newer.schema) { return .gone }
    if let same, let name = same.property, let old = older.schema.model(named: path.model),
      let model = newer.schema.model(named: models[path.model] ?? path.model),
      (newLines[model.name] ?? []).contains(same.model),
      model.property(named: name)?.isStored == true
    {
      // What another one has taken says something else.
      guard isFree(same, for: end, in: model, from: old),
        old.property(named: name)?.isStored != true
      else { return .unclear }
      return .renamed(name)
    }
    guard let inverse = ends.inverse(of: end), let other,
      keeps(inverse, as: other) || takingOver(inverse, as: other) != nil
    else { return .unclear }
    let type = older.schema.model(named: path.model)?.property(named: path.property ?? "")?.type
    if case .list = type { return .unordered }
    return .carried
  }

  /// Whether an end was stored and is stored wherever its objects are, with all of its links, which lead to one entity.
  private func keeps(_ end: SchemaPath, as new: SchemaPath) -> Bool {
    guard let name = end.property, let newName = new.property, isStored(end, in: older.schema),
      let before = older.schema.model(named: end.model)?.property(named: name)?.type,
      let now = newer.schema.model(named: new.model)?.property(named: newName),
      !before.isCollection || now.type.isCollection
    else { return false }
    var isKept = false
    for old in older.schema.storedModels
    where (oldLines[old.name] ?? []).contains(end.model) {
      guard let model = newModel(of: old.name) else { continue }
      guard (newLines[model.name] ?? []).contains(new.model),
        model.property(named: newName)?.isStored == true,
        renames.oldProperty(of: newName, in: old)?.name == name
      else { return false }
      isKept = true
    }
    guard isKept else { return false }
    guard let target = before.linkedModel ?? ends.targets[end] else {
      return before.valueType?.base == now.type.valueType?.base
    }
    return mayLead(new, now, to: target)
  }

  // MARK: - Notes

  /// What a step leaves as it is although the source would not have it so: an end that is stored now and takes no links over, and two ends
  /// that belong together now and did not before. Nothing is lost, and the ends say different things.
  var notes: [AdoptNote] {
    var step = MigrationStep(to: newer.schema.version, renames: renames)
    carry(into: &step)
    return newer.relationships.inverses.keys.sorted().flatMap { new -> [AdoptNote] in
      guard isStored(new, in: newer.schema), !isIgnored(new, in: newer.schema),
        let reason = emptiness(of: new, step) ?? disagreement(of: new)
      else { return [] }
      return [
        AdoptNote(kind: .changed, entity: new.model, property: new.property, reason: reason)
      ]
    }
  }

  /// Why an end that is stored has no links although its relationship had some.
  private func emptiness(of new: SchemaPath, _ step: MigrationStep) -> String? {
    guard let name = new.property else { return nil }
    for model in newer.schema.storedModels
    where (newLines[model.name] ?? []).contains(new.model) {
      guard let old = renames.oldModel(of: model.name, in: older.schema),
        renames.oldProperty(of: name, in: old)?.isStored != true,
        step.set[model.name]?[name] == nil, let place = formerPlace(of: new, in: old)
      else { continue }
      return
        "it is stored from here on and begins without links, which stood in \(place) before: a Swift block sets them"
    }
    return nil
  }

  /// Where the links stood that the objects of a model have at an end now.
  private func formerPlace(of new: SchemaPath, in old: Model) -> SchemaPath? {
    let line = oldLines[old.name] ?? []
    func stored(_ end: SchemaPath) -> SchemaPath? {
      [end, ends.inverse(of: end)].compactMap(\.self).first { isStored($0, in: older.schema) }
    }
    for end in predecessors[new] ?? []
    where continuation(of: end) == new && line.contains(end.model) {
      if let place = stored(end) { return place }
    }
    for end in newer.relationships.inverse(of: new).flatMap({ predecessors[$0] }) ?? []
    where continuation(of: end) == newer.relationships.inverse(of: new) {
      let target = ends.inverse(of: end)?.model ?? ends.targets[end]
      if target.map(line.contains) ?? true, let place = stored(end) { return place }
    }
    return nil
  }

  /// What is to be said of two ends that go on and were not each other's inverse.
  private func disagreement(of new: SchemaPath) -> String? {
    guard let inverse = newer.relationships.inverse(of: new), inverse != new else { return nil }
    let isOfBoth = isStored(inverse, in: newer.schema)
    guard !isOfBoth || new < inverse else { return nil }
    let here = (predecessors[new] ?? []).filter { continuation(of: $0) == new }
    let there = (predecessors[inverse] ?? []).filter { continuation(of: $0) == inverse }
    guard !there.isEmpty,
      here.contains(where: { end in
        !ends.halves.contains(end)
          && !(ends.inverse(of: end).map(there.contains) ?? false)
      })
    else { return nil }
    return isOfBoth
      ? "it and its inverse \(inverse) belonged to two relationships before, and both keep their links: a Swift block makes them agree"
      : "its inverse \(inverse) belonged to another relationship before, and is computed from these links now"
  }
}
