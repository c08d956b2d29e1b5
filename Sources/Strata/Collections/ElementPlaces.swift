import StrataSchema

/// Where the values of a list are, by order key; made when a list is asked for the first time what it holds.
struct ElementPlaces {
  enum Place {
    case nowhere
    case key(Int64)
    /// More than once, or it is not known where.
    case somewhere
  }

  private struct Entry {
    var count: Int
    /// The key while the value is in the list once; nil when it is not known.
    var key: Int64?
  }

  private var entries: [Value: Entry] = [:]

  func contains(_ value: Value) -> Bool { entries[value] != nil }

  func place(of value: Value) -> Place {
    guard let entry = entries[value] else { return .nowhere }
    return entry.key.map(Place.key) ?? .somewhere
  }

  mutating func insert(_ value: Value, _ key: Int64) {
    if let entry = entries[value] {
      entries[value] = Entry(count: entry.count + 1, key: nil)
    } else {
      entries[value] = Entry(count: 1, key: key)
    }
  }

  mutating func remove(_ value: Value) {
    guard let entry = entries[value] else { return }
    // Which of several is left is not known.
    entries[value] = entry.count > 1 ? Entry(count: entry.count - 1, key: nil) : nil
  }

  /// The one element with this value has another key.
  mutating func move(_ value: Value, to key: Int64) {
    if entries[value]?.count == 1 { entries[value]?.key = key }
  }

  mutating func move(_ value: Value, from old: Int64, to new: Int64) {
    if entries[value]?.key == old { entries[value]?.key = new }
  }
}
