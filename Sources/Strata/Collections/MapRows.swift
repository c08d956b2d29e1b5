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

  func remove(at index: Int) {
    keys.remove(at: index)
    values.remove(at: index)
  }
}
