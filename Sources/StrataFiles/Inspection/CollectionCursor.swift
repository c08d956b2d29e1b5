import Strata
import StrataSQLite
import StrataSchema

/// Reads the elements of one collection property, owner by owner in ascending order: a list's in order, a set's in the order of
/// their values, a map's by key.
final class CollectionCursor {
  private let statement: Statement
  private let database: Database
  private let table: String
  /// The table's name as messages say it.
  private let name: String
  private let codec: ColumnCodec
  private let isMap: Bool
  private var owner: Int64?
  private var hasRow: Bool
  /// Whether the statement stands on the element that `next` has told of.
  private var isOnElement = false

  /// - Parameter owner: the only object whose elements are read; nil for all.
  init(
    property: Property, model: Model, schema: Schema, database: Database, _ name: String,
    owner: Int64? = nil
  ) throws {
    self.database = database
    codec = property.codec(in: schema)
    var order = "_index"
    var isMap = false
    switch property.type {
    case .set: order = "value"
    case .map: isMap = true
    default: break
    }
    self.isMap = isMap
    self.name = LayoutNames.collection(model.name, property.name)
    table = SQL.identifier("\(model.name).\(property.name)", in: name)
    let condition = owner == nil ? "" : " WHERE _owner = ?"
    statement = try database.borrowStatement(
      """
      SELECT _owner, value\(isMap ? ", _index" : "") FROM \(table)\(condition) \
      ORDER BY _owner, \(order)
      """)
    if let owner { try statement.bind(owner, at: 1) }
    hasRow = try statement.step()
  }

  deinit { database.returnStatement(statement) }

  /// Goes to the elements of an owner that comes after all that were asked for before.
  func begin(_ owner: Int64) throws {
    if isOnElement {
      hasRow = try statement.step()
      isOnElement = false
    }
    while hasRow, statement.integer(at: 0) < owner { hasRow = try statement.step() }
    self.owner = owner
  }

  /// Goes to the owner's next element; false at the end.
  func next() throws -> Bool {
    if isOnElement {
      hasRow = try statement.step()
      isOnElement = false
    }
    guard hasRow, statement.integer(at: 0) == owner else { return false }
    isOnElement = true
    return true
  }

  /// The key of a map's element.
  var key: String? { isMap ? statement.string(at: 2) : nil }

  func value() throws -> Value {
    do {
      return try codec.read(statement, at: 1)
    } catch {
      throw FileDamage(
        "an element of \(name) cannot be read, whose owner is _row \(owner ?? 0): \(error)")
    }
  }

  /// How many elements the owner has.
  func count() throws -> Int {
    guard let owner else { return 0 }
    let count = try database.firstValue(
      "SELECT count(*) FROM \(table) WHERE _owner = ?", .integer(owner))
    return Int(count?.ifInteger ?? 0)
  }
}
