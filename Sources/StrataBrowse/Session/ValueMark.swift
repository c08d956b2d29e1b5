import Strata
import StrataSQLite
import StrataSchema

/// What tells whether the value that a page showed is there still: of a property and of a key of a map the value, of an element of a set
/// the value, too, of one of a list with the key by which it is ordered. A page and an edit name such elements by their positions.
struct ValueMark {
  /// That of a position behind the last element.
  static let end = "end"

  let content: BrowsedContent

  /// The marks of the positions that a change of an element names, by the name under which the change carries them: `was` for the
  /// element itself, `wasTo` for the one to whose position it moves. Of a map: of the value that is replaced or removed.
  func marks(
    of change: JSON, in property: Property, of model: Model, owner: Int64
  ) throws -> [String: JSON] {
    if case .map = property.type {
      guard change["isNew"]?.bool != true,
        let key = (change["put"] == nil ? change["removeKey"] : change["key"])?.string
      else { return [:] }
      let mark = try mark(
        "_index = ?", [.integer(owner), .text(key)], in: property, of: model)
      return ["was": .string(mark)]
    }
    let position =
      change["remove"] ?? change["move"]
      ?? (change["insert"] != nil || change["replace"] != nil ? change["at"] : nil)
    var marks: [String: JSON] = [:]
    for (name, given) in [("was", position), ("wasTo", change["to"])] {
      guard let position = given?.int, position >= 0 else { continue }
      marks[name] = .string(try mark(at: position, in: property, of: model, owner: owner))
    }
    return marks
  }

  private func mark(
    at position: Int64, in property: Property, of model: Model, owner: Int64
  ) throws -> String {
    let (_, order) = Self.selected(property)
    return try mark(
      "true ORDER BY \(order) LIMIT 1 OFFSET ?", [.integer(owner), .integer(position)],
      in: property,
      of: model)
  }

  /// The mark of an element of the owner that is bound first; `end` where there is none.
  private func mark(
    _ condition: String, _ arguments: [SQLiteValue], in property: Property, of model: Model
  ) throws -> String {
    let table = SQL.identifier(LayoutNames.collection(model.name, property.name))
    let (columns, _) = Self.selected(property)
    return try content.store.database.withStatement(
      "SELECT \(columns) FROM \(table) WHERE _owner = ? AND \(condition)"
    ) { statement in
      try statement.bind(arguments)
      return try statement.step() ? Self.mark(statement, property) : Self.end
    }
  }

  /// The marks of the values of an object's properties, by name; none of collections, and none where the object is gone.
  func marks(
    of properties: [Property], of model: Model, _ identity: Int64
  ) throws -> [String: String] {
    let names = properties.filter { property in
      if case .value = property.type { property.isStored } else { false }
    }.map(\.name)
    guard !names.isEmpty else { return [:] }
    let columns = names.map { SQL.identifier($0) }.joined(separator: ", ")
    return try content.store.database.withStatement(
      "SELECT \(columns) FROM \(SQL.identifier(model.name)) WHERE _row = ?"
    ) { statement in
      try statement.bind(identity, at: 1)
      guard try statement.step() else { return [:] }
      var marks: [String: String] = [:]
      for (index, name) in names.enumerated() { marks[name] = Self.hash(statement, at: index) }
      return marks
    }
  }

  /// What is selected of an element, and its order: the value, and the key of a list or map.
  static func selected(_ property: Property) -> (columns: String, order: String) {
    if case .set = property.type { return ("value", "value") }
    return ("value, _index", "_index")
  }

  /// The mark of the element on which a statement with the columns of `selected` stands.
  static func mark(_ statement: Statement, _ property: Property) -> String {
    let value = hash(statement, at: 0)
    guard case .list = property.type else { return value }
    return "\(statement.integer(at: 1))-\(value)"
  }

  /// FNV-1a of 64 bits: equal values have to have equal marks, and no more. Of a long one its beginning and its length.
  private static func hash(_ statement: Statement, at column: Int) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ bytes: UnsafeRawBufferPointer) {
      for byte in bytes.prefix(BrowsedContent.maximumValue) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      withUnsafeBytes(of: bytes.count) { count in
        for byte in count { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
    }
    let kind = statement.storageClass(at: column)
    withUnsafeBytes(of: kind.rawValue, add)
    switch kind {
    case .null: break
    case .integer: withUnsafeBytes(of: statement.integer(at: column), add)
    case .real: withUnsafeBytes(of: statement.double(at: column).bitPattern, add)
    case .text, .blob: statement.withBlob(at: column, add)
    }
    return String(hash, radix: 16)
  }
}
