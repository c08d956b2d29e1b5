#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A value of any stored type, or an object: what a property of type `any` holds.
///
/// ```swift
/// note.subject = AnyValue("a text")
/// note.subject = 42
/// if case .object(let person as Person) = note.subject { … }
/// ```
///
/// Two values are equal when they have the same type and are equal as such; objects as
/// `Object.isSameObject(as:)` says.
public enum AnyValue {
  case null
  case bool(Bool)
  case int(Int)
  case float(Float)
  case double(Double)
  case string(String)
  case data(Data)
  case date(Date)
  case uuid(UUID)
  case decimal(Decimal)
  case objectID(ObjectID)
  case object(Object)
}

extension AnyValue {
  /// The value of any stored type as `any`.
  public init(_ value: some StoredValue) { self = AnyValue(value._generatedCell) }

  /// A link to an object.
  public init(_ object: Object) { self = .object(object) }

  /// Whether there is no value.
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// The value as this type; nil where it is of another one.
  public func value<Value: StoredValue>(as type: Value.Type = Value.self) -> Value? {
    Value._generatedValue(of: _generatedCell)
  }

  /// The object, of this class; nil for anything else.
  public func object<Element: Object>(as type: Element.Type = Element.self) -> Element? {
    if case .object(let object) = self { return object as? Element }
    return nil
  }
}

extension AnyValue: Hashable {}

extension AnyValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
}
