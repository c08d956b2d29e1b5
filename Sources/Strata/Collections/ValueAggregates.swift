import StrataExpression
import StrataSQLite
import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension CollectionCore {
  /// An aggregate of the values, run by the database for a stored collection.
  ///
  /// - Throws: an error where a sum does not fit, or the store was closed
  func aggregate(_ aggregate: Aggregate) throws -> Value {
    if store?.isClosed == true { throw StoreError.closed }
    guard let store, let table, QueryFunctions.aggregates(table.codec.kind) else {
      return try RunningAggregate.result(aggregate, of: valueElements, table?.codec.kind)
    }
    noteTracked(store)
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard store.prepareToRead() else {
      try store.throwPendingError()
      throw StoreError.closed
    }
    let kind = table.codec.kind
    let text: SQLText = """
      SELECT \(SQLText(trusted: QueryFunctions.aggregateName(aggregate, kind)))("value") \
      FROM \(SQLText(trusted: table.quotedName)) WHERE "_owner" = \(value: .integer(owner))
      """
    let codec = ColumnCodec(QueryFunctions.resultKind(aggregate, kind), isOptional: true)
    return try store.database.withStatement(text) { statement in
      try statement.step() ? try codec.read(statement, at: 0) : .null
    }
  }

  private var valueElements: [Value] {
    let elements: [StandaloneValue] =
      switch self {
      case let core as ListCore: core.standaloneElements
      case let core as SetCore: core.standaloneElements
      case let core as MapCore: core.standaloneElements.map(\.1)
      default: []
      }
    return elements.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// What an aggregate gives as a Swift value; what goes wrong is thrown by the store's next call that can.
  fileprivate func value<Value: StoredValue>(_ aggregate: Aggregate) -> Value? {
    do {
      let value = try self.aggregate(aggregate)
      return value.isNull ? nil : Value._generatedValue(of: _GeneratedCell(value))
    } catch {
      store?.fail(error)
      return nil
    }
  }

  fileprivate func sum<Value: StoredValue>() throws(StoreError) -> Value {
    do {
      return Value._generatedValue(of: _GeneratedCell(try aggregate(.sum)))
        ?? Value._generatedFallback
    } catch {
      if let error = error as? StoreError { throw error }
      guard error is SQLiteError || error is EvaluationError else {
        throw StoreError(error, path: store?.path ?? "")
      }
      // What a function of ours answers is said without what SQLite is.
      let message = (error as? SQLiteError).flatMap { $0.primaryCode == .error ? $0.message : nil }
      throw .invalidQuery(
        text: "", problem: "The sum of \(name) cannot be computed: \(message ?? "\(error)")")
    }
  }

  /// What it is, for messages.
  private var name: String {
    guard let access else { return "a collection's values" }
    return "\(access.model.properties[property].name) of \(access.model.name) #\(owner)"
  }

  fileprivate var mean: Value? {
    do {
      let mean = try aggregate(.average)
      return mean.isNull ? nil : mean
    } catch {
      store?.fail(error)
      return nil
    }
  }
}

/// A collection of values that a property holds: its smallest, greatest, summed and mean value are found by the database.
public protocol ValueCollection<HeldValue> {
  associatedtype HeldValue
  /// For Strata's own use.
  var _generatedCore: CollectionCore { get }
}

extension List: ValueCollection where Element: StoredValue {
  public typealias HeldValue = Element
  public var _generatedCore: CollectionCore { core }
}

extension MutableSet: ValueCollection where Element: StoredValue {
  public typealias HeldValue = Element
  public var _generatedCore: CollectionCore { core }
}

extension Map: ValueCollection where Value: StoredValue {
  public typealias HeldValue = Value
  public var _generatedCore: CollectionCore { core }
}

// Not of the protocol: a sequence has functions of these names, too.
extension List where Element: StoredValue & Comparable {
  /// The smallest value; nil where there is none.
  public func min() -> Element? { _generatedCore.value(.minimum) }

  /// The greatest value; nil where there is none.
  public func max() -> Element? { _generatedCore.value(.maximum) }
}

extension MutableSet where Element: StoredValue & Comparable {
  /// The smallest value; nil where there is none.
  public func min() -> Element? { _generatedCore.value(.minimum) }

  /// The greatest value; nil where there is none.
  public func max() -> Element? { _generatedCore.value(.maximum) }
}

extension Map where Value: StoredValue & Comparable {
  /// The smallest value; nil where there is none.
  public func min() -> Value? { _generatedCore.value(.minimum) }

  /// The greatest value; nil where there is none.
  public func max() -> Value? { _generatedCore.value(.maximum) }
}

extension ValueCollection {
  /// The smallest value, nil aside; nil where there is none.
  public func min<Value: StoredValue & Comparable>() -> Value? where HeldValue == Value? {
    _generatedCore.value(.minimum)
  }

  /// The greatest value, nil aside; nil where there is none.
  public func max<Value: StoredValue & Comparable>() -> Value? where HeldValue == Value? {
    _generatedCore.value(.maximum)
  }

  /// The sum of whole numbers.
  ///
  /// - Throws: `StoreError.invalidQuery` when it does not fit.
  public func sum() throws(StoreError) -> Int where HeldValue: StoredValue & BinaryInteger {
    try _generatedCore.sum()
  }

  /// The sum of fractions.
  public func sum() throws(StoreError) -> Double
  where HeldValue: StoredValue & BinaryFloatingPoint { try _generatedCore.sum() }

  /// The sum of whole numbers, nil aside.
  ///
  /// - Throws: `StoreError.invalidQuery` when it does not fit.
  public func sum<Value: StoredValue & BinaryInteger>() throws(StoreError) -> Int
  where HeldValue == Value? { try _generatedCore.sum() }

  /// The sum of fractions, nil aside.
  public func sum<Value: StoredValue & BinaryFloatingPoint>() throws(StoreError) -> Double
  where HeldValue == Value? { try _generatedCore.sum() }

  /// The sum of decimal numbers.
  public func sum() throws(StoreError) -> Decimal where HeldValue == Decimal {
    try _generatedCore.sum()
  }

  /// The sum of decimal numbers, nil aside.
  public func sum() throws(StoreError) -> Decimal where HeldValue == Decimal? {
    try _generatedCore.sum()
  }

  /// The mean of numbers; nil where there are none.
  public func average() -> Double? { _generatedCore.mean.flatMap(Conversion.double) }

  /// The mean of decimal numbers, as a decimal number; nil where there are none.
  public func average() -> Decimal? where HeldValue == Decimal {
    _generatedCore.mean.flatMap { ._generatedValue(of: _GeneratedCell($0)) }
  }

  /// The mean of decimal numbers, nil aside, as a decimal number; nil where there are none.
  public func average() -> Decimal? where HeldValue == Decimal? {
    _generatedCore.mean.flatMap { ._generatedValue(of: _GeneratedCell($0)) }
  }
}

extension RunningAggregate {
  /// An aggregate of values that no database holds.
  ///
  /// - Parameter kind: nil where it is that of the values; where they are of several, as those of `any`, that of any value.
  static func result(
    _ aggregate: Aggregate, of values: [Value], _ kind: ColumnCodec.Kind? = nil
  ) throws -> Value {
    let kinds = Set(values.compactMap(\.kind))
    var running = RunningAggregate(
      aggregate, kind ?? (kinds.count > 1 ? .any : kinds.first ?? .integer(.int)))
    for value in values { try running.add(value) }
    return try running.result()
  }
}

extension Value {
  /// How a column of such values would hold them; nil for nil.
  fileprivate var kind: ColumnCodec.Kind? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .integer(.int)
    case .float, .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .objectID: .objectID
    case .link, .object: .any
    }
  }
}
