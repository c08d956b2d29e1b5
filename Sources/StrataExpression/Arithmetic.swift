package import StrataSchema

/// Numbers of expressions: nil where an operand is nil, an error where there is no right number.
package enum Arithmetic {
  package static func negate(
    _ value: Value, _ kind: NumberKind, _ range: Range<Int>
  ) throws(EvaluationError) -> Value {
    switch value {
    case .null: return .null
    case .int(let number):
      guard number != .min else {
        throw EvaluationError(
          .integerOverflow, "-(\(number)) does not fit into an int", range: range)
      }
      return .int(-number)
    case .float(let number): return .float(-number)
    case .double(let number): return .double(-number)
    case .decimal(let number): return .decimal(number.negated)
    default: throw unexpected(value, range)
    }
  }

  package static func evaluate(
    _ operation: BinaryOperator, _ kind: NumberKind, _ left: Value, _ right: Value,
    _ range: Range<Int>
  ) throws(EvaluationError) -> Value {
    if left.isNull || right.isNull { return .null }
    switch kind {
    case .int:
      guard case .int(let a) = left, case .int(let b) = right else { throw unexpected(left, range) }
      return .int(try whole(operation, a, b, range))
    case .float:
      guard case .float(let a) = left, case .float(let b) = right else {
        throw unexpected(left, range)
      }
      return .float(try fraction(operation, a, b, range))
    case .double, .other:
      guard let a = Conversion.double(left), let b = Conversion.double(right) else {
        throw unexpected(left, range)
      }
      return .double(try fraction(operation, a, b, range))
    case .decimal:
      guard let a = Conversion.decimal(left), let b = Conversion.decimal(right) else {
        throw unexpected(left, range)
      }
      return .decimal(try decimal(operation, a, b, range))
    case .dateAndSeconds:
      guard case .date(let date) = left, let seconds = Conversion.double(right) else {
        throw unexpected(left, range)
      }
      return .date((operation == .subtract ? date - seconds : date + seconds).withPlainNaN)
    case .dates:
      guard case .date(let a) = left, case .date(let b) = right else {
        throw unexpected(left, range)
      }
      return .double((a - b).withPlainNaN)
    }
  }

  private static func unexpected(_ value: Value, _ range: Range<Int>) -> EvaluationError {
    EvaluationError(
      .unexpectedValue, "the stored value \(LiteralSpelling.text(of: value)) is not of its type",
      range: range)
  }

  private static func divisionByZero(_ a: some Any, _ range: Range<Int>) -> EvaluationError {
    EvaluationError(.divisionByZero, "\(a) is divided by zero", range: range)
  }

  private static func whole(
    _ operation: BinaryOperator, _ a: Int64, _ b: Int64, _ range: Range<Int>
  ) throws(EvaluationError) -> Int64 {
    let result: (partialValue: Int64, overflow: Bool)
    switch operation {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    default:
      if b == 0 { throw divisionByZero(a, range) }
      if operation == .remainder { return b == -1 ? 0 : a % b }
      result = a.dividedReportingOverflow(by: b)
    }
    guard !result.overflow else {
      throw EvaluationError(
        .integerOverflow, "\(a) \(operation.rawValue) \(b) does not fit into an int", range: range)
    }
    return result.partialValue
  }

  private static func fraction<T: BinaryFloatingPoint>(
    _ operation: BinaryOperator, _ a: T, _ b: T, _ range: Range<Int>
  ) throws(EvaluationError) -> T {
    switch operation {
    case .add: return (a + b).withPlainNaN
    case .subtract: return (a - b).withPlainNaN
    case .multiply: return (a * b).withPlainNaN
    default:
      if b == 0 { throw divisionByZero(a, range) }
      return (a / b).withPlainNaN
    }
  }

  private static func decimal(
    _ operation: BinaryOperator, _ a: DecimalValue, _ b: DecimalValue, _ range: Range<Int>
  ) throws(EvaluationError) -> DecimalValue {
    let result: DecimalValue?
    switch operation {
    case .add: result = a.adding(b)
    case .subtract: result = a.subtracting(b)
    case .multiply: result = a.multiplied(by: b)
    default:
      if b.text == "0", !a.isNaN { throw divisionByZero(a, range) }
      result = a.divided(by: b)
    }
    guard let result else {
      throw EvaluationError(
        .decimalOverflow,
        "\(a) \(operation.rawValue) \(b) has more than \(DecimalValue.maximumDigits) digits",
        range: range)
    }
    return result
  }

  // MARK: Aggregates

  /// nil is counted and otherwise left out. The sum of nothing is 0, everything else of nothing is nil.
  package static func aggregate(
    _ aggregate: Aggregate, _ values: [Value], _ kind: NumberKind, _ range: Range<Int>
  ) throws(EvaluationError) -> Value {
    if aggregate == .count { return .int(Int64(values.count)) }
    let present = values.filter { !$0.isNull }
    switch aggregate {
    case .count: return .int(Int64(values.count))
    case .minimum, .maximum:
      let wanted: Comparison = aggregate == .minimum ? .before : .after
      guard var best = present.first else { return .null }
      for value in present.dropFirst() where Comparison.of(value, best) == wanted { best = value }
      return best
    case .sum, .average:
      let isAverage = aggregate == .average
      if isAverage, present.isEmpty { return .null }
      switch kind {
      case .int:
        // It may be greater on the way than any number can be.
        var sum: Int128 = 0
        for case .int(let number) in present { sum += Int128(number) }
        if isAverage { return .double(Double(sum) / Double(present.count)) }
        guard let number = Int64(exactly: sum) else {
          throw EvaluationError(.integerOverflow, "the sum does not fit into an int", range: range)
        }
        return .int(number)
      case .decimal:
        var sum = DecimalValue.zero
        for case .decimal(let number) in present { sum = try decimal(.add, sum, number, range) }
        guard isAverage else { return .decimal(sum) }
        let count = DecimalValue(whole: Int64(present.count))
        return .decimal(try decimal(.divide, sum, count, range))
      default:
        var sum = 0.0
        for value in present { sum += Conversion.double(value) ?? .nan }
        return .double((isAverage ? sum / Double(present.count) : sum).withPlainNaN)
      }
    }
  }
}

extension BinaryFloatingPoint {
  /// The number, with the one NaN for each other one: the result of arithmetic.
  ///
  /// IEEE 754 leaves open which sign a NaN has that arithmetic makes, and which of two NaNs it goes on with. x86-64 and arm64
  /// differ there, and stored NaNs keep their bits.
  package var withPlainNaN: Self { isNaN ? .nan : self }
}

/// The functions of the expression language.
package enum Call {
  package static func evaluate(
    _ function: Function, _ arguments: [Value], _ range: Range<Int>
  ) throws(EvaluationError) -> Value {
    if arguments.contains(where: \.isNull) { return .null }
    if let target = function.conversionTarget {
      return Conversion.convert(arguments[0], to: target)
    }
    switch function {
    case .abs:
      if case .int(.min) = arguments[0] {
        throw EvaluationError(
          .integerOverflow, "abs(\(Int64.min)) does not fit into an int", range: range)
      }
      return absolute(arguments[0])
    case .round: return rounded(arguments[0], .toNearestOrAwayFromZero)
    case .floor: return rounded(arguments[0], .down)
    case .ceil: return rounded(arguments[0], .up)
    case .min, .max:
      let wanted: Comparison = function == .min ? .before : .after
      return arguments.dropFirst().reduce(arguments[0]) {
        Comparison.of($1, $0) == wanted ? $1 : $0
      }
    default: return text(function, arguments)
    }
  }

  private static func absolute(_ value: Value) -> Value {
    switch value {
    case .int(let number): .int(Swift.abs(number))
    case .float(let number): .float(Swift.abs(number))
    case .double(let number): .double(Swift.abs(number))
    case .decimal(let number): .decimal(number.text.hasPrefix("-") ? number.negated : number)
    default: .null
    }
  }

  private static func rounded(_ value: Value, _ rule: FloatingPointRoundingRule) -> Value {
    switch value {
    case .float(let number): .float(number.rounded(rule))
    case .double(let number): .double(number.rounded(rule))
    case .decimal(let number): .decimal(number.rounded(rule))
    default: value
    }
  }

  private static func text(_ function: Function, _ arguments: [Value]) -> Value {
    guard case .string(let text) = arguments[0] else { return .null }
    var texts: [String] = []
    for case .string(let argument) in arguments.dropFirst() { texts.append(argument) }
    var numbers: [Int64] = []
    for case .int(let argument) in arguments.dropFirst() { numbers.append(argument) }
    switch (function, texts.count, numbers.count) {
    case (.length, _, _): return .int(Int64(text.unicodeScalars.count))
    case (.lower, _, _): return .string(text.lowercased())
    case (.upper, _, _): return .string(text.uppercased())
    case (.trim, _, _): return .string(TextFunctions.trim(text))
    case (.replace, 2, _): return .string(TextFunctions.replace(text, texts[0], texts[1]))
    case (.substring, _, 1...2):
      return .string(
        TextFunctions.substring(text, numbers[0], numbers.count == 2 ? numbers[1] : nil))
    case (.before, 1, _): return .string(TextFunctions.before(text, texts[0]))
    case (.after, 1, _): return TextFunctions.after(text, texts[0]).map(Value.string) ?? .null
    default: return .null
    }
  }
}
