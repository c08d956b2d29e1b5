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

  /// Nil where there is no conversion that keeps every value.
  init?(
    from old: Property, in older: Schema, to new: Property, in newer: Schema, renames: Renames
  ) {
    guard let source = old.type.valueType, let target = new.type.valueType,
      let conversion = ValueConversion(
        base: source, in: older, to: target, in: newer, renames: renames)
    else { return nil }
    let keepsNil = target.isOptional || !source.isOptional
    switch (old.type, new.type) {
    case (.value, .value): self = conversion
    case (.list, .list), (.set, .set), (.map, .map):
      guard keepsNil else { return nil }
      self = conversion == .none ? .none : .elements(conversion)
    case (.value, .list), (.value, .set): self = .wrapped(conversion)
    case (.list, .set), (.set, .list):
      guard keepsNil else { return nil }
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
    if case .object = old.base, case .object = new.base {
      // Whether the new model continues the old one is the diff's question; identities stay.
      self = .none
      return
    }
    guard let source = older.storedScalar(of: old.base),
      let target = newer.storedScalar(of: new.base)
    else { return nil }
    if source == target {
      self = source == .any && !renames.models.isEmpty ? .renamedModels(renames.models) : .none
      return
    }
    switch (source, target) {
    // These stand in an `any` column as they stand in their own; the others get a tag.
    case (.string, .any), (.int, .any), (.int8, .any), (.int16, .any), (.int32, .any),
      (.int64, .any):
      self = .none
    case (_, .any): self = .scalar(.any)
    case (_, _) where source.isInteger && target.isInteger:
      guard let from = source.integerRange, let to = target.integerRange,
        to.lowerBound <= from.lowerBound, from.upperBound <= to.upperBound
      else { return nil }
      self = .none
    case (.int8, .double), (.int16, .double), (.int32, .double):
      self = .scalar(.double)
    case (.int8, .float), (.int16, .float):
      self = .scalar(.float)
    case (.float, .double):
      self = .scalar(.double)
    case (_, .decimal) where source.isInteger:
      self = .scalar(.decimal)
    case (_, .string) where source.isInteger || source == .bool || source == .uuid:
      self = .scalar(.string)
    case (.decimal, .string), (.objectID, .string):
      self = .scalar(.string)
    default: return nil
    }
  }
}
