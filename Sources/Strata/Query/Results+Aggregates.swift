import StrataExpression
import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Results {
  /// The smallest value of a property; nil where no object has one.
  public func min<Value: StoredValue>(of keyPath: KeyPath<Element, Value>) -> Value? {
    value(.minimum, keyPath)
  }

  /// The greatest value of a property; nil where no object has one.
  public func max<Value: StoredValue>(of keyPath: KeyPath<Element, Value>) -> Value? {
    value(.maximum, keyPath)
  }

  /// The sum of a property of whole numbers.
  ///
  /// - Throws: `StoreError.invalidQuery` when it does not fit.
  public func sum<Value: StoredValue & BinaryInteger>(
    of keyPath: KeyPath<Element, Value>
  ) throws(StoreError) -> Int {
    try sum(query.access.node(of: keyPath))
  }

  /// The sum of an optional property of whole numbers; nil counts as nothing.
  public func sum<Value: StoredValue & BinaryInteger>(
    of keyPath: KeyPath<Element, Value?>
  ) throws(StoreError) -> Int {
    try sum(query.access.node(of: keyPath))
  }

  /// The sum of a property of fractions.
  public func sum<Value: StoredValue & BinaryFloatingPoint>(
    of keyPath: KeyPath<Element, Value>
  ) throws(StoreError) -> Double {
    try sum(query.access.node(of: keyPath))
  }

  /// The sum of an optional property of fractions; nil counts as nothing.
  public func sum<Value: StoredValue & BinaryFloatingPoint>(
    of keyPath: KeyPath<Element, Value?>
  ) throws(StoreError) -> Double {
    try sum(query.access.node(of: keyPath))
  }

  /// The sum of a property of decimal numbers.
  public func sum(of keyPath: KeyPath<Element, Decimal>) throws(StoreError) -> Decimal {
    try sum(query.access.node(of: keyPath))
  }

  /// The sum of an optional property of decimal numbers; nil counts as nothing.
  public func sum(of keyPath: KeyPath<Element, Decimal?>) throws(StoreError) -> Decimal {
    try sum(query.access.node(of: keyPath))
  }

  /// The mean of a property of numbers; nil where no object has one.
  public func average<Value: StoredValue>(of keyPath: KeyPath<Element, Value>) -> Double? {
    mean(query.access.node(of: keyPath)).flatMap(Conversion.double)
  }

  /// The mean of a property of decimal numbers, as a decimal number; nil where there is no object.
  public func average(of keyPath: KeyPath<Element, Decimal>) -> Decimal? {
    mean(query.access.node(of: keyPath)).flatMap { ._generatedValue(of: _GeneratedCell($0)) }
  }

  /// The mean of an optional property of decimal numbers, as a decimal number; nil where no object has one.
  public func average(of keyPath: KeyPath<Element, Decimal?>) -> Decimal? {
    mean(query.access.node(of: keyPath)).flatMap { ._generatedValue(of: _GeneratedCell($0)) }
  }

  /// The smallest, greatest, summed or mean value of a key path by name, as Realm's users write it.
  ///
  /// - Throws: `StoreError.invalidQuery`
  public func min(ofProperty keyPath: String) throws(StoreError) -> AnyValue? {
    try value(.minimum, keyPath)
  }

  public func max(ofProperty keyPath: String) throws(StoreError) -> AnyValue? {
    try value(.maximum, keyPath)
  }

  public func sum(ofProperty keyPath: String) throws(StoreError) -> AnyValue {
    try value(.sum, keyPath) ?? .int(0)
  }

  public func average(ofProperty keyPath: String) throws(StoreError) -> AnyValue? {
    try value(.average, keyPath)
  }

  private func value<Value: StoredValue>(
    _ aggregate: Aggregate, _ keyPath: KeyPath<Element, Value>
  ) -> Value? {
    let node = query.access.node(of: keyPath)
    do {
      let value = try query.aggregate(aggregate, of: node, named: query.access.name(of: node))
      guard !value.isNull, case .property(_, let property) = node else { return nil }
      return Value._generatedValue(of: query.access.cell(value, of: property))
    } catch {
      query.store.fail(error)
      return nil
    }
  }

  private func mean(_ node: ResolvedNode) -> Value? {
    do {
      let mean = try query.aggregate(.average, of: node, named: query.access.name(of: node))
      return mean.isNull ? nil : mean
    } catch {
      query.store.fail(error)
      return nil
    }
  }

  private func sum<Value: StoredValue>(_ node: ResolvedNode) throws(StoreError) -> Value {
    let sum = try query.store.translatingErrors {
      try query.aggregate(.sum, of: node, named: query.access.name(of: node))
    }
    let empty = Value._generatedFallback
    return sum.isNull ? empty : Value._generatedValue(of: _GeneratedCell(sum)) ?? empty
  }

  private func value(
    _ aggregate: Aggregate, _ keyPath: String
  ) throws(StoreError) -> AnyValue? {
    let compiler = QueryCompiler(query.access)
    let node =
      switch aggregate {
      case .sum: try compiler.number(keyPath)
      case .average: try compiler.averaged(keyPath)
      default: try compiler.sortable(keyPath)
      }
    let value = try query.store.translatingErrors {
      try query.aggregate(aggregate, of: node, named: keyPath)
    }
    // In one expression with an `AnyValue`, nil would be its null.
    guard !value.isNull else { return nil }
    return AnyValue(query.access.cell(value))
  }
}

extension ModelAccess {
  /// The property that a key path of the class names, by its name.
  fileprivate func name(of node: ResolvedNode) -> String {
    guard case .property(_, let property) = node else { return "" }
    return model.properties[property].name
  }
}
