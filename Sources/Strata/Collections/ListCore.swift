import StrataSQLite
import StrataSchema

/// What `List` is inside.
public final class ListCore: CollectionCore {
  /// The room between the order keys of neighbours.
  package static let gap: Int64 = 1 << 16
  /// An order key is nearer to 0, however long a list is: there is always room behind the last.
  static let maximumKey: Int64 = 1 << 61

  @exclusivity(unchecked) private var elements: [StandaloneValue] = []

  /// The rows of a managed list.
  private var rows: ListRows {
    refresh()
    return heldRows
  }

  /// The same as they were read or written last.
  private var heldRows: ListRows {
    // `makeRows` is the only one that makes them.
    if let anyRows { return unsafeDowncast(anyRows, to: ListRows.self) }
    // Nothing could be read.
    let rows = ListRows(owner: owner)
    anyRows = rows
    return rows
  }

  override var count: Int {
    guard store == nil else { return rows.count }
    noteStandaloneRead()
    return elements.count
  }

  /// The elements as they are now.
  var snapshot: ElementSnapshot {
    if store == nil {
      noteStandaloneRead()
      return ElementSnapshot(standalone: elements, of: self)
    }
    return ElementSnapshot(stored: rows.values, of: self)
  }

  func element(at index: Int) -> _GeneratedCell {
    if store == nil {
      noteStandaloneRead()
      return elements[index].cell ?? .null
    }
    return cell(rows.values[index])
  }

  /// Everything as values, links as links.
  var storedValues: [Value] { Array(rows.values) }

  /// The elements as they go to another collection. Of an owner that is being added those that it was given: their rows may not be there yet.
  var standaloneElements: [StandaloneValue] {
    if store == nil || !elements.isEmpty {
      noteStandaloneRead()
      return elements
    }
    return rows.values.map { StandaloneValue(cell($0)) }
  }

  func holds(_ elements: [StandaloneValue], depth: Int = 0) -> Bool {
    let own = standaloneElements
    return own.count == elements.count
      && zip(own, elements).allSatisfy { $1.isSame(as: $0, depth: depth) }
  }

  // MARK: - Changes

  func insert(_ element: StandaloneValue, at index: Int) {
    checkIndex(index, upTo: count)
    guard store != nil else {
      elements.insert(element, at: index)
      return standaloneElementsChanged()
    }
    change("insert") { store, access in
      let value = try storedValue(element, store, access)
      let rows = heldRows
      let key = try rows.freeKey(at: index, move)
      try insertRow(key, value)
      rows.insert(value, key, at: index)
    }
  }

  func append(_ element: StandaloneValue) {
    guard staysUnread else { return insert(element, at: count) }
    change("append", reads: false) { store, access in
      let value = try storedValue(element, store, access)
      try insertRow(try (lastKey(store) ?? 0) + Self.gap, value)
    }
  }

  private func insertRow(_ key: Int64, _ value: Value) throws {
    try run(table?.insertIntoList ?? "") {
      try $0.bind(owner, at: 1)
      try $0.bind(key, at: 2)
      try bind(value, to: $0, at: 3)
    }
  }

  /// The order key of the last element in the table.
  private func lastKey(_ store: Store) throws -> Int64? {
    guard let table else { return nil }
    return try store.database.withStatement(table.lastKey) { statement in
      try statement.bind(owner, at: 1)
      return try statement.step() ? try orderKey(statement, of: table) : nil
    }
  }

  /// The order key in the first column of a row.
  private func orderKey(_ statement: Statement, of table: CollectionTable) throws -> Int64 {
    let key = statement.integer(at: 0)
    guard statement.storageClass(at: 0) == .integer,
      (-Self.maximumKey...Self.maximumKey).contains(key)
    else {
      throw FileDamage(
        "an order key of \(table.quotedName) is '\(statement.string(at: 0))', whose owner is _row \(owner)"
      )
    }
    return key
  }

  /// A value of a stored list that is equal to another one where their stored forms are, so that it can be looked up; nil for
  /// everything else, as texts beyond ASCII, which Swift takes for equal with other bytes.
  func findableValue(_ cell: consuming _GeneratedCell) -> Value? {
    guard store != nil, table?.codec.kind != .any, let value = cell.value else { return nil }
    switch value {
    case .null, .bool, .int, .data, .uuid, .objectID: return value
    case .string(let text): return text.utf8.allSatisfy(Self.isSpelledOneWay) ? value : nil
    case .float, .double, .date, .decimal, .link, .object: return nil
    }
  }

  /// Whether a byte is a character that equals no other one. The Kelvin sign equals K, the Greek question mark a semicolon, and the
  /// Greek varia a grave accent.
  private static func isSpelledOneWay(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "K"), UInt8(ascii: ";"), UInt8(ascii: "`"): false
    default: byte < 0x80
    }
  }

  /// The first place of a value.
  func index(of value: Value) -> Int? { looking { $0.index(of: value) } }

  func contains(_ value: Value) -> Bool { looking { $0.contains(value) } }

  /// The rows remember what was looked for, and those of a frozen store may be asked by several threads.
  private func looking<Result>(_ body: (ListRows) -> Result) -> Result {
    store?.lockIfShared()
    defer { store?.unlockIfShared() }
    return body(rows)
  }

  /// The first place of an object.
  func index(of object: Object) -> Int? {
    guard let store else {
      noteStandaloneRead()
      return elements.firstIndex {
        if case .object(let element) = $0 { element.isSameObject(as: object) } else { false }
      }
    }
    guard store.isSameFile(as: object.manager), let access,
      access.targets[property]?.model.name == object.model.model.name
    else { return nil }
    return index(of: .link(object.row))
  }

  func set(_ element: StandaloneValue, at index: Int) {
    checkIndex(index, upTo: count - 1)
    guard store != nil else {
      elements[index] = element
      return standaloneElementsChanged()
    }
    change("replace") { store, access in
      let rows = heldRows
      try replace(rows.values[index], with: element, store, access) { value in
        try runTakingOut(table?.replace ?? "", .integer(rows.keys[index])) {
          try $0.bind(rows.keys[index], at: 2)
          try bind(value, to: $0, at: 3)
        }
        rows.replace(at: index, with: value)
      }
    }
  }

  func remove(at index: Int) {
    checkIndex(index, upTo: count - 1)
    guard store != nil else {
      elements.remove(at: index)
      return standaloneElementsChanged()
    }
    change("remove") { _, _ in
      let rows = heldRows
      try runTakingOut(table?.remove ?? "", .integer(rows.keys[index])) {
        try $0.bind(rows.keys[index], at: 2)
      }
      rows.remove(at: index)
    }
  }

  func removeAll() {
    guard store != nil else {
      elements.removeAll()
      return standaloneElementsChanged()
    }
    change("removeAll") { _, _ in
      try runTakingOut(table?.removeAll ?? "", nil)
      heldRows.replaceAll(keys: [], values: [])
    }
  }

  /// Takes one element to where it has the index `target` in the end.
  func move(from source: Int, to target: Int) {
    checkIndex(source, upTo: count - 1)
    checkIndex(target, upTo: count - 1)
    guard store != nil else {
      elements.insert(elements.remove(at: source), at: target)
      return standaloneElementsChanged()
    }
    change("move") { _, _ in
      if source == target { return }
      let rows = heldRows
      // Its place is between those who are its neighbours in the end.
      let key = try rows.freeKey(at: target > source ? target + 1 : target, move)
      // Making room may have given the element itself another key.
      try move(rows.keys[source], to: key)
      rows.move(from: source, to: target, key)
    }
  }

  func swapAt(_ first: Int, _ second: Int) {
    checkIndex(first, upTo: count - 1)
    checkIndex(second, upTo: count - 1)
    guard store != nil else {
      elements.swapAt(first, second)
      return standaloneElementsChanged()
    }
    change("swap") { _, _ in
      if first == second { return }
      // Keys, not values: an embedded object must not leave its list even for a moment.
      let rows = heldRows
      let between = try rows.freeKey(at: rows.count, move)
      let (a, b) = (rows.keys[first], rows.keys[second])
      try move(a, to: between)
      try move(b, to: a)
      try move(between, to: b)
      rows.swapAt(first, second)
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
    replaceAll(with: other.standaloneElements)
  }

  /// Makes these the elements.
  func replaceAll(with elements: [StandaloneValue]) {
    guard let elements = withoutPlaces(elements) else { return }
    guard store != nil else {
      self.elements = elements
      return standaloneElementsChanged()
    }
    removeAll()
    for element in elements { append(element) }
  }

  /// Gives an element another order key.
  private func move(_ old: Int64, to new: Int64) throws {
    try run(table?.move ?? "") {
      try $0.bind(owner, at: 1)
      try $0.bind(old, at: 2)
      try $0.bind(new, at: 3)
    }
  }

  private func checkIndex(_ index: Int, upTo last: Int) {
    checkUse(
      index >= 0 && index <= last,
      "The index \(index) is outside of the list, which has \(count) elements.")
  }

  // MARK: - Reading and adding

  override func load(_ store: Store, _ access: ModelAccess) throws {
    guard let table else { return }
    var newKeys: [Int64] = []
    var newValues: [Value] = []
    try store.database.withStatement(table.read) { statement in
      try statement.bind(owner, at: 1)
      while try statement.step() {
        newKeys.append(try orderKey(statement, of: table))
        newValues.append(try table.codec.read(statement, at: 1))
      }
    }
    heldRows.replaceAll(keys: newKeys, values: newValues)
  }

  override func makeRows() -> CollectionRows { ListRows(owner: owner) }

  override var standaloneObjects: [Object] {
    elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  override var hasStoredElements: Bool { heldRows.count > 0 }

  override var sharedEmpty: CollectionCore { SharedEmptyCollection.list.core }

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
    elements.map(\.value).elementsEqual(rows.values)
  }

  override func replaceElements(_ elements: [(key: String, value: Value)]) throws {
    try runTakingOut(table?.removeAll ?? "", nil)
    try insertRows(elements.map(\.value))
  }

  /// The rows hold the elements from now on.
  override func forgetStandaloneElements() { elements.removeAll() }

  override func standaloneElementsRestorer() -> () -> Void {
    { [elements] in self.elements = elements }
  }

  override func detached(_ copy: (Object) -> Object) -> CollectionCore {
    let core = ListCore()
    core.elements = standaloneElements.map { element in
      if case .object(let object) = element { return .object(copy(object)) }
      return element
    }
    return core
  }
}
