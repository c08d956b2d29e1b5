import StrataSchema

// What to write where values of two types are compared.

extension Resolver {
  func help(comparing left: Resolved, _ right: Resolved) -> String? {
    for (side, literal) in [(left, right), (right, left)] {
      guard let constant = literal.constant, let type = scalar(side.type.base) else { continue }
      if case .string(let text) = constant, type != .string {
        if case .enumeration(let name) = side.type.base, let known = enumeration(named: name) {
          return help(known, named: text)
        }
        if let help = help(type, of: constant) { return help }
      }
      if type == .string { return "write '\(Conversion.string(constant) ?? "")' in quotes" }
    }
    if scalar(left.type.base) == nil || scalar(right.type.base) == nil {
      return "compare an object with an object, or one of its properties with a value"
    }
    return "convert one side: int(…), string(…), date(…)"
  }

  private func help(_ enumeration: EnumType, named text: String) -> String {
    if let meant = enumeration.cases.first(where: { $0.name == text }) {
      return "write \(LiteralSpelling.text(of: meant.rawValue)), the raw value of '\(text)'"
    }
    return "compare it with a raw value: it has \(enumeration.knownValues)"
  }

  /// A conversion is proposed only where it gives a value: with nil the condition would never hold.
  private func help(_ type: ScalarType, of constant: Value) -> String? {
    guard let function = Function(rawValue: type.rawValue), function.conversionTarget != nil
    else { return nil }
    if !Conversion.convert(constant, to: type).isNull {
      return "write \(type.rawValue)(\(LiteralSpelling.text(of: constant)))"
    }
    switch type {
    case .bool: return "compare it with true or false"
    case .date: return "compare it with a date: date('2026-11-21T10:00:00Z')"
    case .uuid: return "compare it with a UUID: uuid('00000000-0000-0000-0000-000000000001')"
    case .objectID: return "compare it with an objectId: objectId('000000000000000000000001')"
    default: return type.isNumeric ? "compare it with a number" : nil
    }
  }
}

extension EnumType {
  /// The raw values, as they are written in an expression.
  var knownValues: String {
    cases.prefix(20).map { LiteralSpelling.text(of: $0.rawValue) }.joined(separator: ", ")
  }
}
