import StrataSQLite
import StrataSchema

/// The rows of a managed map, sorted by the bytes of their keys.
final class MapRows: CollectionRows {
  private(set) var keys = PiecedArray<String>()
  private(set) var values = PiecedArray<Value>()

  override var count: Int { values.count }

  func replaceAll(keys: [String], values: [Value]) {
    self.keys = PiecedArray(keys)
    self.values = PiecedArray(values)
  }

  func insert(_ value: Value, _ key: String, at index: Int) {
    keys.insert(key, at: index)
    values.insert(value, at: index)
  }

  func replace(at index: Int, with value: Value) { values[index] = value }

  override func remove(_ element: SQLiteValue) -> Bool {
    guard case .text(let key) = element else { return false }
    let (index, isThere) = keys.position(of: key)
    guard isThere else { return false }
    remove(at: index)
    return true
  }

  func remove(at index: Int) {
    keys.remove(at: index)
    values.remove(at: index)
  }
}

extension PiecedArray<String> {
  /// Where a key is among keys that are sorted by their bytes, or where it belongs.
  func position(of key: String) -> (index: Int, isThere: Bool) {
    let index = firstIndex(sortedBy: { !$0.precedesInBytes(key) })
    return (index, index < count && !key.precedesInBytes(self[index]))
  }
}
