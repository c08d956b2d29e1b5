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

  /// The elements of a collection, in order.
  func elements(of property: Property, in row: FrozenRow) throws -> [CollectionElement]

  func replaceElements(
    of property: Property, in row: FrozenRow, with elements: [CollectionElement]) throws
}

/// One element of a stored collection: with its key in a map, in order in a list.
package struct CollectionElement: Hashable {
  package var key: String?
  package var value: Value

  package init(key: String? = nil, value: Value) {
    self.key = key
    self.value = value
  }
}
