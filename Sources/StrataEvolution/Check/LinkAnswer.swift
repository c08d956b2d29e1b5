package import StrataExpression
package import StrataSchema

/// What a step can say where a value becomes a link, a link a value, or where a link leads to another model: objects are found by
/// their primary key.
package struct LinkAnswer: Hashable, Sendable {
  /// The new property.
  let path: SchemaPath
  /// The model in the older version.
  let oldModel: String
  /// An expression over the old object that the property takes.
  package let value: Expression
  /// The condition under which an old object has no value for it, although it is required; nil where it is optional.
  package let deletion: Expression?

  /// Nil where nothing of the language says it.
  package init?(
    _ change: SchemaChange, from older: Schema, to newer: Schema, renames: Renames
  ) {
    guard change.kind == .typeChangedIncompatible || change.kind == .relationshipTargetChanged,
      let oldPath = change.oldPath, let oldName = oldPath.property, let name = change.path.property,
      let old = older.model(named: oldPath.model)?.property(named: oldName),
      let new = newer.model(named: change.path.model)?.property(named: name),
      let from = old.type.valueType, let to = new.type.valueType
    else { return nil }
    let before = "old.\(oldName)"
    var text: String
    var mayBeNil = from.isOptional
    let isOneValue = !old.type.isCollection && !new.type.isCollection
    switch (from.base, to.base) {
    // Of many, which one becomes it is another question; and an embedded object has one owner.
    case (.object(let source), .scalar(.any))
    where (isOneValue || new.type.isCollection) && older.model(named: source)?.isEmbedded == false:
      guard old.type.isMap == new.type.isMap else { return nil }
      text = before
    case (.object(let source), .scalar(let wanted)) where isOneValue:
      guard let key = Self.key(of: source, in: older),
        let value = Self.value("\(before).\(key.name)", of: key.type, as: wanted)
      else { return nil }
      text = value.text
      if !to.isOptional, from.isOptional || value.mayFail { text += " ?? \(wanted.sample)" }
      mayBeNil = false
    case (.object(let source), .object(let target)) where isOneValue:
      guard let key = Self.key(of: source, in: older),
        let lookup = Self.lookup(
          target, by: "\(before).\(key.name)", of: key.type, older, renames)
      else { return nil }
      (text, mayBeNil) = (lookup, true)
    case (let base, .object(let target)) where isOneValue:
      guard let scalar = older.storedScalar(of: base),
        let lookup = Self.lookup(target, by: before, of: scalar, older, renames)
      else { return nil }
      (text, mayBeNil) = (lookup, true)
    default: return nil
    }
    guard let value = try? Expression.parse(text) else { return nil }
    path = change.path
    oldModel = oldPath.model
    self.value = value
    deletion =
      mayBeNil && !to.isOptional && isOneValue
      ? Expression(.comparison(.equal, value, Expression(.literal(.null)), [])) : nil
  }

  /// The next move, for a finding.
  var help: String {
    let name = path.property ?? ""
    let set = "set: { \(path.model.inYAML): { \(name.inYAML): \"\(value.text)\" } }"
    // Both together answer, and none alone.
    guard let deletion else { return "say it in the step: '\(set)', or in a Swift block" }
    return
      "say it in the step: \(set) with delete: { \(oldModel.inYAML): \"\(deletion.text)\" } for objects without one, or in a Swift block"
  }

  /// The one property by which objects of a model are known, with its stored type.
  private static func key(
    of model: String, in schema: Schema
  ) -> (name: String, type: ScalarType)? {
    guard let model = schema.model(named: model), !model.isAbstract, model.primaryKey.count == 1,
      let property = model.property(named: model.primaryKey[0]),
      let type = property.type.valueType.flatMap({ schema.storedScalar(of: $0.base) })
    else { return nil }
    return (property.name, type)
  }

  private static func lookup(
    _ target: String, by value: String, of type: ScalarType, _ older: Schema, _ renames: Renames
  ) -> String? {
    guard let model = renames.oldModel(of: target, in: older)?.name,
      let key = key(of: model, in: older), let value = Self.value(value, of: type, as: key.type)
    else { return nil }
    return "lookup(\(model), key: \(value.text))"
  }

  /// An expression as one of another type, and whether it is nil for some values; nil where none converts it.
  private static func value(
    _ text: String, of type: ScalarType, as wanted: ScalarType
  ) -> (text: String, mayFail: Bool)? {
    if type == wanted || wanted == .int && type.isInteger { return (text, false) }
    switch TypePair(type, wanted).function {
    case .none: return nil
    case .total: return ("\(wanted.rawValue)(\(text))", false)
    default: return ("\(wanted.rawValue)(\(text))", true)
    }
  }
}

extension PropertyType {
  /// Only a map gives the keys of another one.
  var isMap: Bool {
    if case .map = self { return true }
    return false
  }
}
