package import StrataSchema

/// The old and the new objects of one step, while a block that looks beyond one object is run.
protocol StepWorkspace: AnyObject {
  /// Runs a mapping over all old objects in identity order.
  func run(_ mapping: StepContext.Mapping) throws

  /// The rows of a model in identity order, of the older or the newer version.
  func rows(of model: String, version: Int) throws -> AnySequence<FrozenRow>

  func row(of model: String, version: Int, identity: Int64) throws -> FrozenRow?

  func row(of model: String, version: Int, primaryKey: [Value]) throws -> FrozenRow?

  /// Stores a new object of the newer version with the next identity.
  func create(_ model: String, version: Int, _ body: (FrozenRow) throws -> Void) throws
    -> FrozenRow

  func delete(_ row: FrozenRow) throws

  /// A new object's row was assigned to.
  func wasWritten(_ row: FrozenRow) throws

  /// What is wrong where a block writes to an object that may only be read.
  func refusal(toWrite property: Property, of model: Model) -> MigrationError

  /// Whether the block that works on it has returned.
  var isOver: Bool { get }

  /// Whether something was set or stored since a new object was read, which it may not show.
  func isOutdated(_ row: FrozenRow) -> Bool

  /// Reads a new object again. One that is gone keeps what was read.
  func refresh(_ row: FrozenRow) throws

  /// Something went wrong in an accessor of a row; the upgrade stops when the block returns.
  func failed(_ error: any Error, in row: FrozenRow)

  /// The elements of a collection, in order.
  func elements(of property: Property, in row: FrozenRow) throws -> [CollectionElement]

  func replaceElements(
    of property: Property, in row: FrozenRow, with elements: [CollectionElement]) throws

  /// Adds an element behind those of a list, or to a set that may have it.
  func append(_ value: Value, to property: Property, in row: FrozenRow) throws

  /// The value at a key of a map.
  func value(at key: String, of property: Property, in row: FrozenRow) throws -> Value?

  /// Sets the value at a key of a map; nil takes it out.
  func set(_ value: Value?, at key: String, of property: Property, in row: FrozenRow) throws
}

extension StepWorkspace {
  func refusal(toWrite property: Property, of model: Model) -> MigrationError {
    BlockFailure.oldObject(written: property, of: model)
  }

  func append(_ value: Value, to property: Property, in row: FrozenRow) throws {
    try replaceElements(
      of: property, in: row,
      with: elements(of: property, in: row) + [CollectionElement(value: value)])
  }

  func value(at key: String, of property: Property, in row: FrozenRow) throws -> Value? {
    try elements(of: property, in: row).first { $0.isAt(key) }?.value
  }

  func set(_ value: Value?, at key: String, of property: Property, in row: FrozenRow) throws {
    var rest = try elements(of: property, in: row).filter { !$0.isAt(key) }
    if let value { rest.append(CollectionElement(key: key, value: value)) }
    try replaceElements(of: property, in: row, with: rest)
  }
}

extension CollectionElement {
  /// Keys are the same where their bytes are.
  fileprivate func isAt(_ key: String) -> Bool { Self.same(self.key ?? "", key) }

  fileprivate static func same(_ left: String, _ right: String) -> Bool {
    left.isSpelled(like: right)
  }
}

/// One element of a stored collection: with its key in a map, in order in a list.
package struct CollectionElement: Hashable {
  package var key: String?
  package var value: Value

  package init(key: String? = nil, value: Value) {
    self.key = key
    self.value = value
  }

  /// Written out, because Swift's own == of strings is canonical equivalence: stored keys differ where their bytes do.
  package static func == (left: CollectionElement, right: CollectionElement) -> Bool {
    guard left.value == right.value else { return false }
    switch (left.key, right.key) {
    case (nil, nil): return true
    case (let left?, let right?): return same(left, right)
    default: return false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(value)
    guard var key else { return }
    key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
