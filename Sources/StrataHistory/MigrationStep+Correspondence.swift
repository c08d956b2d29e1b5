package import StrataSchema

extension MigrationStep {
  /// What the step says that decides how the two versions are compared.
  package var correspondence: Correspondence {
    var handled = swiftModels
    for (old, new) in renames.models where swiftModels.contains(new) { handled.insert(old) }
    return Correspondence(
      renames: renames, dropped: drop,
      assigned: Set(
        set.flatMap { model, properties in properties.keys.map { SchemaPath(model, $0) } }),
      handled: handled)
  }
}
