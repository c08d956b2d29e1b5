import StrataSQLite
import StrataSchema

/// Links in the properties of type `any` of a draft. They say the model and the identity of the object that they lead to, and have
/// no foreign keys: what becomes of them when that object goes is said here.
struct AnyLinks {
  let database: Database
  let schema: Schema

  /// Rows with a link that is to be changed. Rows are not changed while they are read.
  private static let places = "main.\"_draft places\""

  /// Makes the table; a draft has it from its beginning.
  static func createTables(in database: Database) throws {
    try database.execute("CREATE TABLE \(places) (place INTEGER PRIMARY KEY)")
  }

  /// The properties that may hold such a link.
  var holders: [LinkHolder] {
    schema.storedModels.flatMap { model in
      model.storedProperties.filter { $0.type.valueType?.base.scalar == .any }
        .map { LinkHolder(model: model, property: $0) }
    }
  }

  /// Calls a closure with each link of a property: the row where it stands, the model, and the object's identity.
  func forEachLink(
    of holder: LinkHolder,
    _ body: (_ place: Int64, _ model: String, _ identity: Int64) throws -> Void
  ) throws {
    let column = SQL.identifier(holder.targetColumn)
    let links = try database.prepare(
      """
      SELECT \(holder.placeColumn), \(column) FROM main.\(SQL.identifier(holder.table)) \
      WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = ?
      """)
    try links.bind([.blob([AnyCoding.Tag.object.rawValue])])
    while try links.step() {
      guard case .object(let model, let identity) = try AnyCoding.read(links.cell(at: 1)) else {
        continue
      }
      try body(links.integer(at: 0), model, identity)
    }
  }

  /// Does what a link's `nullify` does where the object is gone, or is of a model that is embedded, to which only its owner leads: a
  /// property becomes nil, an element leaves its collection.
  func forgetMissing() throws {
    let holders = holders
    if holders.isEmpty { return }
    var rows: [String: Statement] = [:]
    for model in schema.storedModels where !model.isEmbedded {
      rows[model.name] = try database.prepare(
        "SELECT 1 FROM main.\(SQL.identifier(model.name)) WHERE _row = ?")
    }
    for holder in holders {
      let note = try database.prepare("INSERT INTO \(Self.places) VALUES (?)")
      var hasMissing = false
      try forEachLink(of: holder) { place, model, identity in
        if let row = rows[model] {
          row.reset()
          try row.bind(identity, at: 1)
          if try row.step() { return }
        }
        hasMissing = true
        note.reset()
        try note.bind(place, at: 1)
        try note.run()
      }
      guard hasMissing else { continue }
      let table = "main.\(SQL.identifier(holder.table))"
      let change =
        holder.property.type.isCollection
        ? "DELETE FROM \(table)"
        : "UPDATE \(table) SET \(SQL.identifier(holder.targetColumn)) = NULL"
      try database.execute(
        "\(change) WHERE \(holder.placeColumn) IN (SELECT place FROM \(Self.places))")
      try database.execute("DELETE FROM \(Self.places)")
    }
  }
}
