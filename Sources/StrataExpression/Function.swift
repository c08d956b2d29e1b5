/// The functions of the expression language. Each gives nil where an argument that it needs is nil.
package enum Function: String, CaseIterable, Hashable, Sendable {
  // Conversions; nil where the value has no counterpart.
  case int
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
