/// What a property holds: one value, a collection of values, or the computed inverse of a link.
package enum PropertyType: Hashable, Sendable {
  case value(ValueType)
  /// Ordered, may repeat.
  case list(ValueType)
  /// Unordered, no repeats.
  case set(ValueType)
  /// Values by string key.
  case map(ValueType)
  /// All objects of `model` whose link `property` leads here; computed, never stored.
  case inverse(model: String, property: String)
}

/// The type of one value: a property's own, or that of the elements of its collection.
package struct ValueType: Hashable, Sendable {
  package var base: BaseType
  package var isOptional: Bool

  package init(_ base: BaseType, isOptional: Bool = false) {
    self.base = base
    self.isOptional = isOptional
  }
}

/// A value's type apart from whether it may be missing.
package enum BaseType: Hashable, Sendable {
  case scalar(ScalarType)
  /// An enum of the schema, by name.
  case enumeration(String)
  /// An object of a model of the schema, by name: a link, or an embedded object where the model is embedded.
  case object(String)
}

extension PropertyType {
  /// The type of the value, or of the collection's elements; nil for an inverse.
  package var valueType: ValueType? {
    switch self {
    case .value(let type), .list(let type), .set(let type), .map(let type): type
    case .inverse: nil
    }
  }

  package var isCollection: Bool {
    switch self {
    case .list, .set, .map: true
    case .value, .inverse: false
    }
  }

  package var isInverse: Bool {
    if case .inverse = self { return true }
    return false
  }

  /// The model that the property's value or elements link to, or nil for scalars and enums.
  package var linkedModel: String? {
    if case .object(let model)? = valueType?.base { return model }
    if case .inverse(let model, _) = self { return model }
    return nil
  }

  /// Whether values or elements lead to objects, or may do so.
  package var mayLink: Bool { linkedModel != nil || valueType?.base == .scalar(.any) }

  /// Whether the property is one link (or one embedded object), not a collection.
  package var isToOne: Bool {
    if case .value(let type) = self, case .object = type.base { return true }
    return false
  }

  /// The type as the language spells it: `string?`, `[Dog]`, `set<int>`, `map<double?>`. An inverse is
  /// spelled as its path, `Person.boss`; where it stands is said by its key.
  package var spelling: String {
    switch self {
    case .value(let type): type.spelling
    case .list(let type): "[\(type.spelling)]"
    case .set(let type): "set<\(type.spelling)>"
    case .map(let type): "map<\(type.spelling)>"
    case .inverse(let model, let property): "\(model).\(property)"
    }
  }
}

extension ValueType {
  package var spelling: String { base.name + (isOptional ? "?" : "") }
}

extension BaseType {
  /// The name as the language spells it.
  package var name: String {
    switch self {
    case .scalar(let type): type.rawValue
    case .enumeration(let name), .object(let name): name
    }
  }

  package var scalar: ScalarType? {
    if case .scalar(let type) = self { return type }
    return nil
  }
}
