import StrataSQLite
import StrataSchema

/// What a list, a set or a map can hold: stored values and objects.
///
/// The types of the schema language conform; do not conform others, except enums through ``StoredEnum``.
public protocol StoredElement: SendableMetatype {
  /// The value on its way into the store.
  var _generatedCell: _GeneratedCell { get }
  /// The value from the store; nil where the cell holds something else.
  static func _generatedValue(of cell: _GeneratedCell) -> Self?
  /// What is read where a cell cannot be, or holds nothing and something has to be there.
  static var _generatedFallback: Self { get }
}

/// What a property can hold directly: `Bool`, the integers, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`,
/// `Decimal`, ``ObjectID``, ``AnyValue``, enums that are ``StoredEnum``, and optionals of them.
public protocol StoredValue: StoredElement, Hashable {
  /// Reads a property of an object by its index in the model.
  static func _generatedRead(_ object: Object, _ property: Int) -> Self
}

extension StoredValue {
  public static func _generatedRead(_ object: Object, _ property: Int) -> Self {
    object.cell(at: property).flatMap(_generatedValue(of:)) ?? _generatedFallback
  }
}

/// An enum of the schema: its raw type is `String` or `Int`.
///
/// ```swift
/// public enum Mood: String, StoredEnum { case calm, angry }
/// ```
///
/// It is encoded and decoded as its raw value. A file may hold a raw value that has no case, written by a later version: it is read as nil, or as the
/// property's default where nil cannot be, and `object["mood"]` gives it as it is. Objects are encoded and decoded with it.
public protocol StoredEnum: StoredValue, RawRepresentable, CaseIterable, Codable, Sendable
where RawValue: StoredValue & Codable {}

extension StoredEnum {
  public var _generatedCell: _GeneratedCell { rawValue._generatedCell }

  public static func _generatedValue(of cell: _GeneratedCell) -> Self? {
    RawValue._generatedValue(of: cell).flatMap(Self.init(rawValue:))
  }

  public static var _generatedFallback: Self {
    guard let first = allCases.first else { misuse("\(Self.self) has no cases.") }
    return first
  }

  public static func _generatedRead(_ object: Object, _ property: Int) -> Self {
    object.cell(at: property).flatMap(_generatedValue(of:))
      ?? object.defaultCell(at: property).flatMap(_generatedValue(of:)) ?? _generatedFallback
  }
}

extension Optional: StoredElement where Wrapped: StoredValue {
  @inlinable public var _generatedCell: _GeneratedCell {
    if let self { return self._generatedCell }
    return .null
  }

  public static func _generatedValue(of cell: _GeneratedCell) -> Wrapped?? {
    cell.isNull ? .some(nil) : Wrapped._generatedValue(of: cell)
  }

  public static var _generatedFallback: Wrapped? { nil }
}

extension Optional: StoredValue where Wrapped: StoredValue {
  public static func _generatedRead(_ object: Object, _ property: Int) -> Wrapped? {
    guard let cell = object.cell(at: property), !cell.isNull else { return nil }
    return Wrapped._generatedValue(of: cell)
  }
}
