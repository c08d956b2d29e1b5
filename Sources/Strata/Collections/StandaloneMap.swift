import StrataSchema

/// The entries of a map that belongs to no store.
///
/// Most are filled, and go to a store as a whole: until a program asks for the order, keys are only looked for. From then on both is
/// kept in it, so that a loop that changes the map and looks at its order does not sort anew each time.
struct StandaloneMap {
  /// Equal where the bytes are.
  private struct Key: Hashable {
    let text: String

    static func == (left: Key, right: Key) -> Bool { left.text.isSpelled(like: right.text) }

    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  /// The entries in the order of their keys' bytes.
  struct Ordered {
    var keys = PiecedArray<String>()
    var elements = PiecedArray<StandaloneValue>()
  }

  /// Empty once there is an order.
  private var unordered: [Key: StandaloneValue] = [:]
  private var knownOrder: Ordered?

  var count: Int { knownOrder?.elements.count ?? unordered.count }

  /// All entries in their order, which is kept from now on.
  var ordered: Ordered {
    mutating get {
      if let knownOrder { return knownOrder }
      let sorted = unordered.sorted { $0.key.text.precedesInBytes($1.key.text) }
      let ordered = Ordered(
        keys: PiecedArray(sorted.map(\.key.text)), elements: PiecedArray(sorted.map(\.value)))
      unordered = [:]
      knownOrder = ordered
      return ordered
    }
  }

  /// Whether one of the elements is an object. Most maps have none, and are freed without an order.
  var hasObjects: Bool {
    let isObject = { (element: StandaloneValue) in
      if case .object = element { true } else { false }
    }
    return knownOrder?.elements.contains(where: isObject)
      ?? unordered.values.contains(where: isObject)
  }

  func element(forKey key: String) -> StandaloneValue? {
    guard let knownOrder else { return unordered[Key(text: key)] }
    let (index, isThere) = knownOrder.keys.position(of: key)
    return isThere ? knownOrder.elements[index] : nil
  }

  mutating func set(_ element: StandaloneValue, forKey key: String) {
    guard let (index, isThere) = knownOrder?.keys.position(of: key) else {
      unordered[Key(text: key)] = element
      return
    }
    if isThere {
      knownOrder?.elements[index] = element
    } else {
      knownOrder?.keys.insert(key, at: index)
      knownOrder?.elements.insert(element, at: index)
    }
  }

  /// - Returns: whether the key was there.
  mutating func remove(_ key: String) -> Bool {
    guard let (index, isThere) = knownOrder?.keys.position(of: key) else {
      return unordered.removeValue(forKey: Key(text: key)) != nil
    }
    guard isThere else { return false }
    knownOrder?.keys.remove(at: index)
    knownOrder?.elements.remove(at: index)
    return true
  }

  mutating func removeAll() { self = StandaloneMap() }
}
