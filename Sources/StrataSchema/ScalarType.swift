/// The scalar types of the schema language, spelled as people write them in YAML.
package enum ScalarType: String, CaseIterable, Hashable, Sendable {
  case bool
  case int
  case int8
  case int16
  case int32
  case int64
  case float
  case double
  case string
  case data
  case date
  case uuid
  case decimal
  case objectID = "objectId"
  case any

  /// The closed range of values that an integer type takes, or nil for a type that is no integer.
  package var integerRange: ClosedRange<Int64>? {
    switch self {
    case .int8: Int64(Int8.min)...Int64(Int8.max)
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    case .int, .int64: Int64.min...Int64.max
    default: nil
    }
  }

  /// Whether values of the type are whole numbers.
  package var isInteger: Bool { integerRange != nil }

  /// Whether it is an integer type that takes the number.
  package func takes(_ number: Int64) -> Bool {
    switch self {
    case .int, .int64: true
    case .int8: Int8(exactly: number) != nil
    case .int16: Int16(exactly: number) != nil
    case .int32: Int32(exactly: number) != nil
    default: false
    }
  }

  /// Whether values of the type can be added and multiplied.
  package var isNumeric: Bool { isInteger || self == .float || self == .double || self == .decimal }
}
