import StrataSQLite
import StrataSchema

/// The tables of a SQLite database as SQLite itself describes them, and what else is in it.
struct SQLiteCatalogue {
  /// A table with what `SourceTable` says, and how its rows are known.
  struct Table {
    var source: SourceTable
    /// The columns that know a row: the rowid under a name that no column has, or the primary key.
    var rowKey: [SQLiteKey.Term]
    /// How many rows there are.
    var count: Int
    /// What stands behind the table's name where a statement walks it: the rows themselves are read, and none of the indexes, which may have others.
    var walk = noIndex

    private static let noIndex = "NOT INDEXED"

    /// Of a table without row numbers SQLite takes `NOT INDEXED` to say nothing. Its rows stand in the index of its primary key.
    static func walk(
      of table: String, isWithoutRowid: Bool, _ database: Database
    ) throws -> String {
      guard isWithoutRowid else { return noIndex }
      let key = try database.firstValue(
        "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'", .text(table))
      return key?.ifText.map { "INDEXED BY \(SQL.identifier($0))" } ?? noIndex
    }

    /// A name of SQLite's own number of a row that no column has; nil where columns have them all.
    static func rowid(beside columns: [String]) -> String? {
      let taken = Set(columns.map { $0.lowercased() })
      return namesOfRowid.first { !taken.contains($0) }
    }

    static let namesOfRowid = ["rowid", "_rowid_", "oid"]
  }

  /// An index that is not a primary key's.
  struct Index {
    let table: String
    let name: String
    let columns: [String]
    let isUnique: Bool
  }

  private(set) var tables: [Table] = []
  private(set) var virtualTables: [VirtualTable] = []
  private(set) var indexes: [Index] = []
  /// What is no table of its own, with the name that it has in the database: views, triggers, indexes of parts and the like.
  private(set) var others: [(name: String, note: AdoptNote)] = []
  private var notesOfTables: [AdoptNote] = []
  var notes: [AdoptNote] { notesOfTables + others.map(\.note) }
  let userVersion: Int
  private let database: Database
  private let path: String

  /// Columns whose content one statement looks at.
  private static let columnsAtOnce = 100
  /// What it asks of each.
  private static let termsOfColumn = 7

  /// Tables that programs keep for themselves.
  private static let bookkeeping: Set<String> = [
    "room_master_table", "android_metadata", "grdb_migrations", "sqlite_sequence", "sqlite_stat1",
    "sqlite_stat4", "__drift_schema",
  ]

  /// - Parameter path: of the file, for messages.
  init(_ database: Database, path: String) throws {
    self.database = database
    self.path = path
    // SQLite reads files of one encoding only at once, and what is made here is UTF-8.
    if let encoding = try database.firstValue("PRAGMA encoding")?.ifText, encoding != "UTF-8" {
      throw AdoptError(
        "'\(path)' keeps its texts in \(encoding), which is not read. Make a copy in UTF-8, 'sqlite3 OLD .dump | sqlite3 NEW', and adopt that"
      )
    }
    try SourceCheck.run(database, path: path)
    userVersion = Int(try database.firstValue("PRAGMA user_version")?.ifInteger ?? 0)
    let list = Array(
      try database.rows(
        "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main' ORDER BY name"))
    guard list.count <= TableMapping.maximumTables else {
      throw AdoptError(
        "'\(path)' has \(list.count) tables, and \(TableMapping.maximumTables) are the most that are read"
      )
    }
    let shadows = try ShadowTables(
      database, virtual: list.filter { $0[1].ifText == "virtual" }.compactMap { $0[0].ifText })
    for row in list {
      guard let name = row[0].ifText, let kind = row[1].ifText else { continue }
      if name.hasPrefix("sqlite_") { continue }
      switch kind {
      case "view": leaveOut(name, of: name, "it is a view")
      case "virtual":
        let virtual = try VirtualTable(name, database)
        virtualTables.append(virtual)
        leaveOut(name, of: name, virtual.reason)
      case "table" where Self.bookkeeping.contains(name):
        leaveOut(name, of: name, "a table that the former library kept for itself")
      case "table", "shadow":
        if kind == "shadow", shadows.areOwn(try columnNames(of: name), of: name) { continue }
        for (column, word) in [(2, "WITHOUT ROWID"), (3, "STRICT")]
        where row[column].ifInteger == 1 {
          note(
            .changed, name, "it is \(word): every table here is STRICT and has numbers of rows")
        }
        tables.append(try table(name, isWithoutRowid: row[2].ifInteger == 1))
      default: break
      }
    }
    spellReferences()
    for row in try database.rows(
      "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    {
      let name = row[0].ifText ?? ""
      leaveOut(name, of: row[1].ifText ?? "", "the trigger \(name)")
    }
  }

  private func columnNames(of table: String) throws -> [String] {
    try database.rows("SELECT name FROM pragma_table_xinfo(?) ORDER BY cid", .text(table))
      .compactMap { $0[0].ifText }
  }

  /// Gives tables and columns that foreign keys name the letters that they are declared with: to SQLite `AUTHOR(ID)` is `Author(Id)`.
  private mutating func spellReferences() {
    let byName = Dictionary(
      tables.map { (Self.folded($0.source.name), $0.source) },
      uniquingKeysWith: { first, _ in first })
    for table in tables.indices {
      for place in tables[table].source.references.indices {
        var reference = tables[table].source.references[place]
        guard let target = byName[Self.folded(reference.table)] else { continue }
        let columns = Dictionary(
          target.columns.map { (Self.folded($0.name), $0.name) },
          uniquingKeysWith: { first, _ in first })
        reference.table = target.name
        reference.targetColumns = reference.targetColumns.map { columns[Self.folded($0)] ?? $0 }
        tables[table].source.references[place] = reference
      }
    }
  }

  /// Without the difference that SQLite does not make: that of the letters of ASCII.
  private static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
  }

  private mutating func note(
    _ kind: AdoptNote.Kind, _ table: String, _ reason: String, column: String? = nil
  ) {
    notesOfTables.append(AdoptNote(kind: kind, entity: table, property: column, reason: reason))
  }

  private mutating func leaveOut(_ name: String, of table: String, _ reason: String) {
    others.append(
      (name, AdoptNote(kind: .leftOut, entity: table, property: nil, reason: reason)))
  }

  // MARK: - A table

  private mutating func table(_ name: String, isWithoutRowid: Bool) throws -> Table {
    var source = SourceTable(name: name)
    let columns = Array(
      try database.rows(
        "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?)",
        .text(name)))
    let names = columns.compactMap { $0[0].ifText }
    guard names.count <= TableMapping.maximumColumns else {
      throw AdoptError(
        "'\(path)': the table '\(name)' has \(names.count) columns, and a model has at most \(TableMapping.maximumColumns). Divide it in a copy, into tables of fewer columns with the same key, and adopt that"
      )
    }
    let keys = columns.filter { ($0[4].ifInteger ?? 0) > 0 }.sorted {
      ($0[4].ifInteger ?? 0) < ($1[4].ifInteger ?? 0)
    }.compactMap { $0[0].ifText }
    source.primaryKey = keys
    let key = try SQLiteKey(of: name, keys, database)
    // By a key of several columns no row is looked up where rows have numbers.
    if isWithoutRowid || keys.count == 1, let collation = key.unknownCollation {
      throw AdoptError(
        "'\(path)': the key of '\(name)' is in an order, '\(collation)', that its app alone has. Make a copy in which the key and its column say COLLATE BINARY, and adopt that"
      )
    }
    if let other = key.columnsCollation,
      let own = key.terms.lazy.compactMap(\.collation).first(where: { $0 != other })
    {
      source.keyMismatch = SourceTable.KeyMismatch(
        key: own, column: other, isColumnUnique: key.isColumnUnique)
    }
    let rowid = Table.rowid(beside: names)
    guard let rowKey = isWithoutRowid ? key.terms : rowid.map(SQLiteKey.number) else {
      throw AdoptError(
        "'\(path)': '\(name)' has columns with all names of SQLite's own number of a row. Rename one in a copy, and adopt that"
      )
    }
    // Of a number that names the row itself SQLite keeps no index; a key that says DESC is a column as others.
    let hasKeyIndex =
      try database.firstValue(
        "SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'pk'", .text(name))?.ifInteger
      ?? 0 > 0
    let walk = try Table.walk(of: name, isWithoutRowid: isWithoutRowid, database)
    for row in columns {
      guard let column = row[0].ifText, let hidden = row[5].ifInteger else { continue }
      if hidden == Self.isVirtual { try checkIsReadable(column, of: name) }
    }
    let contents = try contents(of: name, walk, names)
    for (row, content) in zip(columns, contents) {
      guard let column = row[0].ifText else { continue }
      if (row[5].ifInteger ?? 0) > 1 {
        note(.changed, name, "it is stored, and was computed by SQLite", column: column)
      }
      let declared = (row[1].ifText ?? "").uppercased()
      let isAlias = keys == [column] && declared == "INTEGER" && !isWithoutRowid && !hasKeyIndex
      let isRequired = row[2].ifInteger == 1 || isAlias || isWithoutRowid && keys.contains(column)
      if isRequired, content.nulls > 0 {
        note(
          .changed, name,
          "it is optional: \(counted(content.nulls, "row has", "rows have")) no value, though it is NOT NULL",
          column: column)
      }
      let isOptional = !isRequired || content.nulls > 0
      let type = content.type(declared: declared)
      if type == .any, !content.isEmpty {
        note(.changed, name, "it holds values of several types: any", column: column)
      }
      if type == .double, content.hasIntegers {
        note(.changed, name, "its whole numbers are doubles", column: column)
      }
      if type == .any, !isOptional {
        note(.leftOut, name, "its NOT NULL: any is always optional", column: column)
      }
      var value: Value?
      if let text = row[3].ifText, text.uppercased() != "NULL" {
        switch SQLLiteral.read(
          text, as: type, affinity: SQLLiteral.Affinity(declared: declared))
        {
        case .value(let found): value = found
        case .null: break
        case .unknown: note(.leftOut, name, "its default \(text)", column: column)
        }
      }
      source.columns.append(
        SourceTable.Column(
          name: column, type: type, isOptional: isOptional || type == .any, defaultValue: value))
    }
    try addIndexes(to: &source)
    try addReferences(to: &source)
    let definition = try database.firstValue(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(name))
    let words = SQLWords(definition?.ifText ?? "")
    for word in ["CHECK", "COLLATE"] where words.index(of: word) != nil {
      note(.leftOut, name, "its \(word)")
    }
    if words.index(of: "ON", before: "CONFLICT") != nil {
      note(.leftOut, name, "its ON CONFLICT: what breaks a rule is an error")
    }
    if key.isDescending { note(.changed, name, "its primary key is ascending") }
    if keys.count == 1, words.index(of: "AUTOINCREMENT") != nil {
      note(.changed, name, AdoptNote.noNumbersGivenOut, column: keys[0])
    }
    // For count(*) alone SQLite takes the smallest index, whatever is said.
    let count = try database.firstValue("SELECT count(1) FROM \(SQL.identifier(name)) \(walk)")
    return Table(source: source, rowKey: rowKey, count: Int(count?.ifInteger ?? 0), walk: walk)
  }

  /// What `hidden` says of a column that is computed whenever it is read.
  private static let isVirtual: Int64 = 2

  /// SQLite compiles no statement that reads a column which calls what it does not have.
  private func checkIsReadable(_ column: String, of table: String) throws {
    do throws(SQLiteError) {
      _ = try database.prepare("SELECT \(SQL.identifier(column)) FROM \(SQL.identifier(table))")
    } catch {
      guard error.primaryCode == .error else { throw error }
      throw AdoptError(
        "'\(path)': the column '\(column)' of '\(table)' is computed by what its app alone has (\(error.message)). Make a copy in which it is an ordinary column, or gone, and adopt that"
      )
    }
  }

  private mutating func addIndexes(to table: inout SourceTable) throws {
    for row in Array(
      try database.rows(
        "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?) ORDER BY name",
        .text(table.name)))
    {
      guard let name = row[0].ifText, row[2].ifText != "pk" else { continue }
      let columns = Array(
        try database.rows(
          "SELECT name, \"desc\", upper(coll) FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
          .text(name)))
      let listed = columns.compactMap { $0[0].ifText }
      // By two collations, one behind the other.
      let names = listed.enumerated().filter { !listed[..<$0].contains($1) }.map(\.element)
      guard row[3].ifInteger != 1, listed.count == columns.count else {
        leaveOut(
          name, of: table.name, "the index \(name): it is partial, or over an expression")
        continue
      }
      if columns.contains(where: { $0[1].ifInteger == 1 }) {
        note(.changed, table.name, "the index \(name) is ascending")
      }
      // What stands in the table itself is told with its COLLATE.
      if let origin = row[2].ifText, origin == "c" {
        for collation in otherCollations(columns, of: table.name) {
          note(.leftOut, table.name, "the COLLATE \(collation) of the index \(name)")
        }
      }
      let isUnique = row[1].ifInteger == 1
      if isUnique { table.uniques.append(names) } else { table.indexes.append(names) }
      indexes.append(Index(table: table.name, name: name, columns: names, isUnique: isUnique))
    }
  }

  /// The collations of an index by which it has columns otherwise than they compare, and not in that way, too.
  ///
  /// - Parameter terms: the name, and in the third place the collation.
  private func otherCollations(_ terms: [[SQLiteValue]], of table: String) -> [String] {
    var found: [String] = []
    for term in terms {
      guard let column = term[0].ifText, let collation = term[2].ifText else { continue }
      let own = database.collation(ofColumn: column, in: table)?.uppercased() ?? "BINARY"
      let hasOwn = terms.contains { other in
        guard let name = other[0].ifText, let collation = other[2].ifText else { return false }
        return name == column && collation == own
      }
      if !hasOwn, !found.contains(collation) { found.append(collation) }
    }
    return found
  }

  private func addReferences(to table: inout SourceTable) throws {
    var found: [Int64: SourceTable.Reference] = [:]
    for row in try database.rows(
      "SELECT id, \"table\", \"from\", \"to\", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq",
      .text(table.name))
    {
      guard let id = row[0].ifInteger, let target = row[1].ifText, let from = row[2].ifText else {
        continue
      }
      var reference =
        found[id]
        ?? SourceTable.Reference(
          columns: [], table: target, targetColumns: [], onDelete: row[5].ifText ?? "",
          onUpdate: row[4].ifText ?? "")
      reference.columns.append(from)
      if let to = row[3].ifText { reference.targetColumns.append(to) }
      found[id] = reference
    }
    // SQLite counts them from the last one on.
    let places = Dictionary(
      table.columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    table.references = found.sorted {
      (places[$0.value.columns[0]] ?? 0, $0.key) < (places[$1.value.columns[0]] ?? 0, $1.key)
    }.map(\.value)
  }

  // MARK: - What columns hold

  /// The storage classes of a column's values.
  struct Content {
    var hasIntegers = false
    var hasReals = false
    var hasTexts = false
    var hasBlobs = false
    var isTruth = false
    /// Rows without a value, which SQLite does not ask for where a column has become NOT NULL later.
    var nulls: Int64 = 0
    /// Whether whole numbers are among them that a Double may round.
    var isPastDoubles = false

    /// Up to here, in both directions, a Double has each whole number.
    static let largestOfDoubles: Int64 = 1 << 53

    var isEmpty: Bool { !(hasIntegers || hasReals || hasTexts || hasBlobs) }

    func type(declared: String) -> ScalarType {
      switch (hasIntegers, hasReals, hasTexts, hasBlobs) {
      case (true, false, false, false):
        if declared.hasPrefix("BOOL"), isTruth { return .bool }
        // `FLOATING POINT` has INT in it, by which SQLite keeps whole numbers as they are.
        let isReal = ["REAL", "DOUB", "FLOA"].contains(where: declared.contains)
        return isReal && !isPastDoubles ? .double : .int
      case (false, true, false, false): return .double
      case (true, true, false, false): return isPastDoubles ? .any : .double
      case (false, false, true, false): return .string
      case (false, false, false, true): return .data
      case (false, false, false, false): return Self.type(ofAffinity: declared)
      default: return .any
      }
    }

    /// By the rules of <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
    private static func type(ofAffinity declared: String) -> ScalarType {
      if declared.hasPrefix("BOOL") { return .bool }
      if declared.contains("INT") { return .int }
      if ["CHAR", "CLOB", "TEXT"].contains(where: declared.contains) { return .string }
      if ["REAL", "FLOA", "DOUB"].contains(where: declared.contains) { return .double }
      return declared.contains("BLOB") ? .data : .any
    }
  }

  private func contents(
    of table: String, _ walk: String, _ columns: [String]
  ) throws -> [Content] {
    var result: [Content] = []
    for start in stride(from: 0, to: columns.count, by: Self.columnsAtOnce) {
      let part = columns[start..<min(columns.count, start + Self.columnsAtOnce)]
      let terms = part.flatMap { column -> [String] in
        let name = SQL.identifier(column)
        // Numbers are compared: a collation, which may be the app's own, has no say.
        let number = "(\(name) COLLATE BINARY)"
        return ["integer", "real", "text", "blob"].map { "max(typeof(\(name)) = '\($0)')" } + [
          "min(\(number) IN (0, 1) OR \(name) IS NULL)",
          "max(typeof(\(name)) = 'integer' AND \(number) NOT BETWEEN \(-Content.largestOfDoubles) AND \(Content.largestOfDoubles))",
          // By the class: of a column that is NOT NULL, SQLite answers IS NULL without looking.
          "sum(typeof(\(name)) = 'null')",
        ]
      }
      let row =
        Array(
          try database.rows(
            "SELECT \(terms.joined(separator: ", ")) FROM \(SQL.identifier(table)) \(walk)")
        ).first ?? []
      for index in part.indices.map({ Self.termsOfColumn * ($0 - start) }) {
        func number(_ offset: Int) -> Int64 {
          row.indices.contains(index + offset) ? row[index + offset].ifInteger ?? 0 : 0
        }
        func isSet(_ offset: Int) -> Bool { number(offset) == 1 }
        result.append(
          Content(
            hasIntegers: isSet(0), hasReals: isSet(1), hasTexts: isSet(2), hasBlobs: isSet(3),
            isTruth: isSet(4), nulls: number(6), isPastDoubles: isSet(5)))
      }
    }
    return result
  }
}
