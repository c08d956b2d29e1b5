import StrataSchema

/// How values stand in an expression's text.
///
/// Types without a spelling of their own stand as a conversion of a string that is evaluated by the
/// parser: `date('2026-11-21T10:00:00Z')`, `uuid('…')`, `decimal('1.5')`, `float('0.5')`, `double('nan')`.
/// The same conversion with its argument in parentheses, `date(('…'))`, stays a call.
enum LiteralSpelling {
  static func text(of value: Value) -> String {
    switch value {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value):
      value.isFinite ? "\(value)" : "double('\(special(value) ?? "bits:" + hex(value.bitPattern))')"
    case .float(let value):
      "float('\(value.isFinite ? "\(value)" : special(value) ?? "bits:" + hex(value.bitPattern))')"
    case .string(let text): quoted(text)
    case .data(let bytes): "x'\(Hex.encode(bytes))'"
    case .date(let seconds): date(seconds)
    case .uuid(let value): "uuid('\(value)')"
    case .decimal(let value): "decimal('\(value)')"
    case .objectID(let value): "objectId('\(value)')"
    case .link(let identity): "link(\(identity))"
    case .object(let model, let identity): "object(\(quoted(model)), \(identity))"
    }
  }

  private static func special<T: BinaryFloatingPoint>(_ value: T) -> String? {
    if value.isInfinite { return value > 0 ? "inf" : "-inf" }
    // The one NaN that arithmetic gives; others carry bits of their own.
    return value.sign == .plus && value.significandBitPattern == T.nan.significandBitPattern
      ? "nan" : nil
  }

  private static func hex(_ bits: some FixedWidthInteger) -> String { String(bits, radix: 16) }

  private static func date(_ seconds: Double) -> String {
    let text = DateText.text(of: seconds)
    if let text, DateText.parse(text)?.bitPattern == seconds.bitPattern {
      return "date('\(text)')"
    }
    return "date(\(self.text(of: .double(seconds))))"
  }

  static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": result += "\\'"
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
          || (0x2028...0x2029).contains(scalar.value)
        {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "'"
  }

  // MARK: Reading

  /// Whether the parser would evaluate this call, so that the tree's text has to hinder it.
  static func isLiteralCall(_ function: Function, _ arguments: [Expression]) -> Bool {
    guard arguments.count == 1, case .literal(let value) = arguments[0].kind else { return false }
    switch (function, value) {
    case (.float, .string), (.double, .string), (.decimal, .string), (.date, .string),
      (.uuid, .string), (.objectID, .string), (.date, .int), (.date, .double):
      return true
    default: return false
    }
  }

  /// The value that a call spells, nil where it is an ordinary call.
  static func value(
    of name: String, _ arguments: [Expression], range: Range<Int>
  ) throws(ExpressionError) -> Value? {
    if name == "link" || name == "object" {
      return try identity(name, arguments, range: range)
    }
    guard let function = Function(rawValue: name), isLiteralCall(function, arguments),
      case .literal(let argument) = arguments[0].kind
    else { return nil }
    let value: Value?
    switch (function, argument) {
    case (.date, .int(let seconds)): value = .date(Double(seconds))
    case (.date, .double(let seconds)): value = .date(seconds)
    case (_, .string(let text)): value = self.value(of: function, text)
    default: value = nil
    }
    guard let value else {
      throw ExpressionError(
        .invalidLiteral, "\(text(of: argument)) is no \(name)", range: arguments[0].range,
        help: example(of: function))
    }
    return value
  }

  private static func value(of function: Function, _ text: String) -> Value? {
    let bits = text.hasPrefix("bits:") ? text.dropFirst(5) : nil
    switch function {
    // Where a number is read to, nothing behind it would be looked at.
    case .float where text.utf8.contains(0), .double where text.utf8.contains(0): return nil
    case .float:
      if let bits { return UInt32(bits, radix: 16).map { .float(Float(bitPattern: $0)) } }
      return Float(text).map { .float($0) }
    case .double:
      if let bits { return UInt64(bits, radix: 16).map { .double(Double(bitPattern: $0)) } }
      return Double(text).map { .double($0) }
    case .decimal: return DecimalValue(text).map { .decimal($0) }
    case .date: return DateText.parse(text).map { .date($0) }
    case .uuid: return UUIDValue(text).map { .uuid($0) }
    case .objectID: return ObjectIDValue(text).map { .objectID($0) }
    default: return nil
    }
  }

  private static func example(of function: Function) -> String? {
    switch function {
    case .date: "write date('2026-11-21') or date('2026-11-21T10:00:00Z')"
    case .uuid: "write uuid('6BA7B810-9DAD-11D1-80B4-00C04FD430C8')"
    case .objectID: "24 hexadecimal digits are expected"
    case .decimal: "write decimal('1.5')"
    default: nil
    }
  }

  private static func identity(
    _ name: String, _ arguments: [Expression], range: Range<Int>
  ) throws(ExpressionError) -> Value {
    if name == "link", arguments.count == 1, case .literal(.int(let identity)) = arguments[0].kind {
      return .link(identity)
    }
    if name == "object", arguments.count == 2,
      case .literal(.string(let model)) = arguments[0].kind,
      case .literal(.int(let identity)) = arguments[1].kind
    {
      return .object(model: model, identity: identity)
    }
    throw ExpressionError(
      .invalidLiteral, "an object is written link(identity) or object('Model', identity)",
      range: range)
  }
}

extension Value {
  /// The value as expressions spell it.
  package var expressionText: String { LiteralSpelling.text(of: self) }
}
