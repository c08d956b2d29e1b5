import StrataExpression
import StrataSchema

/// How a value of an old property takes the form of the new one without losing anything.
indirect enum ValueConversion: Equatable {
  /// It is stored the same way.
  case none
  /// A whole number becomes a `double`, `float`, `decimal` or `string`, a `float` a `double`, …: what the conversion of
  /// the expression language gives.
  case scalar(ScalarType)
  /// An object in a property of type `any` says its model, which has another name: old name → new name.
  case renamedModels([String: String])
  /// Each element of a collection is converted.
  case elements(ValueConversion)
  /// One value becomes a collection of one, nil an empty one.
  case wrapped(ValueConversion)
  /// The elements are kept: a list becomes a set (repeats go) or a set a list (in the order of its values).
  case recollected(ValueConversion)

  /// Nil where there is no conversion that keeps every value. An element that is nil where elements have become required is one
  /// that the version refuses, see `PropertyTransition.refusesNilElements`.
  init?(
    from old: Property, in older: Schema, to new: Property, in newer: Schema, renames: Renames
  ) {
    guard let source = old.type.valueType, let target = new.type.valueType,
      let conversion = ValueConversion(
        base: source, in: older, to: target, in: newer, renames: renames)
    else { return nil }
    switch (old.type, new.type) {
    case (.value, .value): self = conversion
    case (.list, .list), (.set, .set), (.map, .map):
      self = conversion == .none ? .none : .elements(conversion)
    case (.value, .list), (.value, .set): self = .wrapped(conversion)
    case (.list, .set), (.set, .list):
      self = .recollected(conversion)
    default: return nil
    }
  }

  /// What becomes of one value, or of one element.
  func converted(_ value: Value) -> Value {
    switch self {
    case .none: value
    case .scalar(let type): Conversion.convert(value, to: type)
    case .renamedModels(let names): value.renamingModels(names)
    case .elements(let inner), .wrapped(let inner), .recollected(let inner): inner.converted(value)
    }
  }

  /// Whether the values themselves stay as they are, in whatever they stand.
  var keepsValues: Bool {
    switch self {
    case .none: true
    case .scalar, .renamedModels: false
    case .elements(let inner), .wrapped(let inner), .recollected(let inner): inner.keepsValues
    }
  }

  private init?(
    base old: ValueType, in older: Schema, to new: ValueType, in newer: Schema, renames: Renames
  ) {
    let pair = TypePair(older.storedType(of: old.base), newer.storedType(of: new.base))
    guard pair.isCarriedOver else { return nil }
    if pair.source == .scalar(.any), !renames.models.isEmpty {
      self = .renamedModels(renames.models)
    } else if case .scalar(let type) = pair.target, !pair.sharesCells {
      self = .scalar(type)
    } else {
      // Whether the new model of a link continues the old one is the diff's question; identities stay.
      self = .none
    }
  }
}
