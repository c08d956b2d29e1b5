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
