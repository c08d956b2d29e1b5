import StrataSchema
import StrataSource

extension Rule {
  static let madeRequired = Rule(
    .madeRequired, .error, "An optional property is required now.",
    help: {
      "say what nil becomes: 'set: { \($0.model.inYAML): { \($0.name.inYAML): old.\($0.oldName) ?? … } }', or give it a default, which nil then takes"
    })
}

extension CheckedPair {
  /// The next move for a property that needs a value and can have no default: a collection, a link, an embedded object or what generates
  /// its own; nil for all others.
  func helpWithoutDefault(for change: SchemaChange) -> String? {
    guard let name = change.path.property,
      let property = newer.schema.model(named: change.path.model)?.property(named: name)
    else { return nil }
    let (model, type) = (change.path.model, property.type)
    switch change.kind {
    case .madeRequired where property.generate != nil:
      let old = change.oldPath?.property ?? name
      let value =
        switch property.generate {
        case .uuid: "new.\(name) = old.\(old) ?? step.uuid(for: old)"
        case .now: "new.\(name) = old.\(old) ?? step.date"
        case .objectID, nil: "if old.\(old) == nil { new.\(name) = … }"
        }
      return
        "new objects get theirs, and those that are there keep nil: say what it becomes in a Swift block, 'swift: [\(model.inYAML)]' and '\(value)'"
    case .madeRequired where type.isCollection:
      let old = change.oldPath.flatMap { path in
        path.property.flatMap { older.schema.model(named: path.model)?.property(named: $0) }
      }
      guard old?.type.isMap == type.isMap else { return nil }
      return
        "say what nil becomes: 'set: { \(model.inYAML): { \(name.inYAML): old.\(change.oldPath?.property ?? name) ?? … } }'"
    case .requiredPropertyAdded where type.linkedModel != nil:
      return
        "make it optional, or say its value in the step: 'set: { \(model.inYAML): { \(name.inYAML): … } }'"
    default: return nil
    }
  }
}
