import StrataSQLite
import StrataSchema

/// The rows of a managed list: its values, and the keys by which they are ordered.
final class ListRows: CollectionRows {
  /// How far from its neighbour an element is put that follows one which was inserted just before: in a gap there is room for
  /// thousands of them, and some for others between them.
  private static let step: Int64 = 4
  /// Which part of their share elements keep where another place needs the room.
  private static let partElsewhere: Int64 = 8

  private(set) var keys = PiecedArray<Int64>()
  private(set) var values = PiecedArray<Value>()
  /// On which side of the element that was inserted before it an element is.
  private enum Side {
    case before
    case behind
  }

  /// Where an element was inserted last.
  private var lastInsertion: Int?
  /// On which side of its predecessor that was; nil for neither.
  private var lastSide: Side?
  private var places: ElementPlaces?

  override var count: Int { values.count }

  func replaceAll(keys: [Int64], values: [Value]) {
    self.keys = PiecedArray(keys)
    self.values = PiecedArray(values)
    lastInsertion = nil
    lastSide = nil
    places = nil
  }

  private func side(at index: Int) -> Side? {
    guard let lastInsertion else { return nil }
    return index == lastInsertion ? .before : index - 1 == lastInsertion ? .behind : nil
  }

  private func wasInserted(at index: Int) {
    lastSide = side(at: index)
    lastInsertion = index
  }

  func insert(_ value: Value, _ key: Int64, at index: Int) {
    keys.insert(key, at: index)
    values.insert(value, at: index)
    places?.insert(value, key)
    wasInserted(at: index)
  }

  func replace(at index: Int, with value: Value) {
    places?.remove(values[index])
    values[index] = value
    places?.insert(value, keys[index])
  }

  func remove(at index: Int) {
    keys.remove(at: index)
    let value = values.remove(at: index)
    places?.remove(value)
  }

  override func remove(_ element: SQLiteValue) -> Bool {
    guard case .integer(let key) = element else { return false }
    let index = index(ofKey: key)
    guard index < count, keys[index] == key else { return false }
    remove(at: index)
    return true
  }

  func move(from source: Int, to target: Int, _ key: Int64) {
    keys.remove(at: source)
    keys.insert(key, at: target)
    let value = values.remove(at: source)
    values.insert(value, at: target)
    places?.move(value, to: key)
    wasInserted(at: target)
  }

  func swapAt(_ first: Int, _ second: Int) {
    values.swapAt(first, second)
    places?.move(values[first], to: keys[first])
    places?.move(values[second], to: keys[second])
  }

  // MARK: - Finding

  private func index(ofKey key: Int64) -> Int { keys.firstIndex(sortedBy: { $0 >= key }) }

  func contains(_ value: Value) -> Bool { knownPlaces.contains(value) }

  /// The first place of a value. One that is in the list several times is looked for from the beginning.
  func index(of value: Value) -> Int? {
    switch knownPlaces.place(of: value) {
    case .nowhere: nil
    case .key(let key): index(ofKey: key)
    case .somewhere: values.firstIndex(of: value)
    }
  }

  private var knownPlaces: ElementPlaces {
    if let places { return places }
    var places = ElementPlaces()
    for (key, value) in zip(keys, values) { places.insert(value, key) }
    self.places = places
    return places
  }

  // MARK: - Order keys

  /// A key that sorts in front of the element at `index` and behind the one before it. Elements around it are given other keys
  /// where there is no room left.
  ///
  /// - Parameter move: gives the element with a key another one in the table.
  func freeKey(at index: Int, _ move: (Int64, Int64) throws -> Void) throws -> Int64 {
    if keys.isEmpty { return ListCore.gap }
    // Beyond either end there is room for 2^47 elements.
    if index == count { return keys[index - 1] + ListCore.gap }
    if index == 0 { return keys[0] - ListCore.gap }
    if keys[index] - keys[index - 1] < 2 { try makeRoom(at: index, move) }
    let (low, high) = (keys[index - 1], keys[index])
    let room = (high - low) / 2
    let step = min(room, Self.step)
    switch (lastSide, side(at: index)) {
    // Elements that are inserted in a row go on in the same direction.
    case (.before, .before): return high - step
    case (.behind, .behind): return low + step
    // Where sides change, as in the middle of a list, the last two are the ends of the room that is left: each goes as far to
    // its own side as it can.
    case (.before, .behind): return high - step
    case (.behind, .before): return low + step
    case (nil, _), (_, nil): return low + room
    }
  }

  /// Spreads the elements around a place evenly over the keys that they and their neighbours leave. The more elements, the more
  /// room each of them has to have, so that it lasts in proportion to what it costs.
  private func makeRoom(at index: Int, _ move: (Int64, Int64) throws -> Void) throws {
    var width = 2
    while true {
      let first = max(0, index - width)
      let last = min(count, index + width)
      let number = Int64(last - first)
      // Beyond either end there is always room.
      let room = (number + 1) * max(ListCore.gap, 4 * number)
      let low = first > 0 ? keys[first - 1] : keys[first] - room
      let high = last < count ? keys[last] : keys[last - 1] + room
      if first == 0 || last == count || high - low >= 4 * number * number + 2 * number + 2 {
        try spread(
          first..<last, between: low, high, at: side(at: index) == nil ? nil : index, move)
        return
      }
      width *= 2
    }
  }

  /// - Parameter place: where most of the room is left, because elements are inserted there again and again.
  private func spread(
    _ range: Range<Int>, between low: Int64, _ high: Int64, at place: Int?,
    _ move: (Int64, Int64) throws -> Void
  ) throws {
    let even = (high - low) / Int64(range.count + 1)
    let distance = place == nil ? even : max(1, even / Self.partElsewhere)
    let old = range.map { keys[$0] }
    let new = range.indices.map { index in
      if let place, index >= place { return high - Int64(range.upperBound - index) * distance }
      return low + Int64(index - range.lowerBound + 1) * distance
    }
    // No key may be taken while it is given away: those that go up from above, those that go down from below.
    for place in old.indices.reversed() where new[place] > old[place] {
      try move(old[place], new[place])
    }
    for place in old.indices where new[place] < old[place] { try move(old[place], new[place]) }
    for place in old.indices where new[place] != old[place] {
      keys[range.lowerBound + place] = new[place]
      places?.move(values[range.lowerBound + place], from: old[place], to: new[place])
    }
  }
}
