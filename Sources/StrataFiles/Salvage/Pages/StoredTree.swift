import Strata
import StrataSQLite

/// A table or an index as the file defines it: where its tree begins, and what its rows look like.
struct StoredTree {
  struct Column {
    let name: String
    let classes: StoredRecord.Classes
    /// Whether rows that were written before the column was added may be without it.
    let mayBeMissing: Bool
    /// As a temporary table has it.
    let definition: String
  }

  let name: String
  let root: Int
  /// Whether its rows have numbers, and stand in their order.
  let hasRows: Bool
  /// In the order of a record; nil where that is not known, and a row may look like anything.
  var columns: [Column]?
  /// The column that is the row's number, and null in a record.
  var identity: Int?
  /// How many of the first columns are the key of a table that has one, and is read back by it.
  var keyCount = 0
  /// Whether salvage reads its rows.
  var isRead = false

  /// The table of definitions, whose tree begins on the first page.
  static let definitions = StoredTree(name: "sqlite_schema", root: 1, hasRows: true)

  /// The trees of a file, with that of its definitions first, and whether these are all: those behind a damaged page of definitions are not known.
  static func all(
    in source: Database, layout: TableLayout
  ) throws -> (trees: [StoredTree], areAll: Bool) {
    var read: [String: TableDefinition] = [:]
    for model in layout.models {
      for table in [model.table] + model.collections.map(\.table) { read[table.name] = table }
    }
    var tables: [String: Form] = [:]
    for row in try source.rows(
      "SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main'")
    {
      guard let name = row[0].ifText else { continue }
      tables[name] = Form(isKeyed: row[1].ifInteger == 1, isStrict: row[2].ifInteger == 1)
    }
    var trees = [definitions]
    let (rows, areAll) = try definitionsOfTrees(in: source)
    for row in rows {
      guard let name = row[0].ifText, let root = row[1].ifInteger else { continue }
      let isTable = row[2].ifText == "table"
      let table = row[3].ifText.flatMap { tables[$0] }
      let isKeyed = table?.isKeyed == true
      var tree = StoredTree(
        name: name, root: Int(clamping: root), hasRows: isTable && !isKeyed)
      if let table, let name = row[3].ifText {
        try tree.readColumns(of: name, table, isTable: isTable, in: source)
      }
      if isTable, table?.isStrict == true, let definition = read[name],
        tree.isStored(as: definition)
      {
        tree.keyCount = definition.key.count
        tree.isRead = true
      }
      trees.append(tree)
    }
    return (trees, areAll)
  }

  private static func definitionsOfTrees(
    in source: Database
  ) throws -> (rows: [[SQLiteValue]], areAll: Bool) {
    var rows: [[SQLiteValue]] = []
    do {
      try source.withStatement(
        "SELECT name, rootpage, type, tbl_name FROM main.sqlite_schema WHERE rootpage IS NOT NULL AND rootpage <> 0"
      ) { statement in
        while try statement.step() { rows.append((0..<4).map { statement.value(at: $0) }) }
      }
      return (rows, true)
    } catch let error as SQLiteError where error.isOfDamage {
      return (rows, false)
    }
  }

  fileprivate struct Form {
    /// Whether the table is stored in its key's order.
    let isKeyed: Bool
    /// Whether its columns hold what their types say.
    let isStrict: Bool
  }

  /// Whether rows stand where the layout has them; of their columns this says nothing.
  private func isStored(as definition: TableDefinition) -> Bool {
    guard let columns, hasRows != definition.isKeyed else { return false }
    return identity.map { columns[$0].name } == definition.columns.first { $0.isIdentity }?.name
  }

  /// Reads the columns of a table, or of an index of one.
  private mutating func readColumns(
    of table: String, _ form: Form, isTable: Bool, in source: Database
  ) throws {
    let rows = try source.rows(
      "SELECT cid, name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?, 'main') ORDER BY cid",
      .text(table))
    guard !rows.isEmpty, rows.allSatisfy({ $0[6].ifInteger == 0 }) else { return }
    let columns = rows.map { Column(of: $0, form) }
    if hasRows {
      let keys = rows.indices.filter { rows[$0][5].ifInteger != 0 }
      if keys.count == 1, rows[keys[0]][2].ifText?.uppercased() == "INTEGER" { identity = keys[0] }
      self.columns = columns.enumerated().map { index, column in
        index == identity ? column.asIdentity : column
      }
      return
    }
    var index = name
    if isTable {
      let keys = try source.rows(
        "SELECT name FROM pragma_index_list(?, 'main') WHERE origin = 'pk'", .text(table))
      guard let key = keys.first?.first?.ifText else { return }
      index = key
    }
    // As they stand in a record: the key, and what is stored with it.
    let parts = try source.rows(
      "SELECT cid, \"desc\", coll FROM pragma_index_xinfo(?, 'main') ORDER BY seqno", .text(index))
    guard !parts.isEmpty,
      !isTable || parts.allSatisfy({ $0[1].ifInteger == 0 && $0[2].ifText == "BINARY" })
    else { return }
    self.columns = parts.map { part in
      let place = Int(part[0].ifInteger ?? -2)
      if columns.indices.contains(place) { return columns[place] }
      // The row's number, or the value of an expression.
      return Column(
        name: "", classes: place == -1 ? .integer : .all, mayBeMissing: false, definition: "")
    }
  }

  /// Whether a page's rows may be this tree's.
  func mayHave(_ rows: RowSummary) -> Bool {
    guard let columns else { return true }
    guard rows.classes.count <= columns.count,
      zip(columns, rows.classes).allSatisfy({ $0.classes.isSuperset(of: $1) })
    else { return false }
    // Of a tree that is not read a page may be whatever is not known.
    return columns[rows.fewest...].allSatisfy { !isRead || hasRows && $0.mayBeMissing }
  }
}

/// What all rows of a page have in common.
struct RowSummary {
  /// The classes that each column holds.
  private(set) var classes: [StoredRecord.Classes] = []
  /// How many columns the shortest row has.
  private(set) var fewest = Int.max

  mutating func add(_ record: StoredRecord) {
    fewest = min(fewest, record.fields.count)
    for (index, field) in record.fields.enumerated() {
      if index < classes.count {
        classes[index].formUnion(field.classes)
      } else {
        classes.append(field.classes)
      }
    }
  }
}

extension StoredTree.Column {
  fileprivate init(of row: [SQLiteValue], _ form: StoredTree.Form) {
    let type = row[2].ifText?.uppercased() ?? "ANY"
    let isRequired = row[3].ifInteger != 0 || form.isKeyed && row[5].ifInteger != 0
    let standard = row[4].ifText
    let isKnown = standard.map(Self.isLiteral) ?? true
    name = row[1].ifText ?? ""
    var classes: StoredRecord.Classes =
      switch form.isStrict ? type : "ANY" {
      case "INT", "INTEGER": .integer
      // Whole numbers are stored as such.
      case "REAL": [.integer, .real]
      case "TEXT": .text
      case "BLOB": .blob
      default: .all
      }
    if isRequired { classes.remove(.null) } else { classes.insert(.null) }
    self.classes = classes
    mayBeMissing = isKnown && (standard != nil || !isRequired)
    definition =
      "\(SQL.identifier(name)) \(Self.types.contains(type) ? type : "ANY")"
      + (isKnown ? standard.map { " DEFAULT (\($0))" } ?? "" : "")
  }

  private init(
    _ name: String, _ classes: StoredRecord.Classes, mayBeMissing: Bool, _ definition: String
  ) {
    (self.name, self.classes) = (name, classes)
    (self.mayBeMissing, self.definition) = (mayBeMissing, definition)
  }

  fileprivate var asIdentity: Self {
    Self(name, .null, mayBeMissing: false, "\(SQL.identifier(name)) INTEGER PRIMARY KEY")
  }

  private static let types: Set<String> = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]

  private static let words: Set<String> = ["NULL", "TRUE", "FALSE"]
  private static let numeric = Set("0123456789+-.eE".utf8)

  /// Whether the text of a default is a plain value, which is worked out without running anything of the file.
  private static func isLiteral(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let quote = UInt8(ascii: "'")
    guard let first = bytes.first, let last = bytes.last else { return false }
    if first == quote || (bytes.count > 2 && [0x78, 0x58].contains(first) && bytes[1] == quote) {
      let inner = bytes[(first == quote ? 1 : 2)...].dropLast()
      guard bytes.count > 1, last == quote else { return false }
      // A quote in a text stands twice.
      var isOpen = false
      for byte in inner {
        if byte == quote { isOpen.toggle() } else if isOpen { return false }
      }
      return !isOpen
    }
    if words.contains(text.uppercased()) { return true }
    return bytes.allSatisfy { numeric.contains($0) } && Double(text) != nil
  }
}
