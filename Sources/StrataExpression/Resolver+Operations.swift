import StrataSchema

// Arithmetic and functions.

extension Resolver {
  mutating func resolveNegation(_ operand: Expression, _ range: Range<Int>) -> Resolved {
    let resolved = resolveOne(operand)
    if isOpen(resolved) { return resolved }
    guard let scalar = scalar(resolved.type.base), let kind = numberKind(scalar) else {
      report(
        .operandType, "'-' stands before a number, not before \(resolved.type.spelling)", range)
      return .failed
    }
    return Resolved(
      .negate(resolved.node, kind, range: range),
      .scalar(scalar.isInteger ? .int : scalar, isOptional: resolved.type.isOptional))
  }

  private func isOpen(_ resolved: Resolved) -> Bool {
    resolved.type.isUnknown || resolved.type.base == .null
  }

  private func numberKind(_ type: ScalarType) -> NumberKind? {
    switch type {
    case .int, .int8, .int16, .int32, .int64: .int
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    default: nil
    }
  }

  /// A chain of operators, from left to right, without a frame for each.
  mutating func resolveArithmetic(_ expression: Expression) -> Resolved {
    var operations: [(BinaryOperator, Expression, Range<Int>)] = []
    var rest = expression
    while case .binary(let kind, let left, let right) = rest.kind, kind.isArithmetic {
      operations.append((kind, right, rest.range))
      rest = left
    }
    var result = resolveOne(rest)
    for (kind, operand, range) in operations.reversed() {
      result = resolveArithmetic(kind, result, resolveOne(operand), range)
    }
    return result
  }

  private mutating func resolveArithmetic(
    _ kind: BinaryOperator, _ left: Resolved, _ right: Resolved, _ range: Range<Int>
  ) -> Resolved {
    let isOptional = left.type.isOptional || right.type.isOptional
    if left.type.isUnknown || right.type.isUnknown { return .failed }
    if isOpen(left) || isOpen(right) {
      return Resolved(.constant(.null), ExpressionType(.null, isOptional: true))
    }
    let (a, b) = (scalar(left.type.base), scalar(right.type.base))
    func operation(_ number: NumberKind, _ type: ScalarType) -> Resolved {
      Resolved(
        .arithmetic(kind, number, left.node, right.node, range: range),
        .scalar(type, isOptional: isOptional))
    }
    switch (a, b) {
    case (.string, .string) where kind == .add:
      var parts: [ResolvedNode] = []
      if case .concatenation(let earlier) = left.node {
        parts = earlier
      } else {
        parts = [left.node]
      }
      return Resolved(
        .concatenation(parts + [right.node]), .scalar(.string, isOptional: isOptional))
    case (.date, .date) where kind == .subtract: return operation(.dates, .double)
    case (.date, let number?) where number.isNumeric && number != .decimal && kind.isSum:
      return operation(.dateAndSeconds, .date)
    case (let number?, .date) where number.isNumeric && number != .decimal && kind == .add:
      return Resolved(
        .arithmetic(.add, .dateAndSeconds, right.node, left.node, range: range),
        .scalar(.date, isOptional: isOptional))
    case (let a?, let b?) where a.isNumeric && b.isNumeric:
      if a.isInteger && b.isInteger { return operation(.int, .int) }
      if kind == .remainder { break }
      if a == .decimal || b == .decimal {
        guard let left = asDecimal(left), let right = asDecimal(right) else {
          report(
            .operandType,
            "'\(kind.rawValue)' between \(left.type.spelling) and \(right.type.spelling)", range,
            help: "a double is no exact decimal number: write decimal(…)")
          return .failed
        }
        return Resolved(
          .arithmetic(kind, .decimal, left.node, right.node, range: range),
          .scalar(.decimal, isOptional: isOptional))
      }
      return a == .float && b == .float ? operation(.float, .float) : operation(.double, .double)
    default: break
    }
    report(
      .operandType,
      "'\(kind.rawValue)' between \(left.type.spelling) and \(right.type.spelling)", range,
      help: a == .string || b == .string ? "write string(…) to make text of the other side" : nil)
    return .failed
  }

  private func asDecimal(_ resolved: Resolved) -> Resolved? {
    guard let type = scalar(resolved.type.base) else { return nil }
    if type == .decimal { return resolved }
    if let constant = resolved.constant, let value = Conversion.decimal(constant) {
      return Resolved(.constant(.decimal(value)), .scalar(.decimal))
    }
    guard type.isInteger else { return nil }
    return Resolved(.conversion(resolved.node, .decimal), resolved.type)
  }

  // MARK: Functions

  mutating func resolveCall(
    _ function: Function, _ arguments: [Expression], _ range: Range<Int>
  ) -> Resolved {
    if function.conversionTarget != nil, arguments.count == 1 {
      let operand = resolve(arguments[0])
      if operand.type.isCollection {
        return mapElements(of: operand) { $0.resolveCall(function, arguments, [$1], range) }
      }
      return resolveCall(function, arguments, [operand], range)
    }
    var resolved: [Resolved] = []
    for argument in arguments { resolved.append(resolveOne(argument)) }
    return resolveCall(function, arguments, resolved, range)
  }

  private mutating func resolveCall(
    _ function: Function, _ arguments: [Expression], _ resolved: [Resolved], _ range: Range<Int>
  ) -> Resolved {
    guard function.arity.contains(resolved.count) else {
      report(
        .wrongArgumentCount, "\(function.rawValue) found \(resolved.count) arguments", range)
      return .failed
    }
    let isOptional = resolved.contains { $0.type.isOptional }
    func call(_ type: ScalarType, isOptional: Bool) -> Resolved {
      Resolved(
        .call(function, resolved.map(\.node), range: range), .scalar(type, isOptional: isOptional))
    }
    func expect(_ index: Int, _ isFine: (ScalarType) -> Bool, _ wanted: String) -> Bool {
      let type = resolved[index].type
      if isOpen(resolved[index]) { return true }
      if let scalar = scalar(type.base), isFine(scalar) { return true }
      report(
        .functionArgument, "\(function.rawValue) takes \(wanted), not \(type.spelling)",
        arguments[index].range)
      return false
    }
    func isText(_ type: ScalarType) -> Bool { type == .string }
    func isNumber(_ type: ScalarType) -> Bool { type.isNumeric }
    func isWhole(_ type: ScalarType) -> Bool { type.isInteger }

    if let target = function.conversionTarget {
      guard let type = scalar(resolved[0].type.base) else {
        if isOpen(resolved[0]) { return call(target, isOptional: true) }
        report(
          .functionArgument, "\(function.rawValue) takes a value, not \(resolved[0].type.spelling)",
          arguments[0].range)
        return .failed
      }
      let conversion = TypePair(type, target).function
      guard conversion != .none else {
        report(
          .functionArgument, "\(type.rawValue) has no conversion to \(target.rawValue)", range)
        return .failed
      }
      return call(target, isOptional: isOptional || conversion == .partial)
    }
    switch function {
    case .length:
      return expect(0, isText, "a string") ? call(.int, isOptional: isOptional) : .failed
    case .lower, .upper, .trim:
      return expect(0, isText, "a string") ? call(.string, isOptional: isOptional) : .failed
    case .replace:
      let isFine = (0..<3).allSatisfy { expect($0, isText, "strings") }
      return isFine ? call(.string, isOptional: isOptional) : .failed
    case .before, .after:
      let isFine = (0..<2).allSatisfy { expect($0, isText, "strings") }
      return isFine ? call(.string, isOptional: isOptional || function == .after) : .failed
    case .substring:
      let isFine =
        expect(0, isText, "a string")
        && (1..<resolved.count).allSatisfy { expect($0, isWhole, "an int") }
      return isFine ? call(.string, isOptional: isOptional) : .failed
    case .abs, .round, .floor, .ceil:
      guard expect(0, isNumber, "a number") else { return .failed }
      let type = scalar(resolved[0].type.base) ?? .int
      return call(type.isInteger ? .int : type, isOptional: isOptional)
    default: return resolveExtreme(function, resolved, arguments, range)
    }
  }

  /// `min` and `max` of their arguments.
  private mutating func resolveExtreme(
    _ function: Function, _ resolved: [Resolved], _ arguments: [Expression], _ range: Range<Int>
  ) -> Resolved {
    var type = resolved[0].type
    for (argument, other) in zip(arguments, resolved).dropFirst() {
      guard let joined = join(type, other.type) else {
        report(
          .mixedTypes, "\(function.rawValue) of \(type.spelling) and \(other.type.spelling)",
          argument.range)
        return .failed
      }
      type = joined
    }
    if type.isUnknown || type.base == .null { return .failed }
    guard let scalar = scalar(type.base), scalar.isNumeric || scalar == .date || scalar == .string
    else {
      report(
        .functionArgument,
        "\(function.rawValue) compares numbers, dates and strings, not \(type.spelling)", range)
      return .failed
    }
    var nodes = resolved.map(\.node)
    if scalar == .double || scalar == .decimal {
      nodes = nodes.map { .conversion($0, scalar) }
    }
    return Resolved(
      .call(function, nodes, range: range),
      .scalar(scalar, isOptional: resolved.contains { $0.type.isOptional }))
  }
}

extension BinaryOperator {
  fileprivate var isArithmetic: Bool {
    switch self {
    case .add, .subtract, .multiply, .divide, .remainder: true
    case .coalesce, .and, .or: false
    }
  }

  fileprivate var isSum: Bool { self == .add || self == .subtract }
}
