import Strata
import StrataSQLite
import StrataSchema

/// What tells an element of a list or set from the others: of a list the key by which it is ordered, of both the value. A page and an
/// edit name an element by its position; the mark says whether the same element stands there still.
struct ElementMark {
  /// That of a position behind the last element.
  static let end = "end"

  let content: BrowsedContent

  /// The marks of the positions that a change of an element names, by the name under which the change carries them: `was` for the
  /// element itself, `wasTo` for the one to whose position it moves. None for a map, whose elements have keys.
  func marks(
    of change: JSON, in property: Property, of model: Model, owner: Int64
  ) throws -> [String: JSON] {
    if case .map = property.type { return [:] }
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
    let table = SQL.identifier(LayoutNames.collection(model.name, property.name))
    let (columns, order) = Self.selected(property)
    return try content.store.database.withStatement(
      "SELECT \(columns) FROM \(table) WHERE _owner = ? ORDER BY \(order) LIMIT 1 OFFSET ?"
    ) { statement in
      try statement.bind([.integer(owner), .integer(position)])
      return try statement.step() ? Self.mark(statement, property) : Self.end
    }
  }

  /// What is selected of an element, and its order: the value, and the key of a list or map.
  static func selected(_ property: Property) -> (columns: String, order: String) {
    if case .set = property.type { return ("value", "value") }
    return ("value, _index", "_index")
  }

  /// The mark of the element on which a statement with the columns of `selected` stands.
  static func mark(_ statement: Statement, _ property: Property) -> String {
    // FNV-1a of 64 bits: equal elements have to have equal marks, and no more.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ bytes: UnsafeRawBufferPointer) {
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    let kind = statement.storageClass(at: 0)
    withUnsafeBytes(of: kind.rawValue, add)
    switch kind {
    case .null: break
    case .integer: withUnsafeBytes(of: statement.integer(at: 0), add)
    case .real: withUnsafeBytes(of: statement.double(at: 0).bitPattern, add)
    case .text, .blob: statement.withBlob(at: 0, add)
    }
    let value = String(hash, radix: 16)
    if case .set = property.type { return value }
    return "\(statement.integer(at: 1))-\(value)"
  }
}
