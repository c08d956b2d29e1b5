package import StrataSchema

/// The functions of the expression language. Each gives nil where an argument that it needs is nil.
package enum Function: String, CaseIterable, Hashable, Sendable {
  // Conversions; nil where the value has no counterpart.
  case int
  case int8
  case int16
  case int32
  case int64
  case float
  case double
  case decimal
  case string
  case bool
  case date
  case uuid
  case data
  case objectID = "objectId"

  // Text. Lengths and positions count Unicode scalars.
  case length
  case lower
  case upper
  case trim
  /// `replace(text, part, by)`.
  case replace
  /// `substring(text, from)` or `substring(text, from, length)`, counted from 0.
  case substring
  /// `before(text, separator)`: what stands before the first separator, or all of the text.
  case before
  /// `after(text, separator)`: what stands behind the first separator, or nil.
  case after

  // Numbers.
  case abs
  case round
  case floor
  case ceil
  case min
  case max
}

extension Function {
  /// How many arguments it takes.
  package var arity: ClosedRange<Int> {
    switch self {
    case .int, .int8, .int16, .int32, .int64, .float, .double, .decimal, .string, .bool, .date,
      .uuid, .data, .objectID, .length, .lower, .upper, .trim, .abs, .round, .floor, .ceil:
      1...1
    case .before, .after: 2...2
    case .substring: 2...3
    case .replace: 3...3
    case .min, .max: 2...Expression.maximumArguments
    }
  }

  /// The type that a conversion converts to; nil for other functions.
  package var conversionTarget: ScalarType? {
    switch self {
    case .int, .int8, .int16, .int32, .int64, .float, .double, .decimal, .string, .bool, .date,
      .uuid, .data, .objectID:
      ScalarType(rawValue: rawValue)
    default: nil
    }
  }
}
