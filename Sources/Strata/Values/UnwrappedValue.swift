import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Takes wrappings off a value that a caller gave as `Any`.
enum UnwrappedValue {
  /// The value without optionals and without ``AnyValue``, and classes of Foundation that have a Swift type of their own as
  /// that; nil for nothing, however it is said.
  static func unwrap(_ given: Any?) -> Any? {
    var value = given
    // Bounded by how deep a type nests optionals.
    while let inner = value {
      if let optional = inner as? any OptionalValue {
        value = optional.wrapped
      } else if let any = inner as? AnyValue {
        return any.payload
      } else {
        break
      }
    }
    guard let value else { return nil }
    if case .null? = value as? JSON { return nil }
    return type(of: value) is AnyObject.Type && !(value is Object) ? unwrap(instance: value) : value
  }

  /// An instance of a class of Foundation as the Swift type to which it is bridged. Numbers are told by their names, because
  /// NSNumber and its kind are no part of FoundationEssentials.
  private static func unwrap(instance: Any) -> Any? {
    switch "\(type(of: instance))" {
    case "NSNull": return nil
    // A number, too, which it must not become.
    case "__NSCFBoolean": return instance as? Bool ?? instance
    case "NSDecimalNumber": return instance as? Decimal ?? instance
    case "NSNumber", "__NSCFNumber": return instance
    default: break
    }
    if let text = instance as? String { return text }
    if let data = instance as? Data { return data }
    if let date = instance as? Date { return date }
    return instance as? UUID ?? instance
  }

  /// A value as a property stores it; nil for what no property holds.
  static func storedValue(_ given: Any?) -> Value? {
    guard let value = unwrap(given) else { return .null }
    switch value {
    case let object as Object: return object.linkValue
    case let stored as any StoredValue: return stored._generatedCell.value
    case let number as any BinaryInteger: return Int64(exactly: number).map(Value.int)
    case let number as any BinaryFloatingPoint: return .double(Double(number))
    case let text as any StringProtocol: return .string(String(text))
    case let character as Character: return .string(String(character))
    case let json as JSON: return JSONCoding.value(json, as: .any)
    case let named as any RawRepresentable:
      return (named.rawValue as? any StoredValue)?._generatedCell.value
    default: break
    }
    // NSNumber.
    guard type(of: value) is AnyObject.Type else { return nil }
    return (value as? Int64).map(Value.int) ?? (value as? Double).map(Value.double)
  }
}

/// What optionals of all types are.
private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { map { $0 } }
}
