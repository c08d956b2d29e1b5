import StrataExpression
import StrataSQLite
import StrataSchema
import Synchronization

/// What SQL cannot do as the expression language means it, and so asks the language's own evaluation to do.
enum QueryOperation: Hashable, Sendable {
  case compare(ComparisonOperator)
  case text(ComparisonOperator, TextOptions)
  case fold(TextOptions)
  case negate(NumberKind)
  /// Of the first two values, of the result and the third one, and so on.
  case arithmetic([BinaryOperator], NumberKind)
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
    case .fold(let options): return values[0].folded(options)
    case .negate(let kind): return try Arithmetic.negate(values[0], kind, 0..<0)
    case .arithmetic(let operations, let kind):
      return try zip(operations, values.dropFirst()).reduce(values[0]) { result, next in
        try Arithmetic.evaluate(next.0, kind, result, next.1, 0..<0)
      }
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

/// The operations of queries by number, behind the SQL function `strata_call(number, …)`: of a live store and of its frozen
/// ones, which give each other their connections, on whatever thread.
final class QueryFunctions: Sendable {
  struct Key: Hashable, Sendable {
    let operation: QueryOperation
    let arguments: [ColumnCodec.Kind]
    let result: ColumnCodec.Kind
  }

  fileprivate struct Entry: Sendable {
    let operation: QueryOperation
    let arguments: [ColumnCodec]
    let result: ColumnCodec
  }

  private struct State {
    var numbers: [Key: Int] = [:]
    var entries: [Entry] = []
  }

  static let callName = "strata_call"
  /// A number of its bits.
  static let realName = "strata_real"
  private let state = Mutex(State())

  init() {}

  convenience init(_ database: Database) throws {
    self.init()
    try attach(to: database)
  }

  /// Lets a connection call them.
  func attach(to database: Database) throws {
    let known = KnownOperations(self)
    try database.addFunction(Self.callName) { call in try known.run(call) }
    try database.addFunction(Self.realName, argumentCount: 1) { call in
      call.give(Double(bitPattern: UInt64(bitPattern: call[0].integer)))
    }
    try addAggregates(to: database)
  }

  /// The number of an operation; the same for the same operation, so that statements can be kept.
  func number(of key: Key) -> Int {
    state.withLock { state in
      if let number = state.numbers[key] { return number }
      state.numbers[key] = state.entries.count
      state.entries.append(
        Entry(
          operation: key.operation,
          arguments: key.arguments.map { ColumnCodec($0, isOptional: true) },
          result: ColumnCodec(key.result, isOptional: true)))
      return state.entries.count - 1
    }
  }

  fileprivate var entries: [Entry] { state.withLock { $0.entries } }
}

/// What one connection knows of the operations: it is used by one thread at a time, and asks for no lock at each call.
private final class KnownOperations {
  private let functions: QueryFunctions
  private var entries: [QueryFunctions.Entry] = []

  init(_ functions: QueryFunctions) { self.functions = functions }

  func run(_ call: FunctionCall) throws {
    let number = Int(call[0].integer)
    if number >= entries.count { entries = functions.entries }
    let entry = entries[number]
    var call = call
    var values: [Value] = []
    values.reserveCapacity(entry.arguments.count)
    for (index, codec) in entry.arguments.enumerated() {
      values.append(try codec.decode(call[index + 1]))
    }
    try entry.result.encode(entry.operation.evaluate(values), into: &call)
  }
}
