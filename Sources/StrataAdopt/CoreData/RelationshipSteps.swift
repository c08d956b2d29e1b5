import StrataExpression
import StrataHistory
import StrataSchema

/// What becomes of the relationships of a Core Data model between two versions.
///
/// A relationship is stored at one end, or at both (docs/decisions/0120), and at which may change although the relationship goes on: because
/// it leads to many where it led to one, because it is ordered, or because an entity has a sub-entity now. Its links go on then. An end goes on
/// by its renaming identifier or by its name, and a relationship where one of its ends does.
struct RelationshipSteps {
  let older: AdoptedVersion
  let newer: AdoptedVersion
  /// Those that renaming identifiers and names say.
  let renames: Renames
  /// Old model → new model, abstract ones included, which no step renames.
  private let models: [String: String]

  init(older: AdoptedVersion, newer: AdoptedVersion, renames: Renames) {
    self.older = older
    self.newer = newer
    self.renames = renames
    var models = renames.models
    for model in newer.schema.models
    where model.isAbstract && older.schema.model(named: model.name) == nil {
      let identifier = newer.identifiers.models[model.name]
      let before = older.schema.models.first {
        $0.isAbstract && identifier != nil
          && (older.identifiers.models[$0.name] == identifier || $0.name == identifier)
      }
      if let before { models[before.name] = model.name }
    }
    self.models = models
  }

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

  // MARK: - Ends

  /// Where an end is declared that a model has or inherits.
  private func declaration(of path: SchemaPath, in version: AdoptedVersion) -> SchemaPath? {
    guard let name = path.property else { return nil }
    return line(path.model, in: version.schema).map { SchemaPath($0, name) }
      .first(where: version.relationships.contains)
  }

  /// A model and its ancestors.
  private func line(_ model: String, in schema: Schema) -> [String] {
    var line: [String] = []
    var next = schema.model(named: model)
    while let current = next, line.count <= Self.maximumAncestors {
      line.append(current.name)
      next = current.extends.flatMap { schema.model(named: $0) }
    }
    return line
  }

  /// As many as a model may have.
  private static let maximumAncestors = 16

  /// The end of the newer version that continues one of the older version.
  private func continuation(of end: SchemaPath) -> SchemaPath? {
    guard let name = end.property else { return nil }
    let identifier = older.identifiers.properties[end]
    let line = line(models[end.model] ?? end.model, in: newer.schema)
    func first(_ matches: (SchemaPath) -> Bool) -> SchemaPath? {
      for model in line {
        let found = newer.relationships.inverses.keys.filter { $0.model == model && matches($0) }
        if let least = found.min() { return least }
      }
      return nil
    }
    let siblings = older.relationships.inverses.keys.filter { $0.model == end.model && $0 != end }
    return first { newer.identifiers.properties[$0] == identifier }
      ?? first { candidate in
        // One of that name may continue another one.
        candidate.property == name
          && !siblings.contains {
            older.identifiers.properties[$0] == newer.identifiers.properties[candidate]
          }
      } ?? first { newer.identifiers.properties[$0] == name }
  }

  /// The ends of the newer version's relationship that goes on from the one of an end; nil where none does, or where its ends go on in two.
  private func relationship(of end: SchemaPath) -> (same: SchemaPath?, other: SchemaPath?)?? {
    let here = continuation(of: end)
    let there = older.relationships.inverse(of: end).flatMap(continuation)
    guard let here else {
      guard let there else { return .some(nil) }
      return (newer.relationships.inverse(of: there), there)
    }
    let other = newer.relationships.inverse(of: here)
    if let there, let other, other != there { return nil }
    return (here, other)
  }

  private func isStored(_ end: SchemaPath?, in schema: Schema) -> Bool {
    guard let end, let name = end.property else { return false }
    return schema.model(named: end.model)?.property(named: name)?.isStored ?? false
  }

  /// Whether it is in the class and not in the file.
  private func isIgnored(_ end: SchemaPath?, in schema: Schema) -> Bool {
    guard let end, let name = end.property else { return false }
    return schema.model(named: end.model)?.property(named: name)?.isIgnored ?? false
  }

  /// Whether two ends are both stored, and their links lead to one entity.
  private func leadsToTheSame(_ end: SchemaPath, as new: SchemaPath) -> Bool {
    guard isStored(end, in: older.schema), isStored(new, in: newer.schema),
      let before = older.schema.model(named: end.model)?.property(named: end.property ?? "")?.type,
      let now = newer.schema.model(named: new.model)?.property(named: new.property ?? "")?.type
    else { return false }
    guard let target = before.linkedModel else {
      return before.valueType?.base == now.valueType?.base
    }
    return now.linkedModel == models[target] ?? target || now.valueType?.base == .scalar(.any)
  }

  // MARK: - Steps

  /// Adds the links that ends take over which were computed before and are stored now.
  func carry(into step: inout MigrationStep) {
    for end in older.relationships.inverses.keys.sorted()
    where !isStored(end, in: older.schema) {
      guard case .some(.some(let relationship)) = relationship(of: end),
        let same = relationship.same, isStored(same, in: newer.schema)
      else { continue }
      for (model, value) in takingOver(end, as: same) ?? [:] {
        guard let name = same.property else { continue }
        step.set[model, default: [:]][name] = value
      }
    }
  }

  /// For each model that has an end now its links from what was computed there before; nil where one of them has nothing to take them from.
  private func takingOver(_ end: SchemaPath, as new: SchemaPath) -> [String: Expression]? {
    guard let name = end.property, let newName = new.property else { return nil }
    var values: [String: Expression] = [:]
    for model in newer.schema.storedModels
    where line(model.name, in: newer.schema).contains(new.model) {
      // A model that is new has no objects.
      guard let old = renames.oldModel(of: model.name, in: older.schema) else { continue }
      // Which of several links a to-one one is, nothing says.
      guard let property = model.property(named: newName), property.isStored,
        property.type.isCollection, let base = property.type.valueType?.base,
        case .inverse(let source, _) = old.property(named: name)?.type,
        base == .scalar(.any) || base == .object(models[source] ?? source)
      else { return nil }
      values[model.name] = Expression(.member(base: Expression(.object(.old)), name: name))
    }
    return values.isEmpty ? nil : values
  }

  /// - Parameter path: a stored property of a model of the older version that goes on, which none of the newer one continues.
  func outcome(of path: SchemaPath) -> Outcome {
    if older.relationships.inverses.isEmpty {
      // Of a version whose model is not there any more.
      let old = older.schema.model(named: path.model)?.property(named: path.property ?? "")
      return old?.type.linkedModel == nil ? .gone : .unclear
    }
    guard let end = declaration(of: path, in: older) else { return .gone }
    guard let found = relationship(of: end) else { return .unclear }
    guard let (same, other) = found else { return .gone }
    if isIgnored(same, in: newer.schema) || isIgnored(other, in: newer.schema) { return .gone }
    let model = models[path.model] ?? path.model
    if let same, isStored(same, in: newer.schema), let name = same.property,
      line(model, in: newer.schema).contains(same.model),
      let model = newer.schema.model(named: model),
      model.property(named: name)?.isStored == true,
      older.schema.model(named: path.model)?.property(named: name)?.isStored != true,
      !renames.properties.contains(where: { $0.key.model == path.model && $0.value == name })
    {
      return .renamed(name)
    }
    if let mirror = older.relationships.inverse(of: end), let other,
      leadsToTheSame(mirror, as: other)
    {
      let type = older.schema.model(named: path.model)?.property(named: path.property ?? "")?.type
      if case .list = type { return .unordered }
      return .carried
    }
    if let other, isStored(other, in: newer.schema),
      let before = older.relationships.inverse(of: end), takingOver(before, as: other) != nil
    {
      return .carried
    }
    return .unclear
  }

  /// Ends that are stored now and take no links over, though their relationships had some: nothing is lost, and both ends say different things.
  var notes: [AdoptNote] {
    older.relationships.inverses.keys.sorted().compactMap { end in
      guard !isStored(end, in: older.schema), !isIgnored(end, in: older.schema),
        let new = continuation(of: end), isStored(new, in: newer.schema),
        let mirror = older.relationships.inverse(of: end), isStored(mirror, in: older.schema)
      else { return nil }
      let isUnclear = if case .some(.some) = relationship(of: end) { false } else { true }
      guard isUnclear || takingOver(end, as: new) == nil else { return nil }
      return AdoptNote(
        kind: .changed, entity: new.model, property: new.property,
        reason:
          "it is stored from here on and begins without links, which stood in \(mirror) before: a Swift block sets them"
      )
    }
  }
}
