import Strata
import StrataFiles
package import StrataSQLite
import StrataSchema

/// Copies the rows of a SQLite database of another program, which is attached as `source`, into the empty tables of a new one: a
/// statement for each table, so that memory does not grow with the rows.
package final class SQLiteTransfer {
  private let source: SQLiteSource
  private let database: Database
  private let leave: (String) throws -> Void
  private let progress: (String, Int) -> Void
  package private(set) var report = TransferReport()

  package init(
    _ source: SQLiteSource, into database: Database, leave: @escaping (String) throws -> Void,
    progress: @escaping (String, Int) -> Void = { _, _ in }
  ) {
    self.source = source
    self.database = database
    self.leave = leave
    self.progress = progress
  }

  /// - Returns: the identity of the next object.
  package func run() throws -> Int64 {
    for (number, entry) in source.entries.enumerated() { try enumerate(entry, number) }
    var done = 0
    for (number, entry) in source.entries.enumerated() {
      try copy(entry, number)
      try noteDangling(entry, number)
      try mendTexts(of: entry)
      done += entry.table.count
      progress(entry.model.name, done)
    }
    for join in source.joins { try copy(join) }
    return source.nextRow
  }

  // MARK: - Identities

  private static func map(_ number: Int) -> String { "temp.\"_strata_rows_\(number)\"" }

  /// Gives each row a number, in the order of its key.
  private func enumerate(_ entry: SQLiteSource.Entry, _ number: Int) throws {
    let keys = entry.table.rowKey
    let columns = keys.indices.map { "k\($0)" }
    let declared = zip(columns, keys).map { name, key in
      key.collation.map { "\(name) COLLATE \($0)" } ?? name
    }
    try database.execute(
      """
      CREATE TABLE \(Self.map(number)) (identity INTEGER PRIMARY KEY, \
      \(declared.joined(separator: ", ")), UNIQUE (\(columns.joined(separator: ", "))))
      """)
    var rows = "source.\(SQL.identifier(entry.table.source.name)) \(entry.table.walk)"
    var (names, order) = (SQL.identifiers(keys.map(\.column)), keys.map { $0.cell() })
    if keys.contains(where: { $0.collation != nil }) {
      // SQLite asks the columns of a window's query for their own collation, which their app alone may have: it gets the key's.
      let cells = zip(columns, keys).map { "\($1.cell()) AS \($0)" }.joined(separator: ", ")
      rows = "(SELECT \(cells) FROM \(rows))"
      (names, order) = (columns.joined(separator: ", "), declared)
    }
    do {
      try database.execute(
        """
        INSERT INTO \(Self.map(number)) \
        SELECT \(entry.firstRow - 1) + row_number() OVER (ORDER BY \(order.joined(separator: ", "))), \
        \(names) FROM \(rows)
        """)
    } catch let error as SQLiteError where error.constraint != nil {
      throw SourceDamage.error(
        source.path, "two rows of '\(entry.table.source.name)' have one number or key")
    }
    try check(database.changes, of: entry.table)
  }

  /// Holds the rows that a statement has read against those that were counted, by which the tables have got their numbers.
  private func check(_ rows: Int, of table: SQLiteCatalogue.Table) throws {
    guard rows == table.count else {
      throw SourceDamage.error(
        source.path, table.source.name, counted: table.count, read: rows)
    }
  }

  /// What holds between a row and its line of the map.
  ///
  /// - Parameter findsLine: whether the line is looked up by the row. The row's columns then stand without their affinity: with
  ///   it, SQLite would convert each line before it compares, and read all of them instead of their index.
  private static func isSame(
    _ entry: SQLiteSource.Entry, row: String, line: String, findsLine: Bool = false
  ) -> String {
    entry.table.rowKey.enumerated().map { index, key in
      // The left side's collation counts, which is the key's on both.
      findsLine
        ? "\(line).k\(index) = +\(row).\(SQL.identifier(key.column))"
        : "\(key.cell(of: row)) = \(line).k\(index)"
    }.joined(separator: " AND ")
  }

  /// The identity of the row that a value of a foreign key leads to. The value stands without its column's affinity, so that SQLite
  /// converts it for the key, as it does where it checks the foreign key, and finds the key by its index.
  private func identity(of value: String, in table: String) -> String? {
    guard let number = source.entries.firstIndex(where: { $0.table.source.name == table }) else {
      return nil
    }
    let target = source.entries[number]
    guard let key = target.table.source.primaryKey.first else { return nil }
    return """
      (SELECT tm.identity FROM source.\(SQL.identifier(table)) AS t JOIN \(Self.map(number)) AS tm \
      ON \(Self.isSame(target, row: "t", line: "tm", findsLine: true)) WHERE t.\(SQL.identifier(key)) = +\(value))
      """
  }

  // MARK: - Rows

  private func copy(_ entry: SQLiteSource.Entry, _ number: Int) throws {
    var values: [String] = []
    for (column, property) in entry.columns {
      let cell = "s.\(SQL.identifier(column))"
      if property.type.isToOne, let reference = entry.links[column],
        let identity = identity(of: cell, in: reference.table)
      {
        values.append(identity)
      } else {
        values.append(Self.stored(cell, property))
      }
    }
    let names = SQL.identifiers(["_row"] + entry.columns.map(\.property.name))
    try database.execute(
      """
      INSERT INTO main.\(SQL.identifier(entry.model.name)) (\(names)) \
      SELECT \((["m.identity"] + values).joined(separator: ", ")) \
      FROM \(Self.map(number)) AS m \
      CROSS JOIN source.\(SQL.identifier(entry.table.source.name)) AS s \(entry.table.walk) \
      ON \(Self.isSame(entry, row: "s", line: "m")) ORDER BY m.identity
      """)
    let rows = database.changes
    try check(rows, of: entry.table)
    report.objects[entry.model.name] = rows
    report.values += rows * entry.columns.count
  }

  /// A value as docs/layout.md has it.
  private static func stored(_ cell: String, _ property: Property) -> String {
    switch property.type.valueType?.base.scalar {
    case .double: "CAST(\(cell) AS REAL)"
    case .date: date(cell)
    // The tag of data; and of a computed column of affinity REAL, SQLite hands a whole number on as an integer, though it says that it is none.
    case .any:
      """
      CASE typeof(\(cell)) WHEN 'blob' THEN CAST(x'04' || \(cell) AS BLOB) \
      WHEN 'real' THEN CAST(\(cell) AS REAL) ELSE \(cell) END
      """
    default: cell
    }
  }

  /// A date of drift, seconds since 1970 or a text, as seconds since 2001. The fraction is read apart, because SQLite's functions keep
  /// milliseconds.
  static func date(_ cell: String) -> String {
    let rest = "ltrim(substr(\(cell), 20), '.0123456789 ')"
    let fraction =
      "iif(substr(\(cell), 20, 1) = '.', CAST(substr(\(cell), 20) AS REAL), 0.0)"
    return """
      CASE typeof(\(cell)) WHEN 'text' THEN \
      CAST(strftime('%s', substr(\(cell), 1, 19) || \(rest)) - 978307200 AS REAL) + \(fraction) \
      ELSE CAST(\(cell) - 978307200 AS REAL) END
      """
  }

  /// Values of foreign keys that lead to no row: they are nil, and kept beside.
  private func noteDangling(_ entry: SQLiteSource.Entry, _ number: Int) throws {
    for (column, property) in entry.columns where property.type.isToOne {
      let cell = "s.\(SQL.identifier(column))"
      let statement = try database.prepare(
        """
        SELECT o._row, \(cell) FROM main.\(SQL.identifier(entry.model.name)) AS o \
        JOIN \(Self.map(number)) AS m ON m.identity = o._row \
        JOIN source.\(SQL.identifier(entry.table.source.name)) AS s \(entry.table.walk) \
        ON \(Self.isSame(entry, row: "s", line: "m")) \
        WHERE o.\(SQL.identifier(property.name)) IS NULL AND typeof(\(cell)) <> 'null'
        """)
      defer { statement.reset() }
      let reason = "the value leads to no row"
      while try statement.step() {
        try leave(
          reason, statement.leftOutCell(at: 1), entry.model.name, property.name,
          statement.integer(at: 0))
      }
    }
  }

  private func leave(
    _ reason: String, _ value: SQLiteValue, _ model: String, _ property: String, _ identity: Int64
  ) throws {
    report.note(model, property, reason)
    try leave(leftOutLine(reason, value, model, property, identity))
  }

  // MARK: - Texts

  /// Texts that are mended at once.
  private static let textsAtOnce = 1_000
  private static let isText = "_strata_is_text"

  /// SQLite takes any bytes for a text: what is no UTF-8 is replaced, and the bytes are kept beside.
  private func mendTexts(of entry: SQLiteSource.Entry) throws {
    try database.addFunction(Self.isText, argumentCount: 1) { call in
      call.give(call[0].withText { String(validUTF8: $0) != nil })
    }
    defer { try? database.removeFunction(Self.isText, argumentCount: 1) }
    let table = "main.\(SQL.identifier(entry.model.name))"
    for (_, property) in entry.columns
    where [.string, .any].contains(property.type.valueType?.base.scalar) {
      let column = SQL.identifier(property.name)
      var last = Int64.min
      var isDone = false
      while !isDone {
        let found = Array(
          try database.rows(
            "SELECT _row, CAST(\(column) AS BLOB) FROM \(table) WHERE _row > ? AND typeof(\(column)) = 'text' AND NOT \(Self.isText)(\(column)) ORDER BY _row LIMIT \(Self.textsAtOnce)",
            .integer(last)))
        isDone = found.count < Self.textsAtOnce
        for row in found {
          guard let identity = row[0].ifInteger, case .blob(let bytes) = row[1] else { continue }
          last = identity
          try database.execute(
            "UPDATE \(table) SET \(column) = ? WHERE _row = ?",
            .text(String(decoding: bytes, as: UTF8.self)), .integer(identity))
          try leave(
            "the text is no UTF-8: what is not was replaced", row[1], entry.model.name,
            property.name, identity)
        }
      }
    }
  }

  private func copy(_ join: SQLiteSource.JoinTable) throws {
    let pairs = join.pairs
    guard
      let owner = identity(
        of: "j.\(SQL.identifier(pairs.owner.columns[0]))", in: pairs.owner.table),
      let target = identity(
        of: "j.\(SQL.identifier(pairs.target.columns[0]))", in: pairs.target.table)
    else { return }
    let order = pairs.orderTerms.map { $0.cell(of: "j") }
    // Numbered one level higher: where SQLite numbers rows, it asks for the collation of each column that they are read from.
    let places = pairs.orderTerms.enumerated().map {
      SQLiteKey.Term(column: "o\($0)", collation: $1.collation)
    }
    let numbers = zip(order, places).map { "\($0) AS \($1.column)" }.joined(separator: ", ")
    let sorting = places.map { $0.cell() }.joined(separator: ", ")
    let place = "\(join.model.name).\(join.property.name)"
    try database.execute(
      """
      INSERT INTO main.\(SQL.identifier(place)) (_owner, _index, value) \
      SELECT owner, row_number() OVER (PARTITION BY owner ORDER BY \(sorting)) * \(ElementWriter.gap), value \
      FROM (SELECT \(owner) AS owner, \(target) AS value, \(numbers) \
      FROM source.\(SQL.identifier(pairs.table.source.name)) AS j \(pairs.table.walk)) \
      WHERE owner IS NOT NULL AND value IS NOT NULL
      """)
    let count = database.changes
    report.elements += count
    let strays =
      count == pairs.table.count ? 0 : try keepStrayPairs(of: join, owner, target, order)
    try check(count + strays, of: pairs.table)
  }

  /// Keeps the pairs of which one side or both lead to no row.
  ///
  /// - Returns: how many there are.
  private func keepStrayPairs(
    of join: SQLiteSource.JoinTable, _ owner: String, _ target: String, _ order: [String]
  ) throws -> Int {
    let pairs = join.pairs
    let columns =
      ([pairs.owner.columns[0], pairs.target.columns[0]] + [pairs.order].compactMap(\.self))
      .map { "j.\(SQL.identifier($0))" }
    let sorting = (["\(columns[0]) COLLATE BINARY"] + order).joined(separator: ", ")
    let rows = try database.prepare(
      """
      SELECT \(owner), \(columns.joined(separator: ", ")) \
      FROM source.\(SQL.identifier(pairs.table.source.name)) AS j \(pairs.table.walk) \
      WHERE (\(owner)) IS NULL OR (\(target)) IS NULL ORDER BY \(sorting)
      """)
    defer { rows.reset() }
    let reason = "a pair of \(pairs.table.source.name) leads to no row"
    var count = 0
    while try rows.step() {
      count += 1
      report.note(join.model.name, join.property.name, reason)
      try leave(
        JSON.object([
          "$model": .string(join.model.name),
          "$id": rows.value(at: 0).ifInteger.map(JSON.int) ?? .null,
          "property": .string(join.property.name), "reason": .string(reason),
          "value": .array(columns.indices.map { leftOutValue(rows.leftOutCell(at: $0 + 1)) }),
        ]).canonicalText)
    }
    return count
  }
}
