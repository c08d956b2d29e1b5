import StrataExpression
import StrataSchema

/// How a value of an old property takes the form of the new one without losing anything.
enum ValueConversion: Equatable {
  /// It is stored the same way.
  case none
  /// A whole number becomes a `double`, `float`, `decimal` or `string`, a `float` a `double`, …: what the conversion of
  /// the expression language gives.
  case scalar(ScalarType)
  /// One value becomes a collection of one, nil an empty one.
  case wrapped
  /// The elements are kept: a list becomes a set (repeats go) or a set a list (in the order of its values).
  case recollected

  /// Nil where there is no conversion that keeps every value.
  init?(from old: Property, in older: Schema, to new: Property, in newer: Schema) {
    guard let source = old.type.valueType, let target = new.type.valueType else { return nil }
    switch (old.type, new.type) {
    case (.value, .value), (.list, .list), (.set, .set), (.map, .map):
      guard let conversion = ValueConversion(base: source, in: older, to: target, in: newer) else {
        return nil
      }
      // Elements of a collection are copied as they are.
      guard conversion == .none || !old.type.isCollection else { return nil }
      guard !old.type.isCollection || target.isOptional || !source.isOptional else { return nil }
      self = conversion
    case (.value, .list), (.value, .set):
      guard ValueConversion(base: source, in: older, to: target, in: newer) == ValueConversion.none
      else {
        return nil
      }
      self = .wrapped
    case (.list, .set), (.set, .list):
      guard source == target || (source.base == target.base && target.isOptional) else {
        return nil
      }
      self = .recollected
    default: return nil
    }
  }

  private init?(base old: ValueType, in older: Schema, to new: ValueType, in newer: Schema) {
    if case .object = old.base, case .object = new.base {
      // Whether the new model continues the old one is the diff's question; identities stay.
      self = .none
      return
    }
    guard let source = older.storedScalar(of: old.base),
      let target = newer.storedScalar(of: new.base)
    else { return nil }
    if source == target {
      self = .none
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
