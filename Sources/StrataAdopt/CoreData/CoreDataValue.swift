import StrataSQLite
import StrataSchema

/// What a cell of a Core Data store means.
enum CoreDataValue {
  /// Bytes of one value: SQLite's own limit.
  static let maximumBlob = 1_000_000_000

  /// A value that may be a file of its own says so with its first byte.
  enum External {
    case inline([UInt8])
    case file(String)
  }

  static func external(_ bytes: [UInt8]) -> External {
    // The file's name is a UUID, with a zero behind it.
    if bytes.first == 2, (37...38).contains(bytes.count) {
      let name = String(decoding: bytes.dropFirst().prefix(36), as: UTF8.self)
      if UUIDValue(name) != nil { return .file(name) }
    }
    return .inline(bytes.first == 1 ? Array(bytes.dropFirst()) : bytes)
  }

  /// What stands where there is no value.
  static func missing(_ property: Property) -> Value {
    guard let type = property.type.valueType else { return .null }
    if type.isOptional { return .null }
    if let value = property.defaultValue { return value }
    return switch type.base.scalar {
    case .bool: .bool(false)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string("")
    case .data: .data([])
    case .date: .date(0)
    case .uuid: .uuid(UUIDValue(high: 0, low: 0))
    case .objectID: .objectID(ObjectIDValue(high: 0, low: 0))
    case .decimal: DecimalValue("0").map { .decimal($0) } ?? .null
    case .any: .int(0)
    case nil: .null
    default: .int(0)
    }
  }

  /// - Returns: the value here, and why it is not as it was, where it is not.
  static func stored(
    _ value: SQLiteValue, _ property: Property
  ) -> (value: Value, reason: String?) {
    guard let type = property.type.valueType, let scalar = type.base.scalar else {
      return (.null, nil)
    }
    if value.isNull {
      return type.isOptional
        ? (.null, nil) : (missing(property), "the value is missing though it is required")
    }
    if let exact = exact(value, scalar) { return (exact, nil) }
    if let near = near(value, scalar) { return near }
    return (missing(property), "the value is not of its property's type")
  }

  /// A value that Core Data writes so.
  private static func exact(_ value: SQLiteValue, _ scalar: ScalarType) -> Value? {
    switch (scalar, value) {
    case (.any, .integer(let number)): return .int(number)
    case (.any, .real(let number)): return .double(number)
    case (.any, .text(let text)), (.string, .text(let text)): return .string(text)
    case (.any, .blob(let bytes)), (.data, .blob(let bytes)): return .data(bytes)
    case (.bool, .integer(let number)): return number == 0 || number == 1 ? .bool(number == 1) : nil
    case (.double, .real(let number)): return .double(number)
    case (.double, .integer(let number)): return Double(exactly: number).map { .double($0) }
    case (.float, .real(let number)):
      return Double(Float(number)) == number ? .float(Float(number)) : nil
    case (.float, .integer(let number)): return Float(exactly: number).map { .float($0) }
    case (.date, .real(let number)): return .date(number)
    case (.date, .integer(let number)): return Double(exactly: number).map { .date($0) }
    case (.decimal, .integer(let number)): return DecimalValue(String(number)).map { .decimal($0) }
    case (.decimal, .real(let number)): return DecimalValue("\(number)").map { .decimal($0) }
    case (.decimal, .text(let text)): return DecimalValue(text).map { .decimal($0) }
    case (.uuid, .blob(let bytes)): return UUIDValue(bytes: bytes).map { .uuid($0) }
    case (.uuid, .text(let text)): return UUIDValue(text).map { .uuid($0) }
    case (_, .integer(let number)):
      return scalar.integerRange?.contains(number) == true ? .int(number) : nil
    default: return nil
    }
  }

  /// The nearest one where a store has something else.
  private static func near(_ value: SQLiteValue, _ scalar: ScalarType) -> (Value, String)? {
    switch (scalar, value) {
    case (.bool, .integer): return (.bool(true), "a truth value that is neither 0 nor 1")
    case (.float, .real(let number)):
      return (.float(Float(number)), "the number is kept to the nearest Float")
    case (.string, .integer(let number)): return (.string(String(number)), "the number is a text")
    case (.string, .real(let number)): return (.string("\(number)"), "the number is a text")
    case (.data, .text(let text)): return (.data(Array(text.utf8)), "the text is data")
    default: return nil
    }
  }
}
