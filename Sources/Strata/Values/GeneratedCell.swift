package import StrataSchema

/// A value on its way between a Swift type and a property or an element of a collection. Only generated
/// code and `StoredValue` types meet it.
public struct _GeneratedCell {
  package enum Content {
    case value(Value)
    case object(Object)
  }

  package var content: Content

  package init(_ value: Value) { content = .value(value) }
  package init(_ object: Object) { content = .object(object) }
  package init(_ content: Content) { self.content = content }

  /// No value.
  @usableFromInline package static var null: _GeneratedCell { _GeneratedCell(Value.null) }

  package var value: Value? {
    if case .value(let value) = content { return value }
    return nil
  }

  package var object: Object? {
    if case .object(let object) = content { return object }
    return nil
  }

  package var isNull: Bool { value?.isNull == true }
}
