/// A property of a class, as its file declares it.
package struct RealmColumn {
  package enum Kind: Hashable, Sendable {
    case int, bool, string, data, mixed, date, float, double, decimal, objectID, uuid
    /// - Parameter table: number of the table that it leads to.
    case link(table: Int)
    /// A type of old files that no app has used, by its number.
    case unsupported(Int)
  }

  package enum Collection: Hashable, Sendable {
    case none, list, set, dictionary
  }

  package let name: String
  package let kind: Kind
  package let collection: Collection
  /// Whether the value, or an element of the collection, may be null.
  package let isNullable: Bool
  package let isIndexed: Bool
  package let isFulltext: Bool
  /// Where the column stands: in a cluster, or among the roots of an old table.
  let place: Int
  /// How its values, or those of its collections, are read.
  let leafKind: Leaf.Kind

  /// How the keys of dictionaries are read.
  static var keyKind: Leaf.Kind { .text(isNullable: true, isLegacy: false, list: nil) }

  /// What stands where a table is older than the column.
  var absentValue: RealmValue {
    if isNullable { return .null }
    switch kind {
    case .int: return .int(0)
    case .bool: return .bool(false)
    case .string: return .string("")
    case .data: return .data([])
    case .float: return .float(0)
    case .double: return .double(0)
    case .date: return .date(seconds: 0, nanoseconds: 0)
    default: return .null
    }
  }
}

/// The types of columns, by the numbers that files have.
enum ColumnType: Int {
  case int = 0
  case bool = 1
  case string = 2
  case stringEnum = 3
  case data = 4
  case table = 5
  case mixed = 6
  case oldDate = 7
  case date = 8
  case float = 9
  case double = 10
  case decimal = 11
  case link = 12
  case linkList = 13
  case backlink = 14
  case objectID = 15
  case typedLink = 16
  case uuid = 17
}

/// The bits of a column's attributes.
struct ColumnAttributes {
  let bits: Int64

  var isIndexed: Bool { bits & 1 != 0 }
  var isNullable: Bool { bits & 16 != 0 }
  var isList: Bool { bits & 32 != 0 }
  var isDictionary: Bool { bits & 64 != 0 }
  var isSet: Bool { bits & 128 != 0 }
  var isFulltext: Bool { bits & 256 != 0 }
}

/// What the specification of a table says of one column.
struct ColumnSpec {
  let name: String
  let type: ColumnType?
  let number: Int
  let attributes: ColumnAttributes
  /// Its position in the specification.
  let position: Int
  /// By the column's key; in old files its position.
  let leafIndex: Int

  var isPublic: Bool { type != .backlink }
}

/// The specification of a table: its columns' types, names, attributes and keys.
struct TableSpec {
  /// Realm's own bound: a column's key has 16 bits for it.
  static let maximumColumns = 65_535
  /// What a column counts as. Realm spends several bytes on one, each of which stands for 256, so that no file of its own meets the bound.
  private static let elementsOfColumn = 64

  let columns: [ColumnSpec]
  /// One for each column that has a list of its different strings, by position; from format 10 on by position, before it in their order.
  let enumKeys: Node?
  /// Of old files: where links lead, and the specifications of inner tables.
  let inner: Node?

  init(_ bytes: RealmBytes, _ ref: Int, isLegacy: Bool) throws(RealmError) {
    let spec = try Node(bytes, ref)
    let types = try Node(bytes, try spec.child(0, "the types of columns"))
    let names = try StringLeaf(
      bytes, try spec.child(1, "the names of columns"), isText: true, isNullable: false,
      isLegacy: isLegacy)
    let attributes = try Node(bytes, try spec.child(2, "the attributes of columns"))
    guard types.count <= Self.maximumColumns else {
      throw RealmError("a table has more than \(Self.maximumColumns) columns", at: ref)
    }
    // Nodes of zeros say of any number of columns in eight bytes, and each column takes memory, with an empty name, too.
    try bytes.charge(elements: Self.elementsOfColumn * types.count, at: ref)
    try attributes.checkCount(types.count, "the list of attributes")
    inner = try spec.ref(at: 3).map { (ref) throws(RealmError) in try Node(bytes, ref) }
    enumKeys = try spec.ref(at: 4).map { (ref) throws(RealmError) in try Node(bytes, ref) }
    let keys = isLegacy ? nil : try Node(bytes, try spec.child(5, "the keys of columns"))
    var columns: [ColumnSpec] = []
    for position in 0..<types.count {
      let number = Int(truncatingIfNeeded: try types.integer(at: position) & 0xFFFF)
      let type = ColumnType(rawValue: number)
      var name = ""
      if type != .backlink {
        guard position < names.count,
          case .string(let text) = try names.text(at: position, in: bytes)
        else { throw RealmError("a column has no name", at: ref) }
        name = text
      }
      columns.append(
        ColumnSpec(
          name: name, type: type, number: number,
          attributes: ColumnAttributes(bits: try attributes.integer(at: position)),
          position: position,
          leafIndex: try keys.map { (keys) throws(RealmError) in
            Int(truncatingIfNeeded: try keys.integer(at: position) & 0xFFFF)
          } ?? position))
    }
    self.columns = columns
  }
}
