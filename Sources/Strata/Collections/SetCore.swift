import StrataSQLite
import StrataSchema

/// What `MutableSet` is inside. Two values are one when SQLite takes them for equal: 0.0 and −0.0, in a set of `any` also
/// 1 and 1.0; objects when they are the same row. docs/layout.md says it for users.
public final class SetCore: CollectionCore {
  private var elements = StandaloneSet()

  /// The rows of a managed set.
  private var rows: SetRows {
    refresh()
    return heldRows
  }

  /// The same as they were read or written last.
  private var heldRows: SetRows {
    // `makeRows` is the only one that makes them.
    if let anyRows { return unsafeDowncast(anyRows, to: SetRows.self) }
    // Nothing could be read.
    let rows = SetRows(owner: owner, codec: table?.codec)
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
      return ElementSnapshot(standalone: elements.elements, of: self)
    }
    return ElementSnapshot(stored: rows.values, of: self)
  }

  func element(at index: Int) -> _GeneratedCell {
    if store == nil {
      noteStandaloneRead()
      return elements.elements[index].cell ?? .null
    }
    return cell(rows.values[index])
  }

  var storedValues: [Value] { Array(rows.values) }

  /// The elements as they go to another collection. Of an owner that is being added those that it was given: their rows may not be there yet.
  var standaloneElements: [StandaloneValue] {
    if store == nil || elements.count > 0 {
      noteStandaloneRead()
      return elements.elements
    }
    return rows.values.map { StandaloneValue(cell($0)) }
  }

  func index(of element: StandaloneValue) -> Int? {
    guard let store else {
      noteStandaloneRead()
      return elements.index(of: element)
    }
    return storedForm(of: element, store).flatMap { rows.index(of: $0) }
  }

  /// What would stand in the table for an element that may be there; nil for an object that is not.
  private func storedForm(of element: StandaloneValue, _ store: Store) -> Value? {
    switch element {
    case .value(let value): return value
    case .object(let object):
      guard object.manager?.isSameFile(as: store) == true, let access else { return nil }
      let model = object.model.model.name
      guard let target = access.targets[property] else {
        return .object(model: model, identity: object.row)
      }
      return target.model.name == model ? .link(object.row) : nil
    case .collection: return nil
    }
  }

  func holds(_ elements: [StandaloneValue]) -> Bool {
    let different = SetCore()
    for element in elements { different.insert(element) }
    return different.count == count && elements.allSatisfy { index(of: $0) != nil }
  }

  /// - Returns: whether it was not there before.
  @discardableResult
  func insert(_ element: StandaloneValue) -> Bool {
    guard store != nil else {
      guard elements.insert(element) else { return false }
      standaloneElementsChanged()
      return true
    }
    if let store, staysUnread { return insertUnread(element, store) }
    var place: Int?
    if case .value(let value) = element {
      let (index, isThere) = rows.position(of: value)
      if isThere { return false }
      place = index
    } else if index(of: element) != nil {
      return false
    }
    change("insert") { store, access in
      let value = try storedValue(element, store, access)
      try insertRow(value)
      let rows = heldRows
      rows.insert(value, at: place ?? rows.position(of: value).index)
    }
    return true
  }

  private func insertUnread(_ element: StandaloneValue, _ store: Store) -> Bool {
    if let value = storedForm(of: element, store), isInTable(value, store) { return false }
    change("insert", reads: false) { store, access in
      try insertRow(try storedValue(element, store, access))
    }
    return true
  }

  private func isInTable(_ value: Value, _ store: Store) -> Bool {
    guard let table, store.prepareToRead() else { return false }
    do {
      return try store.database.withStatement(table.isInSet) { statement in
        try statement.bind(owner, at: 1)
        try bind(value, to: statement, at: 2)
        return try statement.step()
      }
    } catch {
      store.fail(error)
      if store.isInWriteTransaction { store.refuse(error) }
      return false
    }
  }

  /// - Returns: whether it was there.
  @discardableResult
  func remove(_ element: StandaloneValue) -> Bool {
    guard let index = index(of: element) else { return false }
    guard store != nil else {
      elements.remove(at: index)
      standaloneElementsChanged()
      return true
    }
    change("remove") { _, _ in
      try run(table?.removeFromSet ?? "") {
        try $0.bind(owner, at: 1)
        try bind(heldRows.values[index], to: $0, at: 2)
      }
      heldRows.remove(at: index)
    }
    return true
  }

  func removeAll() {
    guard store != nil else {
      elements.removeAll()
      return standaloneElementsChanged()
    }
    change("removeAll") { _, _ in
      try run(table?.removeAll ?? "") { try $0.bind(owner, at: 1) }
      heldRows.replaceAll([])
    }
  }

  func assign(_ other: SetCore) {
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
    guard store != nil else {
      self.elements.removeAll()
      for element in elements { self.elements.insert(element) }
      return standaloneElementsChanged()
    }
    removeAll()
    for element in elements { insert(element) }
  }

  private func insertRow(_ value: Value) throws {
    try run(table?.insertIntoSet ?? "") {
      try $0.bind(owner, at: 1)
      try bind(value, to: $0, at: 2)
    }
  }

  override func load(_ store: Store, _ access: ModelAccess) throws {
    guard let table else { return }
    var newValues: [Value] = []
    try store.database.withStatement(table.readSet) { statement in
      try statement.bind(owner, at: 1)
      while try statement.step() { newValues.append(try table.codec.read(statement, at: 0)) }
    }
    heldRows.replaceAll(newValues)
  }

  override func makeRows() -> CollectionRows { SetRows(owner: owner, codec: table?.codec) }

  override var standaloneObjects: [Object] {
    elements.elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
  }

  override var hasStoredElements: Bool { heldRows.count > 0 }

  override var sharedEmpty: CollectionCore { SharedEmptyCollection.set.core }

  override var isEmptyStandalone: Bool { elements.count == 0 }

  override func standaloneStoredElements(
    _ value: (StandaloneValue) throws -> Value
  ) throws -> [(key: String, value: Value)] {
    try elements.elements.map { ("", try value($0)) }
  }

  override func hasElements(_ elements: [(key: String, value: Value)]) -> Bool {
    // Looked for as they are: the key of a whole double is an int, which a column of doubles does not hold.
    Set(elements.map(\.value.setKey)).count == rows.count
      && elements.allSatisfy { rows.index(of: $0.value) != nil }
  }

  override func replaceElements(_ elements: [(key: String, value: Value)]) throws {
    try run(table?.removeAll ?? "") { try $0.bind(owner, at: 1) }
    try insertRows(elements.map(\.value))
  }

  /// Two objects that were given may have become one, with one primary key.
  private func insertRows(_ values: [Value]) throws {
    var inserted: Set<Value> = []
    for value in values where inserted.insert(value.setKey).inserted { try insertRow(value) }
  }

  override func insertStandaloneElements() throws {
    guard let store, let access else { return }
    try insertRows(elements.elements.map { try storedValue($0, store, access) })
  }

  override func forgetStandaloneElements() { elements.removeAll() }

  override func standaloneElementsRestorer() -> () -> Void {
    { [elements] in self.elements = elements }
  }

  override func detached(_ copy: (Object) -> Object) -> CollectionCore {
    let core = SetCore()
    for element in standaloneElements {
      if case .object(let object) = element {
        core.insert(.object(copy(object)))
      } else {
        core.insert(element)
      }
    }
    return core
  }
}

extension StandaloneValue {
  /// Whether a property or a list holds the same with either, bit for bit.
  func isIdentical(to other: StandaloneValue) -> Bool {
    switch (self, other) {
    case (.value(let a), .value(let b)): a == b
    case (.object(let a), .object(let b)): a.isSameObject(as: b)
    default: false
    }
  }

  /// Whether a set takes both for one.
  func isSameElement(as other: StandaloneValue) -> Bool {
    switch (self, other) {
    case (.value(let a), .value(let b)): a.setKey == b.setKey
    case (.object(let a), .object(let b)): a.isSameObject(as: b)
    default: false
    }
  }
}

extension Value {
  /// Equal for values that a set's key takes for equal.
  var setKey: Value {
    switch self {
    case .float(let value) where value == 0: .float(0)
    // Also of −0.0.
    case .double(let value): Int64(exactly: value).map(Value.int) ?? self
    case .date(let value) where value == 0: .date(0)
    default: self
    }
  }
}
