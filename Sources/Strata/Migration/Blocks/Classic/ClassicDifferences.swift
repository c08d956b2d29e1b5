import StrataSchema

/// What differs between a file and the declarations of the same version, in the words of Realm.
struct ClassicDifferences {
  /// A sentence for each change that needs a new version number.
  let sentences: [String]
  /// Whether everything else is such that a file can be given it where it stands: new models, indexes, defaults, cases.
  let areAdditive: Bool

  var text: String { sentences.joined(separator: " ") }

  /// Changes that cannot contradict any object.
  private static let additiveKinds: Set<ChangeKind> = [
    .modelAdded, .enumAdded, .enumRemoved, .enumCaseAdded, .indexAdded, .indexRemoved,
    .fulltextChanged, .defaultChanged, .defaultRemoved, .inverseChanged, .uniqueRemoved,
  ]

  init(from old: Schema, to new: Schema) {
    var sentences: [String] = []
    var named: Set<SchemaPath> = []
    for model in old.storedModels where new.stored(model.name) == nil {
      sentences.append("Class '\(model.name)' has been removed.")
      named.insert(SchemaPath(model.name))
    }
    for model in new.storedModels {
      guard let before = old.stored(model.name) else {
        named.insert(SchemaPath(model.name))
        continue
      }
      for (path, sentence) in Self.changes(of: model, from: before) {
        sentences.append(sentence)
        named.insert(path)
      }
    }
    let diff = SchemaDiff(from: old, to: new)
    // What Realm has no sentence for.
    for change in diff.changes
    where !Self.additiveKinds.contains(change.kind) && !named.contains(change.path)
      && !named.contains(SchemaPath(change.path.model))
      && change.oldPath.map({ !named.contains($0) }) ?? true
    {
      sentences.append("\(change.path): \(change.message).")
    }
    self.sentences = sentences
    areAdditive = sentences.isEmpty
  }

  private static func changes(of new: Model, from old: Model) -> [(SchemaPath, String)] {
    let name = new.name
    var result: [(SchemaPath, String)] = []
    if old.isEmbedded != new.isEmbedded {
      let kind = { (isEmbedded: Bool) in isEmbedded ? "embedded" : "top-level" }
      result.append(
        (
          SchemaPath(name),
          "Class '\(name)' has been changed from \(kind(old.isEmbedded)) to \(kind(new.isEmbedded))."
        ))
    }
    for property in old.storedProperties where !new.stores(property.name) {
      result.append(
        (
          SchemaPath(name, property.name), "Property '\(name).\(property.name)' has been removed."
        ))
    }
    for property in new.storedProperties {
      let path = SchemaPath(name, property.name)
      guard old.stores(property.name), let before = old.property(named: property.name) else {
        result.append((path, "Property '\(path)' has been added."))
        continue
      }
      if let change = change(of: property.type, from: before.type) {
        result.append((path, "Property '\(path)' has been \(change)."))
      }
      if property.isUnique && !before.isUnique {
        result.append((path, "Property '\(path)' has been made unique."))
      }
    }
    if let change = keyChange(from: old.primaryKey, to: new.primaryKey) {
      result.append((SchemaPath(name), "Primary Key for class '\(name)' has been \(change)."))
    }
    return result
  }

  private static func change(of new: PropertyType, from old: PropertyType) -> String? {
    guard new != old else { return nil }
    if case .value(let type) = new, case .value(let before) = old, type.base == before.base {
      return type.isOptional ? "made optional" : "made required"
    }
    return "changed from '\(old.spelling)' to '\(new.spelling)'"
  }

  private static func keyChange(from old: [String], to new: [String]) -> String? {
    if old == new { return nil }
    let spelling = { (key: [String]) in key.joined(separator: ", ") }
    if old.isEmpty { return "added" }
    if new.isEmpty { return "removed" }
    return "changed from '\(spelling(old))' to '\(spelling(new))'"
  }
}

extension Schema {
  /// A model that has a table.
  func stored(_ name: String) -> Model? {
    model(named: name).flatMap { $0.isAbstract ? nil : $0 }
  }
}

extension Model {
  /// Whether the model's objects have a stored property of this name.
  func stores(_ name: String) -> Bool { property(named: name)?.isStored == true }
}
