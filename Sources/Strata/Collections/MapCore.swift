import StrataSQLite
import StrataSchema

/// What `Map` is inside. Keys are equal when their bytes are; they are listed in the order of their bytes.
public final class MapCore: CollectionCore {
  /// Of a standalone map.
  private var entries = StandaloneMap()

  /// The same in their order.
  private var orderedEntries: StandaloneMap.Ordered {
    // The empty map that objects share is looked at by several threads.
    entries.count == 0 ? StandaloneMap.Ordered() : entries.ordered
  }

  /// The rows of a managed map.
  private var rows: MapRows {
    refresh()
    return heldRows
  }

  /// The same as they were read or written last.
  private var heldRows: MapRows {
    // `makeRows` is the only one that makes them.
    if let anyRows { return unsafeDowncast(anyRows, to: MapRows.self) }
    // Nothing could be read.
    let rows = MapRows(owner: owner)
    anyRows = rows
    return rows
  }

  private var sortedKeys: PiecedArray<String> {
    guard store == nil else { return rows.keys }
    noteStandaloneRead()
    return orderedEntries.keys
  }

  override var count: Int {
    guard store == nil else { return rows.count }
    noteStandaloneRead()
    return entries.count
  }

  var keys: [String] { Array(sortedKeys) }

  /// Everything as values, links as links.
  var storedEntries: [(key: String, value: Value)] {
    let rows = rows
    return Array(zip(rows.keys, rows.values))
  }

  func key(at index: Int) -> String { sortedKeys[index] }

  /// The entries as they are now.
  var snapshot: ElementSnapshot {
    if store == nil {
      noteStandaloneRead()
      let entries = orderedEntries
      return ElementSnapshot(standalone: Array(entries.elements), of: self, keys: entries.keys)
    }
    let rows = rows
    return ElementSnapshot(stored: rows.values, of: self, keys: rows.keys)
  }

  func element(at index: Int) -> _GeneratedCell {
    if store == nil {
      noteStandaloneRead()
      return orderedEntries.elements[index].cell ?? .null
    }
    return cell(rows.values[index])
  }

  func holds(_ elements: [(String, StandaloneValue)], depth: Int = 0) -> Bool {
    guard count == elements.count else { return false }
    return elements.allSatisfy { key, element in
      self.element(forKey: key).map {
        element.isSame(as: StandaloneValue($0), depth: depth)
      } ?? false
    }
  }

  func element(forKey key: String) -> _GeneratedCell? {
    if store == nil {
      noteStandaloneRead()
      return entries.element(forKey: key).map { $0.cell ?? .null }
    }
    let rows = rows
    let (index, isThere) = rows.keys.position(of: key)
    return isThere ? cell(rows.values[index]) : nil
  }

  func set(_ element: StandaloneValue, forKey key: String) {
    guard store != nil else {
      entries.set(element, forKey: key)
      return standaloneElementsChanged()
    }
    if staysUnread { return setUnread(element, forKey: key) }
    let (index, isThere) = rows.keys.position(of: key)
    change("set") { store, access in
      if isThere {
        try replace(heldRows.values[index], with: element, store, access) { value in
          try replaceRow(key, with: value)
          heldRows.replace(at: index, with: value)
        }
      } else {
        let value = try storedValue(element, store, access)
        try insertRow(key, value)
        heldRows.insert(value, key, at: index)
      }
    }
  }

  private func setUnread(_ element: StandaloneValue, forKey key: String) {
    change("set", reads: false) { store, access in
      guard let table else { return }
      let old: Value? = try store.database.withStatement(table.valueOfKey) { statement in
        try statement.bind(owner, at: 1)
        try statement.bind(key, at: 2)
        return try statement.step() ? try table.codec.read(statement, at: 0) : nil
      }
      guard let old else { return try insertRow(key, try storedValue(element, store, access)) }
      try replace(old, with: element, store, access) { try replaceRow(key, with: $0) }
    }
  }

  /// - Returns: whether the key was there.
  @discardableResult
  func remove(_ key: String) -> Bool {
    guard store != nil else {
      guard entries.remove(key) else { return false }
      standaloneElementsChanged()
      return true
    }
    let (index, isThere) = rows.keys.position(of: key)
    guard isThere else { return false }
    change("remove") { _, _ in
      try runTakingOut(table?.remove ?? "", .text(key)) { try $0.bind(key, at: 2) }
      heldRows.remove(at: index)
    }
    return true
  }

  func removeAll() {
    guard store != nil else {
      entries.removeAll()
      return standaloneElementsChanged()
    }
    change("removeAll") { _, _ in
      try runTakingOut(table?.removeAll ?? "", nil)
      heldRows.replaceAll(keys: [], values: [])
    }
  }

  func assign(_ other: MapCore) {
    if other === self { return }
    if let store, other.store === store, other.owner == owner, other.property == property,
      other.access === access
    {
      return
    }
    replaceAll(with: other.standaloneElements)
  }

  /// Makes these the entries.
  func replaceAll(with given: [(String, StandaloneValue)]) {
    guard let elements = withoutPlaces(given.map(\.1)) else { return }
    guard store != nil else {
      entries.removeAll()
      for (entry, element) in zip(given, elements) { entries.set(element, forKey: entry.0) }
      return standaloneElementsChanged()
    }
    removeAll()
    for (entry, element) in zip(given, elements) { set(element, forKey: entry.0) }
  }

  private var givenEntries: [(String, StandaloneValue)] {
    let entries = orderedEntries
    return Array(zip(entries.keys, entries.elements))
  }

  /// The elements as they go to another collection. Of an owner that is being added those that it was given: their rows may not be there yet.
  var standaloneElements: [(String, StandaloneValue)] {
    if store == nil || !isEmptyStandalone {
      noteStandaloneRead()
      return givenEntries
    }
    return storedEntries.map { ($0.key, StandaloneValue(cell($0.value))) }
  }

  private func replaceRow(_ key: String, with value: Value) throws {
    try runTakingOut(table?.replace ?? "", .text(key)) { try bindEntry(key, value, to: $0) }
  }

  private func insertRow(_ key: String, _ value: Value) throws {
    try run(table?.insertIntoList ?? "") {
      try $0.bind(owner, at: 1)
      try bindEntry(key, value, to: $0)
    }
  }

  private func bindEntry(_ key: String, _ value: Value, to statement: Statement) throws {
    try statement.bind(key, at: 2)
    try bind(value, to: statement, at: 3)
  }

  override func load(_ store: Store, _ access: ModelAccess) throws {
    guard let table else { return }
    var newKeys: [String] = []
    var newValues: [Value] = []
    try store.database.withStatement(table.read) { statement in
      try statement.bind(owner, at: 1)
      while try statement.step() {
        newKeys.append(statement.string(at: 0))
        newValues.append(try table.codec.read(statement, at: 1))
      }
    }
    heldRows.replaceAll(keys: newKeys, values: newValues)
  }

  override func makeRows() -> CollectionRows { MapRows(owner: owner) }

  override var standaloneObjects: [Object] {
    guard entries.hasObjects else { return [] }
    return orderedEntries.elements.compactMap {
      if case .object(let object) = $0 { object } else { nil }
    }
  }

  override var hasStoredElements: Bool { heldRows.count > 0 }

  override var sharedEmpty: CollectionCore { SharedEmptyCollection.map.core }

  override var isEmptyStandalone: Bool { entries.count == 0 }

  override func standaloneStoredElements(
    _ value: (StandaloneValue) throws -> Value
  ) throws -> [(key: String, value: Value)] {
    try givenEntries.map { ($0.0, try value($0.1)) }
  }

  override func hasElements(_ elements: [(key: String, value: Value)]) -> Bool {
    // Both are in the order of their keys.
    elements.map(\.value).elementsEqual(rows.values)
      && elements.map { Value.string($0.key) }.elementsEqual(rows.keys.map(Value.string))
  }

  override func replaceElements(_ elements: [(key: String, value: Value)]) throws {
    try runTakingOut(table?.removeAll ?? "", nil)
    for element in elements { try insertRow(element.key, element.value) }
  }

  override func insertStandaloneElements() throws {
    guard let store, let access else { return }
    for (key, element) in givenEntries {
      try insertRow(key, try storedValue(element, store, access))
    }
  }

  override func forgetStandaloneElements() { entries.removeAll() }

  override func standaloneElementsRestorer() -> () -> Void {
    { [entries] in self.entries = entries }
  }

  override func detached(_ copy: (Object) -> Object) -> CollectionCore {
    let core = MapCore()
    for (key, element) in standaloneElements {
      if case .object(let object) = element {
        core.set(.object(copy(object)), forKey: key)
      } else {
        core.set(element, forKey: key)
      }
    }
    return core
  }
}
