import StrataExpression
import StrataSQLite
import StrataSchema

extension QueryFunctions {
  /// SQLite's own aggregates know nothing of NaN, of decimals, nor of the order in which numbers are added.
  func addAggregates(to database: Database) throws {
    for aggregate in [Aggregate.minimum, .maximum, .sum, .average] {
      let kinds =
        aggregate == .sum ? Self.aggregatedKinds : Self.aggregatedKinds + Self.orderedKinds
      for kind in kinds {
        let codec = ColumnCodec(kind, isOptional: true)
        try database.addAggregate(
          Self.aggregateName(aggregate, kind), argumentCount: 1,
          initial: { RunningAggregate(aggregate, kind) },
          step: { state, call in try state.add(try codec.decode(call[0])) },
          result: { state, call in
            var call = call
            let result = try state.result()
            let codec = ColumnCodec(Self.resultKind(aggregate, kind), isOptional: true)
            try codec.encode(result, into: &call)
          })
      }
    }
  }

  private static let aggregatedKinds: [ColumnCodec.Kind] = [
    .integer(.int), .float, .double, .decimal, .date, .string,
  ]

  /// Those of which there is a smallest and a greatest value besides; a mean have those of them that are numbers.
  private static let orderedKinds: [ColumnCodec.Kind] = [.bool, .data, .uuid, .objectID, .any]

  /// Whether the database has all aggregates of such values.
  static func aggregates(_ kind: ColumnCodec.Kind) -> Bool {
    if case .integer = kind { return true }
    return aggregatedKinds.contains(kind)
  }

  static func aggregateName(_ aggregate: Aggregate, _ kind: ColumnCodec.Kind) -> String {
    let name =
      switch aggregate {
      case .count: "count"
      case .minimum: "min"
      case .maximum: "max"
      case .sum: "sum"
      case .average: "avg"
      }
    switch kind {
    case .integer: return "strata_\(name)_int"
    default: return "strata_\(name)_\(kind)"
    }
  }

  /// What an aggregate of such values gives.
  static func resultKind(_ aggregate: Aggregate, _ kind: ColumnCodec.Kind) -> ColumnCodec.Kind {
    switch (aggregate, kind) {
    case (.count, _): .integer(.int)
    case (.minimum, .integer), (.maximum, .integer), (.sum, .integer): .integer(.int)
    case (.minimum, _), (.maximum, _): kind
    case (.sum, .decimal), (.average, .decimal): .decimal
    default: .double
    }
  }
}

/// An aggregate on its way, without keeping the values.
struct RunningAggregate {
  private let aggregate: Aggregate
  private let kind: ColumnCodec.Kind
  private var best: Value?
  private var count = 0
  private var whole: Int128 = 0
  private var fraction = 0.0
  private var decimal = Value.decimal(DecimalValue.zero)

  init(_ aggregate: Aggregate, _ kind: ColumnCodec.Kind) {
    self.aggregate = aggregate
    self.kind = kind
  }

  mutating func add(_ value: Value) throws {
    if value.isNull { return }
    count += 1
    switch aggregate {
    case .count: break
    case .minimum, .maximum:
      let wanted: Comparison = aggregate == .minimum ? .before : .after
      guard let current = best else {
        best = value
        return
      }
      if order(value, current) == wanted { best = value }
    case .sum, .average:
      switch value {
      case .int(let number): whole += Int128(number)
      case .decimal:
        decimal = try Arithmetic.evaluate(.add, .decimal, decimal, value, 0..<0)
      case .float, .double: fraction += Conversion.double(value) ?? .nan
      case .date(let seconds) where kind == .date: fraction += seconds
      // What is no number has no part in a mean.
      default: count -= 1
      }
    }
  }

  /// Values of several types have the order in which they are sorted.
  private func order(_ left: Value, _ right: Value) -> Comparison? {
    if kind != .any { return Comparison.of(left, right) }
    guard let left = left.anySortKey, let right = right.anySortKey else { return nil }
    return Comparison.of(.data(left), .data(right))
  }

  func result() throws -> Value {
    switch (aggregate, kind) {
    case (.count, _): return .int(Int64(count))
    case (.minimum, _), (.maximum, _): return best ?? .null
    case (.sum, .integer):
      // Only the whole sum counts: what comes first is chance.
      guard let sum = Int64(exactly: whole) else {
        throw EvaluationError(.integerOverflow, "the sum does not fit into an int", range: 0..<0)
      }
      return .int(sum)
    case (.sum, .decimal): return decimal
    case (.sum, _): return .double(fraction.withPlainNaN)
    case (.average, _) where count == 0: return .null
    case (.average, .integer): return .double(Double(whole) / Double(count))
    case (.average, .decimal):
      let divisor = Value.decimal(DecimalValue(whole: Int64(count)))
      return try Arithmetic.evaluate(.divide, .decimal, decimal, divisor, 0..<0)
    case (.average, _):
      let numbers = Double(whole) + (Conversion.double(decimal) ?? .nan) + fraction
      return .double((numbers / Double(count)).withPlainNaN)
    }
  }
}
