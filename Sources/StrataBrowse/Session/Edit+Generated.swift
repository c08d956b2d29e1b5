import Strata
import StrataSchema

/// Values that are generated for new objects, as their numbers and times.
extension Edit {
  /// The same with a value for each property that would be given a generated one. An edit that is done again makes the very object that was
  /// shown: a value of it may have been copied since, or be the condition that finds it.
  func generating(in schema: Schema) -> Edit {
    guard let model = schema.model(named: model) else { return self }
    let values = GeneratedValues(schema: schema)
    var edit = self
    switch change {
    case .create(let given): edit.change = .create(values: values.completed(given, of: model))
    case .set(let name, let value):
      guard let property = model.property(named: name) else { return self }
      edit.change = .set(property: name, value: values.completed(value, of: property))
    case .element(let name, let change):
      guard let property = model.property(named: name), let members = change.object else {
        return self
      }
      edit.change = .element(
        property: name,
        change: .object(members.mapValues { values.completed($0, of: property) }))
    case .delete: break
    }
    return edit
  }
}

/// Completes values in the form of `GivenValues`.
private struct GeneratedValues {
  let schema: Schema

  func completed(
    _ given: [String: JSON], of model: Model, depth: Int = 0
  ) -> [String: JSON] {
    // Deeper ones are refused when the edit is done.
    guard depth < GivenValues.maximumDepth else { return given }
    var values = given
    for property in model.properties where property.isStored {
      if let value = given[property.name] {
        values[property.name] = completed(value, of: property, depth: depth)
      } else if let generator = property.generate {
        values[property.name] = .object([
          "text": .string(PageCells.plainText(generator.newValue()))
        ])
      }
    }
    return values
  }

  /// New embedded objects stand in the value of a property, in the list of its elements, or in its entries behind their keys.
  func completed(_ value: JSON, of property: Property, depth: Int = 0) -> JSON {
    guard case .object(let target)? = property.type.valueType?.base,
      let model = schema.model(named: target), model.isEmbedded
    else { return value }
    func element(_ json: JSON) -> JSON {
      guard let values = json["object"]?.object else { return json }
      return .object(["object": .object(completed(values, of: model, depth: depth + 1))])
    }
    if let elements = value["elements"]?.array {
      return .object(["elements": .array(elements.map(element))])
    }
    if let entries = value["entries"]?.array {
      return .object([
        "entries": .array(entries.map { $0.array.map { .array($0.map(element)) } ?? $0 })
      ])
    }
    return element(value)
  }
}
