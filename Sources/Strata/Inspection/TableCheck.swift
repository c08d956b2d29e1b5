package import StrataSQLite
package import StrataSchema

/// Why a file is not what it says that it is: something other than Strata has changed it, or its disk has.
package struct FileDamage: Error, Hashable, CustomStringConvertible {
  /// A clause: what is wrong, and where.
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Holds the tables of a file against its schema before anything reads or writes them.
///
/// SQLite runs what stands in a file: the triggers of a table at every write, a view or a computed column at every read. So
/// that a file of unknown origin runs nothing, it has to have exactly the objects that its schema describes.
package struct TableCheck {
  /// What is about to happen to the file.
  package enum Purpose {
    case reading
    /// Also an upgrade, which writes what it reads.
    case writing
  }

  /// Characters of a difference that a sentence shows.
  private static let maximumCharacters = 240
  /// Differences that a sentence lists.
  private static let maximumDifferences = 3

  let database: Database
  let schema: Schema

  package init(database: Database, schema: Schema) {
    self.database = database
    self.schema = schema
  }

  /// - Throws: `FileDamage`
  package func run(for purpose: Purpose) throws {
    try checkEncoding()
    let objects = try objects()
    try checkPlaces(of: objects)
    let layout = TableLayout(schema)
    if !isAsCreated(objects, layout) { try checkLayout(layout, for: purpose) }
  }

  // MARK: - One after the other

  private func checkEncoding() throws {
    let encoding = try database.pragma("encoding").ifText ?? "unknown"
    guard encoding == "UTF-8" else {
      throw FileDamage(
        "its texts are \(encoding) where Strata writes UTF-8, so another program has written it anew"
      )
    }
  }

  /// One row of `sqlite_schema`.
  private struct SchemaObject {
    let kind: String
    let name: String
    let table: String
    let rootPage: Int64
    let sql: String?
  }

  private func objects() throws -> [SchemaObject] {
    try database.withStatement("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema") {
      statement in
      var objects: [SchemaObject] = []
      while try statement.step() {
        objects.append(
          SchemaObject(
            kind: statement.string(at: 0), name: statement.string(at: 1),
            table: statement.string(at: 2), rootPage: statement.integer(at: 3),
            sql: statement.storageClass(at: 4) == .text ? statement.string(at: 4) : nil))
      }
      return objects
    }
  }

  /// Two tables or indexes in one place would read each other's rows.
  private func checkPlaces(of objects: [SchemaObject]) throws {
    var names: [Int64: String] = [:]
    for object in objects where object.rootPage != 0 {
      if let other = names.updateValue(object.name, forKey: object.rootPage) {
        throw FileDamage("\(other) and \(object.name) stand in the same place of the file")
      }
    }
  }

  /// Whether everything is there as a fresh file has it, text by text, and nothing else on the tables of the schema: the
  /// usual case, which costs little.
  private func isAsCreated(_ objects: [SchemaObject], _ layout: TableLayout) -> Bool {
    var rest = Set(layout.statements())
    var tables: Set<String> = [LayoutNames.metadata, LayoutNames.changes]
    for model in layout.models {
      tables.insert(model.table.name)
      for collection in model.collections { tables.insert(collection.table.name) }
    }
    for object in objects {
      guard let sql = object.sql else { continue }
      if rest.remove(sql) == nil, object.kind == "trigger" || tables.contains(object.table) {
        return false
      }
    }
    return rest.isEmpty
  }

  private func checkLayout(_ layout: TableLayout, for purpose: Purpose) throws {
    let weight: LayoutDifference.Weight = purpose == .reading ? .reading : .writing
    let expected = try DatabaseLayout(expectedOf: layout)
    let all = try DatabaseLayout(of: database).differences(from: expected)
    let differences = all.filter { $0.weight >= weight }
    guard !differences.isEmpty else { return }
    var texts = differences.prefix(Self.maximumDifferences).map {
      "in \($0.table) \(Self.shortened($0.description))"
    }
    if differences.count > Self.maximumDifferences {
      texts.append("and \(differences.count - Self.maximumDifferences) more")
    }
    throw FileDamage(
      "its tables are not those of version \(schema.version) of \(schema.name): "
        + texts.joined(separator: "; "))
  }

  private static func shortened(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count <= maximumCharacters ? line : line.prefix(maximumCharacters) + "…"
  }
}
