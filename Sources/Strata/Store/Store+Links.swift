import StrataSchema

extension Store {
  /// The value of a link to an object, which is added when it belongs to nothing.
  func link(to object: Object, from access: ModelAccess, property: Int) throws -> Value {
    let addition = writing.addition
    let target = access.targets[property]
    let model = object.model
    if let target, model !== target.generated {
      // The compiler sees to this where classes are used; dynamic access has only this check.
      guard model.model.name == target.model.name else {
        throw StoreError.wrongType(
          model: access.model.name, property: access.model.properties[property].name,
          expected: "a \(target.model.name)", found: "a \(model.model.name)")
      }
    }
    if model.model.isEmbedded {
      guard target != nil else {
        throw StoreError.embeddedWithoutOwner(model: model.model.name)
      }
      if object.isEmbeddedInItself {
        throw StoreError.wrongType(
          model: access.model.name, property: access.model.properties[property].name,
          expected: "an embedded object that does not lead to itself", found: "one that does")
      }
      if let addition { return .link(try addition.embeddedRow(of: object)) }
      let new = object.manager == nil ? object : object.embeddedCopy(for: self)
      return .link(try Addition.add(new, to: self, update: .error))
    }
    let row =
      try addition?.row(of: object) ?? Addition.add(object, to: self, update: .error)
    return target == nil
      ? .object(model: model.model.name, identity: row) : .link(row)
  }
}
