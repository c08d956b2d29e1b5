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
    let models = line(renames.models[end.model] ?? end.model, in: newer.schema)
    func first(_ matches: (SchemaPath) -> Bool) -> SchemaPath? {
      for model in models {
        let found = newer.relationships.inverses.keys.filter { $0.model == model && matches($0) }
        if let least = found.min() { return least }
      }
      return nil
    }
    return first { $0.property == name }
      ?? first { newer.identifiers.properties[$0].map { $0 == identifier || $0 == name } ?? false }
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
    if let there, other != there { return nil }
    return (here, other)
  }

  private func isStored(_ end: SchemaPath?, in schema: Schema) -> Bool {
    guard let end, let name = end.property else { return false }
    return schema.model(named: end.model)?.property(named: name)?.isStored ?? false
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
        base == .scalar(.any) || base == .object(renames.models[source] ?? source)
      else { return nil }
      values[model.name] = Expression(.member(base: Expression(.object(.old)), name: name))
    }
    return values.isEmpty ? nil : values
  }

  /// - Parameter path: a stored property of a model of the older version that goes on, which none of the newer one continues.
  func outcome(of path: SchemaPath) -> Outcome {
    guard let end = declaration(of: path, in: older) else { return .gone }
    guard let found = relationship(of: end) else { return .unclear }
    guard let (same, other) = found else { return .gone }
    if isStored(same, in: newer.schema), let name = same?.property,
      let model = newer.schema.model(named: renames.models[path.model] ?? path.model),
      model.property(named: name)?.isStored == true,
      older.schema.model(named: path.model)?.property(named: name)?.isStored != true,
      !renames.properties.contains(where: { $0.key.model == path.model && $0.value == name })
    {
      return .renamed(name)
    }
    let wasOtherStored = isStored(older.relationships.inverse(of: end), in: older.schema)
    if wasOtherStored, isStored(other, in: newer.schema) {
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
}
