import StrataExpression
import StrataSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Found by the database; of a collection that belongs to no store from the objects that it holds, each once.
extension ObjectCollection {
  /// The smallest value of a property; nil where no object has one.
  public func min<Value: StoredValue>(of keyPath: KeyPath<QueriedObject, Value>) -> Value? {
    if let generatedResults { return generatedResults.min(of: keyPath) }
    return value(.minimum, keyPath)
  }

  /// The greatest value of a property; nil where no object has one.
  public func max<Value: StoredValue>(of keyPath: KeyPath<QueriedObject, Value>) -> Value? {
    if let generatedResults { return generatedResults.max(of: keyPath) }
    return value(.maximum, keyPath)
  }

  /// The sum of a property of whole numbers.
  ///
  /// - Throws: `StoreError.invalidQuery` when it does not fit.
  public func sum<Value: StoredValue & BinaryInteger>(
    of keyPath: KeyPath<QueriedObject, Value>
  ) throws(StoreError) -> Int {
    if let generatedResults { return try generatedResults.sum(of: keyPath) }
    return try total(of: keyPath)
  }

  /// The sum of an optional property of whole numbers; nil counts as nothing.
  ///
  /// - Throws: `StoreError.invalidQuery` when it does not fit.
  public func sum<Value: StoredValue & BinaryInteger>(
    of keyPath: KeyPath<QueriedObject, Value?>
  ) throws(StoreError) -> Int {
    if let generatedResults { return try generatedResults.sum(of: keyPath) }
    return try total(of: keyPath)
  }

  /// The sum of a property of fractions.
  public func sum<Value: StoredValue & BinaryFloatingPoint>(
    of keyPath: KeyPath<QueriedObject, Value>
  ) throws(StoreError) -> Double {
    if let generatedResults { return try generatedResults.sum(of: keyPath) }
    return try total(of: keyPath)
  }

  /// The sum of an optional property of fractions; nil counts as nothing.
  public func sum<Value: StoredValue & BinaryFloatingPoint>(
    of keyPath: KeyPath<QueriedObject, Value?>
  ) throws(StoreError) -> Double {
    if let generatedResults { return try generatedResults.sum(of: keyPath) }
    return try total(of: keyPath)
  }

  /// The sum of a property of decimal numbers.
  public func sum(
    of keyPath: KeyPath<QueriedObject, Decimal>
  ) throws(StoreError) -> Decimal {
    if let generatedResults { return try generatedResults.sum(of: keyPath) }
    return try total(of: keyPath)
  }

  /// The sum of an optional property of decimal numbers; nil counts as nothing.
  public func sum(
    of keyPath: KeyPath<QueriedObject, Decimal?>
  ) throws(StoreError) -> Decimal {
    if let generatedResults { return try generatedResults.sum(of: keyPath) }
    return try total(of: keyPath)
  }

  /// The mean of a property of numbers; nil where no object has one.
  public func average<Value: StoredValue>(of keyPath: KeyPath<QueriedObject, Value>) -> Double? {
    if let generatedResults { return generatedResults.average(of: keyPath) }
    return mean(of: keyPath).flatMap(Conversion.double)
  }

  /// The mean of a property of decimal numbers, as a decimal number; nil where there is no object.
  public func average(of keyPath: KeyPath<QueriedObject, Decimal>) -> Decimal? {
    if let generatedResults { return generatedResults.average(of: keyPath) }
    return mean(of: keyPath).flatMap { ._generatedValue(of: _GeneratedCell($0)) }
  }

  /// The mean of an optional property of decimal numbers, as a decimal number; nil where no object has one.
  public func average(of keyPath: KeyPath<QueriedObject, Decimal?>) -> Decimal? {
    if let generatedResults { return generatedResults.average(of: keyPath) }
    return mean(of: keyPath).flatMap { ._generatedValue(of: _GeneratedCell($0)) }
  }

  // MARK: - Without a database

  private func aggregate<Property: StoredValue>(
    _ aggregate: Aggregate, _ keyPath: KeyPath<QueriedObject, Property>
  ) throws -> Value {
    var known: Set<ObjectIdentity> = []
    let values = _generatedObjects.filter { known.insert(ObjectIdentity($0)).inserted }
      .compactMap { $0[keyPath: keyPath]._generatedCell.value }
    return try RunningAggregate.result(aggregate, of: values)
  }

  private func value<Property: StoredValue>(
    _ aggregate: Aggregate, _ keyPath: KeyPath<QueriedObject, Property>
  ) -> Property? {
    guard let value = try? self.aggregate(aggregate, keyPath), !value.isNull else { return nil }
    return Property._generatedValue(of: _GeneratedCell(value))
  }

  private func mean<Property: StoredValue>(
    of keyPath: KeyPath<QueriedObject, Property>
  ) -> Value? {
    guard let mean = try? aggregate(.average, keyPath), !mean.isNull else { return nil }
    return mean
  }

  private func total<Property: StoredValue, Sum: StoredValue>(
    of keyPath: KeyPath<QueriedObject, Property>
  ) throws(StoreError) -> Sum {
    do {
      let sum = try aggregate(.sum, keyPath)
      return Sum._generatedValue(of: _GeneratedCell(sum)) ?? Sum._generatedFallback
    } catch {
      let model = _generatedObjects.first?.model.model.name ?? "no object"
      throw .invalidQuery(
        text: "", problem: "The sum of a property of \(model) cannot be computed: \(error)")
    }
  }
}
