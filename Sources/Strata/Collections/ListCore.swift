import StrataSQLite
import StrataSchema

/// A list inside.
public final class ListCore: CollectionCore {
  /// The room between the order keys of neighbours: as many times as this can be halved, something can be inserted in
  /// one place before the list is numbered anew.
  static let gap: Int64 = 1 << 16
  /// An order key is nearer to 0, however long a list is: there is always room behind the last.
  static let maximumKey: Int64 = 1 << 61

  @exclusivity(unchecked) private var elements: [StandaloneValue] = []
  /// The order keys and values of a managed list.
  private var keys: [Int64] = []
  private var values: [Value] = []

  var count: Int {
    if store == nil { return elements.count }
    refresh()
    return values.count
  }

  /// The elements as they are now.
  var snapshot: ElementSnapshot {
    if store == nil { return ElementSnapshot(standalone: elements, of: self) }
    refresh()
    return ElementSnapshot(stored: values, of: self)
  }

  func element(at index: Int) -> GeneratedCell {
    if store == nil { return elements[index].cell ?? .null }
    refresh()
    return cell(values[index])
  }

  /// Everything as values, links as links.
  var storedValues: [Value] {
    refresh()
    return values
  }

  var standaloneElements: [StandaloneValue] {
    if store == nil { return elements }
    return (0..<count).map { StandaloneValue(element(at: $0)) }
  }

  func holds(_ elements: [StandaloneValue]) -> Bool {
    let own = standaloneElements
    return own.count == elements.count
      && zip(own, elements).allSatisfy { $0.isIdentical(to: $1) }
  }

  // MARK: - Changes

  func insert(_ element: StandaloneValue, at index: Int) {
    checkIndex(index, upTo: count)
    guard store != nil else {
      elements.insert(element, at: index)
      return
    }
    change("insert") { store, access in
      let value = try storedValue(element, store, access)
      let key = try freeKey(at: index)
      try run(table?.insertIntoList ?? "") {
        try $0.bind(owner, at: 1)
        try $0.bind(key, at: 2)
        try bind(value, to: $0, at: 3)
      }
      keys.insert(key, at: index)
      values.insert(value, at: index)
    }
  }

  func append(_ element: StandaloneValue) { insert(element, at: count) }

  func set(_ element: StandaloneValue, at index: Int) {
    checkIndex(index, upTo: count - 1)
    guard store != nil else {
      elements[index] = element
      return
    }
    change("replace") { store, access in
      let value = try storedValue(element, store, access)
      if value == values[index], case .link = value { return }
      try run("UPDATE \(quotedTable) SET value = ?3 WHERE _owner = ?1 AND _index = ?2") {
        try $0.bind(owner, at: 1)
        try $0.bind(keys[index], at: 2)
        try bind(value, to: $0, at: 3)
      }
      values[index] = value
    }
  }

  func remove(at index: Int) {
    checkIndex(index, upTo: count - 1)
    guard store != nil else {
      elements.remove(at: index)
      return
    }
    change("remove") { _, _ in
      try run("DELETE FROM \(quotedTable) WHERE _owner = ?1 AND _index = ?2") {
        try $0.bind(owner, at: 1)
        try $0.bind(keys[index], at: 2)
      }
      keys.remove(at: index)
      values.remove(at: index)
    }
  }

  func removeAll() {
    guard store != nil else {
      elements.removeAll()
      return
    }
    change("removeAll") { _, _ in
      try run("DELETE FROM \(quotedTable) WHERE _owner = ?1") { try $0.bind(owner, at: 1) }
      keys.removeAll()
      values.removeAll()
    }
  }

  /// Takes one element to where it has the index `target` in the end.
  func move(from source: Int, to target: Int) {
    checkIndex(source, upTo: count - 1)
    checkIndex(target, upTo: count - 1)
    guard store != nil else {
      elements.insert(elements.remove(at: source), at: target)
      return
    }
    change("move") { _, _ in
      if source == target { return }
      // Its place is between those who are its neighbours in the end.
      var key = try freeKey(at: target > source ? target + 1 : target)
      // Numbering anew may have given the element another key.
      let old = keys[source]
      if key == old { key = old }
      try setKey(old, to: key)
      keys.remove(at: source)
      keys.insert(key, at: target)
      values.insert(values.remove(at: source), at: target)
    }
  }

  func swapAt(_ first: Int, _ second: Int) {
    checkIndex(first, upTo: count - 1)
    checkIndex(second, upTo: count - 1)
    guard store != nil else {
      elements.swapAt(first, second)
      return
    }
    change("swap") { _, _ in
      if first == second { return }
      // Keys, not values: an embedded object must not leave its list even for a moment.
      let between = try freeKey(at: values.count)
      let (a, b) = (keys[first], keys[second])
      try setKey(a, to: between)
      try setKey(b, to: a)
      try setKey(between, to: b)
      values.swapAt(first, second)
    }
  }

  /// Makes the elements those of another list; the same list stays as it is.
  func assign(_ other: ListCore) {
    if other === self { return }
    if let store, other.store === store, other.owner == owner, other.property == property,
      other.access === access
    {
      return
    }
    let elements = other.standaloneElements
    removeAll()
    for element in elements { append(element) }
  }

  private func setKey(_ old: Int64, to new: Int64) throws {
    try run("UPDATE \(quotedTable) SET _index = ?3 WHERE _owner = ?1 AND _index = ?2") {
      try $0.bind(owner, at: 1)
      try $0.bind(old, at: 2)
      try $0.bind(new, at: 3)
    }
  }

  private func checkIndex(_ index: Int, upTo last: Int) {
    precondition(
      index >= 0 && index <= last,
      "The index \(index) is outside of the list, which has \(count) elements.")
  }

  /// A key that sorts in front of the element at `index` and behind the one before it.
  private func freeKey(at index: Int) throws -> Int64 {
    if keys.isEmpty { return Self.gap }
    // Beyond either end there is room for 2^47 elements.
    if index == keys.count { return keys[index - 1] + Self.gap }
    if index == 0 { return keys[0] - Self.gap }
    if keys[index] - keys[index - 1] < 2 { try numberAnew() }
    return keys[index - 1] + (keys[index] - keys[index - 1]) / 2
  }

  private func numberAnew() throws {
    // First out of the way, because a key must be free when it is taken.
    try run("UPDATE \(quotedTable) SET _index = _index - ?2 WHERE _owner = ?1") {
      try $0.bind(owner, at: 1)
      try $0.bind(1 << 62 as Int64, at: 2)
    }
    for index in keys.indices {
      let key = Int64(index + 1) * Self.gap
      try setKey(keys[index] - 1 << 62, to: key)
      keys[index] = key
    }
  }

  // MARK: - Reading and adding

  override func load(_ store: Store, _ access: ModelAccess) throws {
    guard let table else { return }
    var newKeys: [Int64] = []
    var newValues: [Value] = []
    try store.database.withStatement(
      "SELECT _index, value FROM \(quotedTable) WHERE _owner = ?1 ORDER BY _index"
    ) { statement in
      try statement.bind(owner, at: 1)
      while try statement.step() {
        let key = statement.integer(at: 0)
        guard statement.storageClass(at: 0) == .integer,
          (-Self.maximumKey...Self.maximumKey).contains(key)
        else {
          throw FileDamage(
            "an order key of \(quotedTable) is '\(statement.string(at: 0))', whose owner is _row \(owner)"
          )
        }
        newKeys.append(key)
        newValues.append(try table.codec.read(statement, at: 1))
      }
    }
    keys = newKeys
    values = newValues
  }

  override var standaloneObjects: [Object] {
    elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  override var hasStoredElements: Bool { !values.isEmpty }

  override var isEmptyStandalone: Bool { elements.isEmpty }

  override func insertStandaloneElements() throws {
    guard let store, let access else { return }
    try insertRows(elements.map { try storedValue($0, store, access) })
  }

  private func insertRows(_ values: [Value]) throws {
    if values.isEmpty { return }
    guard let table, let store else { return }
    try store.database.withStatement(table.insertIntoList) { statement in
      try statement.bind(owner, at: 1)
      for (index, value) in values.enumerated() {
        try statement.bind(Int64(index + 1) * Self.gap, at: 2)
        try table.codec.bind(value, to: statement, at: 3)
        try statement.run()
      }
    }
  }

  override func standaloneStoredElements(
    _ value: (StandaloneValue) throws -> Value
  ) throws -> [(key: String, value: Value)] {
    try elements.map { ("", try value($0)) }
  }

  override func hasElements(_ elements: [(key: String, value: Value)]) -> Bool {
    elements.map(\.value) == values
  }

  override func replaceElements(_ elements: [(key: String, value: Value)]) throws {
    try run("DELETE FROM \(quotedTable) WHERE _owner = ?1") { try $0.bind(owner, at: 1) }
    try insertRows(elements.map(\.value))
  }

  /// The rows hold the elements from now on.
  override func forgetStandaloneElements() { elements = [] }

  override func detached(_ copy: (Object) -> Object?) -> CollectionCore {
    let core = ListCore()
    core.elements = standaloneElements.compactMap { element in
      if case .object(let object) = element { return copy(object).map(StandaloneValue.object) }
      return element
    }
    return core
  }
}
