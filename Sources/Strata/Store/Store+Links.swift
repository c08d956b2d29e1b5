import StrataSchema

extension Store {
  /// The value of a link to an object, which is added when it belongs to nothing.
  func link(to object: Object, from access: ModelAccess, property: Int) throws -> Value {
    let addition = writing.addition
    let target = access.targets[property]
    let model = object.model
    try checkLink(to: object, from: access, property: property)
    if model.model.isEmbedded {
      if let addition { return .link(try addition.embeddedRow(of: object)) }
      return .link(try Addition.add(try withoutPlace(object), to: self, update: .error))
    }
    let row =
      try addition?.row(of: object) ?? Addition.add(object, to: self, update: .error)
    return target == nil
      ? .object(model: model.model.name, identity: row) : .link(row)
  }

  /// Puts an object into a place where it is embedded, before its row and those of what it leads to are written: what stood there
  /// may have the unique values that they have, and goes first.
  ///
  /// - Parameter place: writes the identity into the place.
  func embed(
    _ object: Object, from access: ModelAccess, property: Int, place: (Int64) throws -> Void
  ) throws {
    try checkLink(to: object, from: access, property: property)
    try Addition.embed(try withoutPlace(object), in: self, place: place)
  }

  /// An object that is to be embedded; of one that has a place already a copy.
  private func withoutPlace(_ object: Object) throws -> Object {
    object.manager == nil ? object : try object.embeddedCopy(for: self)
  }

  private func checkLink(to object: Object, from access: ModelAccess, property: Int) throws {
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
    guard model.model.isEmbedded else { return }
    if target == nil { throw StoreError.embeddedWithoutOwner(model: model.model.name) }
    if object.isEmbeddedInItself {
      throw StoreError.wrongType(
        model: access.model.name, property: access.model.properties[property].name,
        expected: "an embedded object that does not lead to itself", found: "one that does")
    }
  }
}
