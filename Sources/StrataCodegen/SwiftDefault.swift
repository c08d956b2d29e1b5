import StrataSchema

/// Declared defaults as Swift source.
struct SwiftDefault {
  let names: SwiftTypeNames
  let schema: Schema

  /// An expression of the type's Swift counterpart that gives exactly this value; nil where the value does not fit.
  func literal(_ value: Value, of type: ValueType) -> SwiftExpression? {
    let base = type.base
    if case .enumeration(let name) = base {
      let match = schema.enumeration(named: name)?.cases.first { $0.rawValue == value }
      return match.map { enumCase(named: $0.name, isOptional: type.isOptional) }
    }
    guard base.scalar == .any else { return plain(value) }
    if value.isNull { return .verbatim(".null") }
    return plain(value).map { literal in
      // A bare number's type is the reader's guess: `AnyValue` is told it.
      let typed: SwiftExpression =
        switch value {
        case .int: .call(names.scalar(.int), [("", literal)])
        case .float: number(literal, of: .float)
        case .double: number(literal, of: .double)
        default: literal
        }
      return .call(names.scalar(.any), [("", typed)])
    }
  }

  /// A number with its type: what several types have a member for, as `.infinity`, is that type's own.
  private func number(_ literal: SwiftExpression, of scalar: ScalarType) -> SwiftExpression {
    let type = names.scalar(scalar)
    guard case .verbatim(let text) = literal else { return literal }
    if text.hasPrefix(".") { return .verbatim(type + text) }
    if text.hasPrefix("-.") { return .verbatim("-" + type + text.dropFirst()) }
    return .call(type, [("", literal)])
  }

  private func enumCase(named name: String, isOptional: Bool) -> SwiftExpression {
    let bare = "." + SwiftIdentifier.member(name)
    // A bare `.none` would be that of the optional.
    return .verbatim(isOptional && ["none", "some"].contains(name) ? ".some(\(bare))" : bare)
  }

  private func plain(_ value: Value) -> SwiftExpression? {
    switch value {
    case .null: .verbatim("nil")
    case .bool(let value): .verbatim(value ? "true" : "false")
    case .int(let value): .verbatim(SwiftLiteral.integer(value))
    case .float(let value):
      .verbatim(
        SwiftLiteral.floatingPoint(
          value, type: names.scalar(.float),
          bitPattern: SwiftLiteral.hexadecimal(UInt64(value.bitPattern), digits: 8)))
    case .double(let value): .verbatim(double(value))
    case .string(let value): .verbatim(SwiftLiteral.string(value))
    case .date(let value):
      .call(
        names.scalar(.date), [("timeIntervalSinceReferenceDate", .verbatim(double(value)))])
    case .data(let value): generated("data", Hex.encode(value))
    case .uuid(let value): generated("uuid", value.description)
    case .decimal(let value): generated("decimal", value.text)
    case .objectID(let value): generated("objectID", value.description)
    case .link, .object: nil
    }
  }

  /// A value that Swift has no literal for, from its text.
  private func generated(_ name: String, _ text: String) -> SwiftExpression {
    .call(
      "\(names.strata("_GeneratedValue")).\(name)", [("", .verbatim(SwiftLiteral.string(text)))])
  }

  private func double(_ value: Double) -> String {
    SwiftLiteral.floatingPoint(
      value, type: names.scalar(.double),
      bitPattern: SwiftLiteral.hexadecimal(value.bitPattern, digits: 16))
  }

  /// What a variable of the type starts with when neither a default nor nil is declared.
  func zero(of base: BaseType, _ scalar: ScalarType) -> SwiftExpression {
    if case .enumeration(let name) = base,
      let first = schema.enumeration(named: name)?.cases.first
    {
      return enumCase(named: first.name, isOptional: false)
    }
    return switch scalar {
    case .bool: .verbatim("false")
    case .int, .int8, .int16, .int32, .int64, .float, .double, .decimal: .verbatim("0")
    case .string: .verbatim("\"\"")
    case .date: .verbatim("\(names.scalar(.date))(timeIntervalSinceReferenceDate: 0)")
    case .data, .uuid, .objectID: .call(names.scalar(scalar), [])
    case .any: .verbatim(".null")
    }
  }
}
