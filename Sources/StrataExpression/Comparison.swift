package import StrataSchema

/// How values compare in expressions and in what order they are sorted.
///
/// nil stands before everything, NaN before all numbers and equal to itself, −0.0 equals 0.0, whole
/// numbers and fractions compare by their exact value, strings and data by their bytes.
package enum Comparison: Hashable, Sendable {
  case before
  case same
  case after
}

extension Comparison {
  /// Of two values that have an order; nil where they have none, as a string and a number.
  package static func of(_ left: Value, _ right: Value) -> Comparison? {
    switch (left, right) {
    case (.int(let a), .int(let b)): return order(a, b)
    case (.string(let a), .string(let b)): return bytes(a, b)
    case (.double(let a), .double(let b)): return number(a, b)
    case (.null, .null): return .same
    case (.null, _): return .before
    case (_, .null): return .after
    case (.bool(let a), .bool(let b)): return a == b ? .same : a ? .after : .before
    case (.float(let a), .float(let b)): return number(Double(a), Double(b))
    case (.float(let a), .double(let b)): return number(Double(a), b)
    case (.double(let a), .float(let b)): return number(a, Double(b))
    case (.int(let a), .double(let b)): return whole(a, b)
    case (.double(let a), .int(let b)): return whole(b, a).reversed
    case (.int(let a), .float(let b)): return whole(a, Double(b))
    case (.float(let a), .int(let b)): return whole(b, Double(a)).reversed
    case (.decimal(let a), .decimal(let b)): return order(a, b)
    case (.decimal(let a), .int(let b)): return DecimalValue("\(b)").map { order(a, $0) }
    case (.int(let a), .decimal(let b)): return DecimalValue("\(a)").map { order($0, b) }
    case (.decimal(let a), .double(let b)): return decimal(a, b)
    case (.double(let a), .decimal(let b)): return decimal(b, a)?.reversed
    case (.decimal(let a), .float(let b)): return decimal(a, Double(b))
    case (.float(let a), .decimal(let b)): return decimal(b, Double(a))?.reversed
    case (.date(let a), .date(let b)): return number(a, b)
    case (.data(let a), .data(let b)): return bytes(a, b)
    case (.uuid(let a), .uuid(let b)): return order(a, b)
    case (.objectID(let a), .objectID(let b)): return order(a, b)
    case (.link(let a), .link(let b)): return order(a, b)
    case (.object(_, let a), .object(_, let b)): return order(a, b)
    case (.object(_, let a), .link(let b)), (.link(let a), .object(_, let b)): return order(a, b)
    default: return nil
    }
  }

  package var reversed: Comparison {
    switch self {
    case .before: .after
    case .same: .same
    case .after: .before
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> Comparison {
    a == b ? .same : a < b ? .before : .after
  }

  private static func number(_ a: Double, _ b: Double) -> Comparison {
    if a == b { return .same }
    if a < b { return .before }
    if a > b { return .after }
    return a.isNaN ? (b.isNaN ? .same : .before) : .after
  }

  /// Without rounding either side: 2^53 + 1 is not 2^53.
  private static func whole(_ a: Int64, _ b: Double) -> Comparison {
    if b.isNaN { return .after }
    if b >= 0x1p63 { return .before }
    if b < -0x1p63 { return .after }
    let truncated = Int64(b)
    if a != truncated { return a < truncated ? .before : .after }
    let fraction = b - b.rounded(.towardZero)
    return fraction == 0 ? .same : fraction > 0 ? .before : .after
  }

  /// A double stands for the shortest decimal number that reads back to it, as it is spelled.
  private static func decimal(_ a: DecimalValue, _ b: Double) -> Comparison? {
    if b.isNaN { return a.text == "NaN" ? .same : .after }
    if a.text == "NaN" { return .before }
    guard b.isFinite, let value = DecimalValue("\(b)") else {
      if b > 1 { return .before }
      if b < -1 { return .after }
      return small(a, b)
    }
    return order(a, value)
  }

  /// A decimal with a double that is so near to zero that its spelling has more digits than a decimal may have.
  private static func small(_ a: DecimalValue, _ b: Double) -> Comparison {
    if a == .zero { return b > 0 ? .before : .after }
    let isNegative = a.text.hasPrefix("-")
    if isNegative != (b < 0) { return isNegative ? .before : .after }
    let digits = isNegative ? a.text.dropFirst() : Substring(a.text)
    let magnitude: Comparison =
      digits.hasPrefix("0.")
      ? bytes(Array(digits.dropFirst(2).utf8), fraction(of: b.magnitude)) : .after
    return isNegative ? magnitude.reversed : magnitude
  }

  /// The digits behind the point of a number below 0.0001, which Swift spells with an exponent: `1.5e-05`.
  private static func fraction(of number: Double) -> [UInt8] {
    let parts = "\(number)".utf8.split(separator: UInt8(ascii: "e"))
    let exponent = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? 0 : 0
    var digits = parts[0].filter { $0 != UInt8(ascii: ".") }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return Array(repeating: UInt8(ascii: "0"), count: max(0, -exponent - 1)) + digits
  }

  static func bytes(_ a: String, _ b: String) -> Comparison {
    // Both are native UTF-8 but for strings that came over a bridge.
    let fast = a.utf8.withContiguousStorageIfAvailable { a in
      b.utf8.withContiguousStorageIfAvailable { b in bytes(a, b) }
    }
    if let result = fast ?? nil { return result }
    return bytes(Array(a.utf8), Array(b.utf8))
  }

  private static func bytes(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Comparison {
    var (left, right) = (a.makeIterator(), b.makeIterator())
    while true {
      switch (left.next(), right.next()) {
      case (let a?, let b?): if a != b { return a < b ? .before : .after }
      case (nil, nil): return .same
      case (nil, _): return .before
      case (_, nil): return .after
      }
    }
  }
}

extension ComparisonOperator {
  /// Whether the comparison holds: with nil `==` and `!=` compare, and order is false. Values that have no
  /// order differ.
  package func holds(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .equal: return Comparison.of(left, right) == .same
    case .notEqual: return Comparison.of(left, right) != .same
    default: break
    }
    guard !left.isNull, !right.isNull, let comparison = Comparison.of(left, right) else {
      return false
    }
    switch self {
    case .less: return comparison == .before
    case .lessOrEqual: return comparison != .after
    case .greater: return comparison == .after
    case .greaterOrEqual: return comparison != .before
    default: return false
    }
  }

  /// Whether the operator is about parts of text.
  package var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like, .search: true
    default: false
    }
  }

  var isOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }
}
