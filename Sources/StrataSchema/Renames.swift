/// The renames of one step: which names of the newer version continue which of the older one.
package struct Renames: Hashable, Sendable {
  /// Old model name → new model name.
  package var models: [String: String]
  /// Old path, `OldModel.oldProperty` → new property name.
  package var properties: [SchemaPath: String]

  package init(models: [String: String] = [:], properties: [SchemaPath: String] = [:]) {
    self.models = models
    self.properties = properties
  }

  /// The models' names on the way back, new → old.
  package var reversed: Renames {
    Renames(models: Dictionary(models.map { ($0.value, $0.key) }) { first, _ in first })
  }

  package var isEmpty: Bool { models.isEmpty && properties.isEmpty }

  /// Those that lead from something of one version to something of the next: a mistyped one says nothing of what continues.
  package func leading(from older: Schema, to newer: Schema) -> Renames {
    if isEmpty { return self }
    var result = Renames()
    result.models = models.filter {
      older.model(named: $0.key) != nil && newer.model(named: $0.value) != nil
    }
    result.properties = properties.filter { path, name in
      let model = newer.model(named: result.models[path.model] ?? path.model)
      return model?.property(named: name) != nil
        && older.model(named: path.model)?.property(named: path.property ?? "") != nil
    }
    return result
  }

  /// The old name of the model that is called `new` in the newer version, if one of `older` continues as it.
  package func oldModel(of new: String, in older: Schema) -> Model? {
    if models.isEmpty { return older.model(named: new) }
    if let old = models.first(where: { $0.value == new })?.key { return older.model(named: old) }
    guard models[new] == nil else { return nil }  // that name moved on to another model
    return older.model(named: new)
  }

  /// The property of `old` that continues as `new`, if there is one.
  package func oldProperty(of new: String, in old: Model) -> Property? {
    if properties.isEmpty { return old.property(named: new) }
    let renamed = properties.first { $0.key.model == old.name && $0.value == new }
    if let name = renamed?.key.property { return old.property(named: name) }
    guard properties[SchemaPath(old.name, new)] == nil else { return nil }
    return old.property(named: new)
  }
}

/// The renames of a step by the names that things have afterwards: one comparison asks for each model and property.
struct RenameIndex {
  private let renames: Renames
  /// New model name → old one.
  private let oldModels: [String: String]
  /// The old model with the new property name → the old path.
  private let oldProperties: [SchemaPath: SchemaPath]
  /// Old model name → its old properties.
  private let renamedProperties: [String: [String]]

  init(_ renames: Renames) {
    self.renames = renames
    oldModels = renames.reversed.models
    oldProperties = Dictionary(
      renames.properties.map { (SchemaPath($0.key.model, $0.value), $0.key) }
    ) { first, _ in first }
    renamedProperties = Dictionary(grouping: renames.properties.keys, by: \.model)
      .mapValues { $0.compactMap(\.property) }
  }

  /// As ``Renames/oldModel(of:in:)``.
  func oldModel(of new: String, in older: Schema) -> Model? {
    if let old = oldModels[new] { return older.model(named: old) }
    guard renames.models[new] == nil else { return nil }
    return older.model(named: new)
  }

  /// As ``Renames/oldProperty(of:in:)``.
  func oldProperty(of new: String, in old: Model) -> Property? {
    if oldProperties.isEmpty { return old.property(named: new) }
    let path = SchemaPath(old.name, new)
    if let name = oldProperties[path]?.property { return old.property(named: name) }
    guard renames.properties[path] == nil else { return nil }
    return old.property(named: new)
  }

  /// Whether any property that a model has is renamed.
  func renamesProperty(of old: Model) -> Bool {
    renamedProperties[old.name]?.contains { old.property(named: $0) != nil } ?? false
  }
}
