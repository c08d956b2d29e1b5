import StrataSQLite
import StrataSchema

/// A map inside. Keys are equal when their bytes are; they are listed in the order of their bytes.
public final class MapCore: CollectionCore {
  private var elements: [StandaloneValue] = []
  private var values: [Value] = []
  /// Sorted; of both kinds.
  private var sortedKeys: [String] = []

  var count: Int {
    refreshKeys()
    return sortedKeys.count
  }

  var keys: [String] {
    refreshKeys()
    return sortedKeys
  }

  private func refreshKeys() {
    if store != nil { refresh() }
  }

  /// Everything as values, links as links.
  var storedEntries: [(key: String, value: Value)] {
    refreshKeys()
    return Array(zip(sortedKeys, values))
  }

  func key(at index: Int) -> String { keys[index] }

  /// The entries as they are now.
  var snapshot: ElementSnapshot {
    if store == nil {
      return ElementSnapshot(standalone: elements, of: self, keys: sortedKeys)
    }
    refresh()
    return ElementSnapshot(stored: values, of: self, keys: sortedKeys)
  }

  func element(at index: Int) -> GeneratedCell {
    if store == nil { return elements[index].cell ?? .null }
    refresh()
    return cell(values[index])
  }

  /// Where the key is, or where it belongs.
  func position(of key: String) -> (index: Int, isThere: Bool) {
    refreshKeys()
    var (low, high) = (0, sortedKeys.count)
    while low < high {
      let middle = (low + high) / 2
      if sortedKeys[middle].utf8.lexicographicallyPrecedes(key.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (low, low < sortedKeys.count && sortedKeys[low].utf8.elementsEqual(key.utf8))
  }

  func holds(_ elements: [(String, StandaloneValue)]) -> Bool {
    let own = standaloneElements
    guard own.count == elements.count else { return false }
    return elements.allSatisfy { key, element in
      own.contains { $0.0.utf8.elementsEqual(key.utf8) && $0.1.isIdentical(to: element) }
    }
  }

  func element(forKey key: String) -> GeneratedCell? {
    let (index, isThere) = position(of: key)
    return isThere ? element(at: index) : nil
  }

  func set(_ element: StandaloneValue, forKey key: String) {
    let (index, isThere) = position(of: key)
    guard store != nil else {
      if isThere {
        elements[index] = element
      } else {
        sortedKeys.insert(key, at: index)
        elements.insert(element, at: index)
      }
      return
    }
    change("set") { store, access in
      let value = try storedValue(element, store, access)
      if isThere {
        if value == values[index], case .link = value { return }
        try run("UPDATE \(quotedTable) SET value = ?3 WHERE _owner = ?1 AND _index = ?2") {
          try bindRow(key, value, to: $0)
        }
        values[index] = value
      } else {
        try insertRow(key, value)
        sortedKeys.insert(key, at: index)
        values.insert(value, at: index)
      }
    }
  }

  /// - Returns: whether the key was there.
  @discardableResult
  func remove(_ key: String) -> Bool {
    let (index, isThere) = position(of: key)
    guard isThere else { return false }
    guard store != nil else {
      sortedKeys.remove(at: index)
      elements.remove(at: index)
      return true
    }
    change("remove") { _, _ in
      try run("DELETE FROM \(quotedTable) WHERE _owner = ?1 AND _index = ?2") {
        try $0.bind(owner, at: 1)
        try $0.bind(key, at: 2)
      }
      sortedKeys.remove(at: index)
      values.remove(at: index)
    }
    return true
  }

  func removeAll() {
    guard store != nil else {
      sortedKeys.removeAll()
      elements.removeAll()
      return
    }
    change("removeAll") { _, _ in
      try run("DELETE FROM \(quotedTable) WHERE _owner = ?1") { try $0.bind(owner, at: 1) }
      sortedKeys.removeAll()
      values.removeAll()
    }
  }

  func assign(_ other: MapCore) {
    if other === self { return }
    if let store, other.store === store, other.owner == owner, other.property == property,
      other.access === access
    {
      return
    }
    let pairs = other.standaloneElements
    removeAll()
    for (key, element) in pairs { set(element, forKey: key) }
  }

  var standaloneElements: [(String, StandaloneValue)] {
    keys.indices.map { (key(at: $0), StandaloneValue(element(at: $0))) }
  }

  private func insertRow(_ key: String, _ value: Value) throws {
    try run("INSERT INTO \(quotedTable) (_owner, _index, value) VALUES (?1, ?2, ?3)") {
      try bindRow(key, value, to: $0)
    }
  }

  private func bindRow(_ key: String, _ value: Value, to statement: Statement) throws {
    try statement.bind(owner, at: 1)
    try statement.bind(key, at: 2)
    try bind(value, to: statement, at: 3)
  }

  override func load(_ store: Store, _ access: ModelAccess) throws {
    guard let table else { return }
    var newKeys: [String] = []
    var newValues: [Value] = []
    try store.database.withStatement(
      "SELECT _index, value FROM \(quotedTable) WHERE _owner = ?1 ORDER BY _index"
    ) { statement in
      try statement.bind(owner, at: 1)
      while try statement.step() {
        newKeys.append(statement.string(at: 0))
        newValues.append(try table.codec.read(statement, at: 1))
      }
    }
    sortedKeys = newKeys
    values = newValues
  }

  override var standaloneObjects: [Object] {
    elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  override var hasStoredElements: Bool { !values.isEmpty }

  override var isEmptyStandalone: Bool { elements.isEmpty }

  override func standaloneStoredElements(
    _ value: (StandaloneValue) throws -> Value
  ) throws -> [(key: String, value: Value)] {
    try zip(sortedKeys, elements).map { ($0, try value($1)) }
  }

  override func hasElements(_ elements: [(key: String, value: Value)]) -> Bool {
    elements.map(\.value) == values
      && elements.map { Value.string($0.key) } == sortedKeys.map(Value.string)
  }

  override func replaceElements(_ elements: [(key: String, value: Value)]) throws {
    try run("DELETE FROM \(quotedTable) WHERE _owner = ?1") { try $0.bind(owner, at: 1) }
    for element in elements { try insertRow(element.key, element.value) }
  }

  override func insertStandaloneElements() throws {
    guard let store, let access else { return }
    for (key, element) in zip(sortedKeys, elements) {
      try insertRow(key, try storedValue(element, store, access))
    }
  }

  override func forgetStandaloneElements() { elements = [] }

  override func detached(_ copy: (Object) -> Object?) -> CollectionCore {
    let core = MapCore()
    for (key, element) in standaloneElements {
      if case .object(let object) = element {
        if let object = copy(object) { core.set(.object(object), forKey: key) }
      } else {
        core.set(element, forKey: key)
      }
    }
    return core
  }
}
