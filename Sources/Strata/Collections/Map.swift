/// Values or objects by string key, that a property holds.
///
/// A map is a reference: `person.scores` gives the same map each time, and changing it changes the person.
/// Keys are different when their bytes are, and are listed in the order of their bytes.
///
/// ```swift
/// try store.write { person.scores["chess"] = 1.5 }
/// ```
public final class Map<Value: StoredElement> {
  let core: MapCore

  init(core: MapCore) { self.core = core }

  /// A map that belongs to nothing.
  public init() { core = MapCore() }

  /// A map that belongs to nothing, of these values.
  public convenience init(_ values: [String: Value]) {
    self.init()
    for (key, value) in values { core.set(StandaloneValue(value._generatedCell), forKey: key) }
  }

  /// Whether the map's owner was deleted, or its store closed.
  public var isInvalidated: Bool { core.isInvalidated }

  /// The store that the map belongs to, nil for a standalone one.
  public var store: Store? { core.store }

  public var keys: [String] { core.keys }
  public var values: [Value] { map(\.value) }

  /// The value of a key; setting nil removes the key.
  public subscript(key: String) -> Value? {
    get {
      core.element(forKey: key).map {
        Value._generatedValue(of: $0) ?? Value._generatedFallback
      }
    }
    set {
      if let newValue {
        core.set(StandaloneValue(newValue._generatedCell), forKey: key)
      } else {
        core.remove(key)
      }
    }
  }

  public subscript(key: String, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    set { self[key] = newValue }
  }

  /// Sets a value that may itself be nil, in a map of optionals.
  public func updateValue(_ value: Value, forKey key: String) {
    core.set(StandaloneValue(value._generatedCell), forKey: key)
  }

  /// - Returns: whether the key was there.
  @discardableResult
  public func removeValue(forKey key: String) -> Bool { core.remove(key) }

  public func removeAll() { core.removeAll() }
}

extension Map: RandomAccessCollection {
  public typealias Element = (key: String, value: Value)

  public var startIndex: Int { 0 }
  public var endIndex: Int { core.count }

  public subscript(index: Int) -> (key: String, value: Value) {
    checkUse(
      index >= 0 && index < core.count,
      "The index \(index) is outside of the map, which has \(core.count) entries.")
    return (
      core.key(at: index),
      Value._generatedValue(of: core.element(at: index)) ?? Value._generatedFallback
    )
  }

  public func makeIterator() -> EntryIterator<Value> { EntryIterator(core.snapshot) }

  public subscript(bounds: Range<Int>) -> LiveSlice<Map> {
    LiveSlice(self, bounds, of: core.count, "entries", in: "map")
  }
}

extension Map: LiveCollection {
  public func _walk(over positions: Range<Int>) -> EntryIterator<Value> {
    EntryIterator(core.snapshot, over: positions)
  }
}

extension Map: ExpressibleByDictionaryLiteral {
  public convenience init(dictionaryLiteral pairs: (String, Value)...) {
    self.init()
    // Not by way of Swift's dictionary, for which keys are equal that differ in the spelling of an accent.
    for (key, value) in pairs { self[key] = value }
  }
}

extension Map: CustomStringConvertible {
  public var description: String {
    "[\(map { "\($0.key): \($0.value)" }.joined(separator: ", "))]"
  }
}
