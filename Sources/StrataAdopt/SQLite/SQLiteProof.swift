package import StrataSQLite
import StrataSchema

/// What the database of a foreign SQLite database has to hold: a second reading, row by row, which shares no statement with
/// `SQLiteTransfer`.
package final class SQLiteProof {
  private let source: SQLiteSource
  private let database: Database
  private var lookups: [String: Statement] = [:]
  /// The same without the value at their end.
  private var searches: [String: String] = [:]

  /// - Parameter database: the foreign one, read only.
  package init(_ source: SQLiteSource, _ database: Database) {
    self.source = source
    self.database = database
  }

  package func sum() throws -> ContentSum {
    var sum = ContentSum()
    for (number, entry) in source.entries.enumerated() { try enumerate(entry, number) }
    for entry in source.entries { try add(entry, &sum) }
    for join in source.joins { try add(join, &sum) }
    return sum
  }

  /// Notes the identity of each row, counting.
  private func enumerate(_ entry: SQLiteSource.Entry, _ number: Int) throws {
    let keys = entry.table.rowKey
    let places = keys.indices.map { "k\($0)" }.joined(separator: ", ")
    let declared = keys.enumerated().map { place, key -> String in
      guard let collation = key.collation else { return "k\(place)" }
      return "k\(place) COLLATE \(collation)"
    }.joined(separator: ", ")
    let order = keys.map { $0.cell() }.joined(separator: ", ")
    let map = "temp.\"_strata_proof_\(number)\""
    try database.execute("CREATE TABLE \(map) (\(declared), identity, PRIMARY KEY (\(places)))")
    let rows = try database.prepare(
      "SELECT \(SQL.identifiers(keys.map(\.column))) FROM main.\(SQL.identifier(entry.table.source.name)) \(entry.table.walk) ORDER BY \(order)"
    )
    defer { rows.reset() }
    let insert = try database.prepare(
      "INSERT INTO \(map) VALUES (\(SQL.placeholders(keys.count + 1)))")
    var identity = entry.firstRow
    while try rows.step() {
      // As they stand: texts may be no UTF-8.
      for key in keys.indices { try insert.bind(columnOf: rows, at: key, to: key + 1) }
      try insert.bind(identity, at: keys.count + 1)
      try insert.run()
      identity += 1
    }
    // No link leads by a key of several columns, or one that compares in another way than its column where no other index does.
    let own = entry.table.source
    guard let key = own.primaryKey.first, own.primaryKey.count == 1,
      own.keyMismatch?.isColumnUnique != false
    else { return }
    // Without its affinity the row's column finds the line by the index.
    let match = keys.enumerated().map { "p.k\($0) = +t.\(SQL.identifier($1.column))" }
      .joined(separator: " AND ")
    let table = entry.table.source.name
    let lookup =
      "SELECT p.identity FROM main.\(SQL.identifier(table)) AS t JOIN \(map) AS p ON \(match) WHERE t.\(SQL.identifier(key)) = "
    searches[table] = lookup
    lookups[table] = try database.prepare(lookup + "?")
  }

  /// The identity of the row that a column of a foreign key leads to.
  private func identity(
    ofColumn column: Int, of rows: Statement, in table: String
  ) throws -> Int64? {
    guard let lookup = lookups[table] else { return nil }
    defer { lookup.reset() }
    try lookup.bind(columnOf: rows, at: column, to: 1)
    return try lookup.step() ? lookup.integer(at: 0) : nil
  }

  private func add(_ entry: SQLiteSource.Entry, _ sum: inout ContentSum) throws {
    let name = entry.table.source.name
    let columns = entry.columns.map(\.column)
    let references = columns.map { entry.links[$0] }
    let order = entry.table.rowKey.map { $0.cell() }.joined(separator: ", ")
    let list = (["1"] + columns.map { SQL.identifier($0) }).joined(separator: ", ")
    let rows = try database.prepare(
      "SELECT \(list) FROM main.\(SQL.identifier(name)) \(entry.table.walk) ORDER BY \(order)"
    )
    defer { rows.reset() }
    var part = StoredBytes()
    var identity = entry.firstRow
    while try rows.step() {
      part.begin(entry.model.name, identity)
      identity += 1
      for (index, (_, property)) in entry.columns.enumerated() {
        if property.type.isToOne, let reference = references[index] {
          if let target = try self.identity(ofColumn: index + 1, of: rows, in: reference.table) {
            part.integer(target)
          } else {
            part.null()
          }
        } else {
          Self.add(rows.value(at: index + 1), property, to: &part)
        }
      }
      sum.add(part)
    }
  }

  /// From 1970, which drift counts from.
  private static let secondsTo2001: Int64 = 978_307_200

  private static func add(_ value: SQLiteValue, _ property: Property, to part: inout StoredBytes) {
    let scalar = property.type.valueType?.base.scalar
    switch value {
    case .integer(let value) where scalar == .date:
      // SQLite goes on with real numbers where whole ones end.
      let (seconds, overflow) = value.subtractingReportingOverflow(secondsTo2001)
      part.real(overflow ? Double(value) - Double(secondsTo2001) : Double(seconds))
    case .real(let value) where scalar == .date: part.real(value - Double(secondsTo2001))
    case .text(let text) where scalar == .date:
      if let date = DriftDate.parse(text) {
        part.real(date)
      } else {
        part.text(text.utf8)
      }
    case .null: part.null()
    case .integer(let value):
      if scalar == .double { part.real(Double(value)) } else { part.integer(value) }
    case .real(let value): part.real(value)
    case .text(let text): part.text(text.utf8)
    case .blob(let bytes):
      if scalar == .any { part.blob(tag: 4, bytes) } else { part.blob(bytes) }
    }
  }

  private func add(_ join: SQLiteSource.JoinTable, _ sum: inout ContentSum) throws {
    let pairs = join.pairs
    guard let search = searches[pairs.owner.table] else { return }
    let (owner, target) = (pairs.owner.columns[0], pairs.target.columns[0])
    let order = pairs.orderTerms.map { $0.cell(of: "j") }
    // By the owner itself: pairs may spell one owner in several ways, as a key without regard to case takes them.
    let rows = try database.prepare(
      """
      SELECT j.\(SQL.identifier(owner)), j.\(SQL.identifier(target)) \
      FROM main.\(SQL.identifier(pairs.table.source.name)) AS j \(pairs.table.walk) \
      ORDER BY (\(search)+j.\(SQL.identifier(owner))), \(order.joined(separator: ", "))
      """)
    defer { rows.reset() }
    var part = StoredBytes()
    var (last, position) = (Int64(0), Int64(0))
    while try rows.step() {
      guard let owner = try identity(ofColumn: 0, of: rows, in: pairs.owner.table),
        let target = try identity(ofColumn: 1, of: rows, in: pairs.target.table)
      else { continue }
      if owner != last { (last, position) = (owner, 0) }
      part.begin("\(join.model.name).\(join.property.name)", owner)
      part.integer(target)
      part.integer(position)
      position += 1
      sum.add(part)
    }
  }
}
