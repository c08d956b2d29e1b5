import StrataSQLite
import StrataSchema

/// A set inside. Two values are one when SQLite takes them for equal: 0.0 and −0.0, in a set of `any` also
/// 1 and 1.0; objects when they are the same row. docs/layout.md says it for users.
public final class SetCore: CollectionCore {
  private var elements: [StandaloneValue] = []
  /// The values of a managed set in their stored order.
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

  var storedValues: [Value] {
    refresh()
    return values
  }

  var standaloneElements: [StandaloneValue] {
    if store == nil { return elements }
    return (0..<count).map { StandaloneValue(element(at: $0)) }
  }

  func index(of element: StandaloneValue) -> Int? {
    if store == nil { return elements.firstIndex { $0.isSameElement(as: element) } }
    refresh()
    switch element {
    case .value(let value):
      let key = value.setKey
      return values.firstIndex { $0.setKey == key }
    case .object(let object):
      guard object.manager?.isSameFile(as: store) == true else { return nil }
      return values.firstIndex { value in
        switch value {
        case .link(let row): row == object.row
        case .object(let model, let row): row == object.row && model == object.model.model.name
        default: false
        }
      }
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
    if index(of: element) != nil { return false }
    guard store != nil else {
      elements.append(element)
      return true
    }
    change("insert") { store, access in
      let value = try storedValue(element, store, access)
      try insertRow(value)
      values.append(value)
    }
    return true
  }

  /// - Returns: whether it was there.
  @discardableResult
  func remove(_ element: StandaloneValue) -> Bool {
    guard let index = index(of: element) else { return false }
    guard store != nil else {
      elements.remove(at: index)
      return true
    }
    change("remove") { _, _ in
      try run("DELETE FROM \(quotedTable) WHERE _owner = ?1 AND value IS ?2") {
        try $0.bind(owner, at: 1)
        try bind(values[index], to: $0, at: 2)
      }
      values.remove(at: index)
    }
    return true
  }

  func removeAll() {
    guard store != nil else {
      elements.removeAll()
      return
    }
    change("removeAll") { _, _ in
      try run("DELETE FROM \(quotedTable) WHERE _owner = ?1") { try $0.bind(owner, at: 1) }
      values.removeAll()
    }
  }

  func assign(_ other: SetCore) {
    if other === self { return }
    if let store, other.store === store, other.owner == owner, other.property == property,
      other.access === access
    {
      return
    }
    let elements = other.standaloneElements
    removeAll()
    for element in elements { insert(element) }
  }

  private func insertRow(_ value: Value) throws {
    try run("INSERT INTO \(quotedTable) (_owner, value) VALUES (?1, ?2)") {
      try $0.bind(owner, at: 1)
      try bind(value, to: $0, at: 2)
    }
  }

  override func load(_ store: Store, _ access: ModelAccess) throws {
    guard let table else { return }
    var newValues: [Value] = []
    try store.database.withStatement(
      "SELECT value FROM \(quotedTable) WHERE _owner = ?1 ORDER BY value"
    ) { statement in
      try statement.bind(owner, at: 1)
      while try statement.step() { newValues.append(try table.codec.read(statement, at: 0)) }
    }
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
    try elements.map { ("", try value($0)) }
  }

  override func hasElements(_ elements: [(key: String, value: Value)]) -> Bool {
    Set(elements.map(\.value)) == Set(values)
  }

  override func replaceElements(_ elements: [(key: String, value: Value)]) throws {
    try run("DELETE FROM \(quotedTable) WHERE _owner = ?1") { try $0.bind(owner, at: 1) }
    try insertRows(elements.map(\.value))
  }

  /// Two objects that were given may have become one, with one primary key.
  private func insertRows(_ values: [Value]) throws {
    var inserted: Set<Value> = []
    for value in values where inserted.insert(value.setKey).inserted { try insertRow(value) }
  }

  override func insertStandaloneElements() throws {
    guard let store, let access else { return }
    try insertRows(elements.map { try storedValue($0, store, access) })
  }

  override func forgetStandaloneElements() { elements = [] }

  override func detached(_ copy: (Object) -> Object?) -> CollectionCore {
    let core = SetCore()
    for element in standaloneElements {
      if case .object(let object) = element {
        if let object = copy(object) { core.insert(.object(object)) }
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
  fileprivate var setKey: Value {
    switch self {
    case .float(let value) where value == 0: .float(0)
    // Also of −0.0.
    case .double(let value): Int64(exactly: value).map(Value.int) ?? self
    case .date(let value) where value == 0: .date(0)
    default: self
    }
  }
}
