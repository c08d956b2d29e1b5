import StrataSQLite
import StrataSchema

/// The rows of a managed set: its values in their stored order, in which each is looked for.
final class SetRows: CollectionRows {
  private(set) var values = PiecedArray<Value>()
  private let order: StoredOrder

  init(owner: Int64, codec: ColumnCodec?) {
    order = StoredOrder(codec ?? ColumnCodec(.any, isOptional: true))
    super.init(owner: owner)
  }

  override var count: Int { values.count }

  /// - Parameter values: in the order in which SQLite sorts them.
  func replaceAll(_ values: [Value]) { self.values = PiecedArray(values) }

  /// Where a value is, or where it belongs.
  func position(of value: Value) -> (index: Int, isThere: Bool) {
    let index = values.firstIndex(sortedBy: { !order.isLess($0, value) })
    return (index, index < count && !order.isLess(value, values[index]))
  }

  func index(of value: Value) -> Int? {
    let (index, isThere) = position(of: value)
    return isThere ? index : nil
  }

  /// - Parameter index: where it belongs.
  func insert(_ value: Value, at index: Int) { values.insert(value, at: index) }

  func remove(at index: Int) { values.remove(at: index) }

  override func remove(_ element: SQLiteValue) -> Bool {
    let index = values.firstIndex(sortedBy: { !order.isLess($0, element) })
    guard index < count, !order.isLess(element, values[index]) else { return false }
    remove(at: index)
    return true
  }
}
