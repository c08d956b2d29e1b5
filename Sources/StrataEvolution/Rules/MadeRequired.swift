import StrataSchema
import StrataSource

extension Rule {
  static let madeRequired = Rule(
    .madeRequired, .error, "An optional property is required now.",
    help: {
      "say what nil becomes: 'set: { \($0.model): { \($0.name): old.\($0.oldName) ?? … } }', or give it a default, which nil then takes"
    })
}

extension CheckedPair {
  /// The next move for a property that needs a value and can have no default: a collection, a link or an embedded object; nil
  /// for all others.
  func helpWithoutDefault(for change: SchemaChange) -> String? {
    guard let name = change.path.property,
      let type = newer.schema.model(named: change.path.model)?.property(named: name)?.type
    else { return nil }
    let model = change.path.model
    switch change.kind {
    case .madeRequired where type.isCollection:
      return
        "say what nil becomes: 'set: { \(model): { \(name): old.\(change.oldPath?.property ?? name) ?? … } }'"
    case .requiredPropertyAdded where type.linkedModel != nil:
      return
        "make it optional, or say its value in the step: 'set: { \(model): { \(name): … } }'"
    default: return nil
    }
  }
}
