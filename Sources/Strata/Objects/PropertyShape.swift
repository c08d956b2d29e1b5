import StrataSchema

/// What a property holds, told from its declaration once for all objects of the model.
struct PropertyShape {
  enum Kind {
    case value
    case list
    case set
    case map
    /// Nothing of its own: an inverse, or what the model leaves out.
    case none
  }

  let name: String
  let kind: Kind
  /// As what the value, or each element, is written; that of the raw values for an enum.
  let scalar: ScalarType
  let isAny: Bool
  let isPartOfPrimaryKey: Bool

  init(_ property: Property, of model: Model, in schema: Schema) {
    name = property.name
    let base = property.type.valueType?.base
    scalar = base.flatMap { schema.storedScalar(of: $0) } ?? .any
    isAny = base?.scalar == .any
    isPartOfPrimaryKey = model.primaryKey.contains(property.name)
    guard property.isStored else {
      kind = .none
      return
    }
    switch property.type {
    case .value: kind = .value
    case .list: kind = .list
    case .set: kind = .set
    case .map: kind = .map
    case .inverse: kind = .none
    }
  }
}
