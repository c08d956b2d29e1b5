import StrataExpression
import StrataSQLite
import StrataSchema

/// What SQL cannot do as the expression language means it, and so asks the language's own evaluation to do.
enum QueryOperation: Hashable {
  case compare(ComparisonOperator)
  case text(ComparisonOperator, TextOptions)
  case negate(NumberKind)
  case arithmetic(BinaryOperator, NumberKind)
  case call(Function)
  case convert(ScalarType)
  /// A link as `any` holds it, which has to say the model.
  case linkInAny(model: String)
  /// The object in a value of type `any` after models got other names, old name → new name.
  case renameModels([String: String])
  /// A blob in the order of decimal numbers.
  case decimalKey
  /// A blob in the order of values of type `any`.
  case anyKey

  func evaluate(_ values: [Value]) throws -> Value {
    switch self {
    case .compare(let comparison): return .bool(comparison.holds(values[0], values[1]))
    case .text(let comparison, let options):
      switch (values[0], values[1]) {
      case (.string(let text), .string(let part)):
        return .bool(TextFunctions.holds(comparison, text, part, options))
      case (.data(let data), .data(let part)):
        return .bool(TextFunctions.holds(comparison, data, part))
      default:
        return .bool(!comparison.isTextual && comparison.holds(values[0], values[1]))
      }
    case .negate(let kind): return try Arithmetic.negate(values[0], kind, 0..<0)
    case .arithmetic(let operation, let kind):
      return try Arithmetic.evaluate(operation, kind, values[0], values[1], 0..<0)
    case .call(let function): return try Call.evaluate(function, values, 0..<0)
    case .convert(let type): return Conversion.convert(values[0], to: type)
    case .linkInAny(let model):
      guard case .link(let identity) = values[0] else { return .null }
      return .object(model: model, identity: identity)
    case .renameModels(let names): return values[0].renamingModels(names)
    case .decimalKey:
      guard case .decimal(let number) = values[0] else { return .null }
      return .data(number.sortKey)
    case .anyKey: return values[0].anySortKey.map { .data($0) } ?? .null
    }
  }
}

extension DecimalValue {
  /// Bytes whose order is that of the numbers: the sign, then the number of digits before the point, then the digits;
  /// of a negative number the complement. NaN comes first.
  var sortKey: [UInt8] {
    if text == "NaN" { return [0] }
    let isNegative = text.hasPrefix("-")
    let parts = (isNegative ? text.dropFirst() : Substring(text)).split(separator: ".")
    let whole = parts[0] == "0" ? "" : parts[0]
    var key = [UInt8(truncatingIfNeeded: whole.utf8.count)]
    key += whole.utf8
    if parts.count == 2 { key += parts[1].utf8 }
    // Ends lower than any digit, so that the complement of a prefix is the greater one.
    key.append(0)
    return isNegative ? [1] + key.map { ~$0 } : [2] + key
  }
}

/// The operations of a store's queries by number, behind the SQL function `strata_call(number, …)`.
final class QueryFunctions {
  struct Key: Hashable {
    let operation: QueryOperation
    let arguments: [ColumnCodec.Kind]
    let result: ColumnCodec.Kind
  }

  private struct Entry {
    let operation: QueryOperation
    let arguments: [ColumnCodec]
    let result: ColumnCodec
  }

  static let callName = "strata_call"
  /// A number of its bits.
  static let realName = "strata_real"
  private var numbers: [Key: Int] = [:]
  private var entries: [Entry] = []

  init(_ database: Database) throws { try attach(to: database) }

  /// Makes another connection the one that calls.
  func attach(to database: Database) throws {
    try database.addFunction(Self.callName) { [unowned self] call in try run(call) }
    try database.addFunction(Self.realName, argumentCount: 1) { call in
      call.give(Double(bitPattern: UInt64(bitPattern: call[0].integer)))
    }
    try addAggregates(to: database)
  }

  /// The number of an operation; the same for the same operation, so that statements can be kept.
  func number(of key: Key) -> Int {
    if let number = numbers[key] { return number }
    numbers[key] = entries.count
    entries.append(
      Entry(
        operation: key.operation,
        arguments: key.arguments.map { ColumnCodec($0, isOptional: true) },
        result: ColumnCodec(key.result, isOptional: true)))
    return entries.count - 1
  }

  private func run(_ call: FunctionCall) throws {
    let entry = entries[Int(call[0].integer)]
    var call = call
    var values: [Value] = []
    values.reserveCapacity(entry.arguments.count)
    for (index, codec) in entry.arguments.enumerated() {
      values.append(try codec.decode(call[index + 1]))
    }
    try entry.result.encode(entry.operation.evaluate(values), into: &call)
  }
}
