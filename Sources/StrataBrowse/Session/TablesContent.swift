import Strata
package import StrataSQLite
import StrataSchema

/// A SQLite database that another program wrote (Core Data, for one), table by table, as it is. Nothing is written.
package final class TablesContent: PageContent {
  /// Tables of a page at most.
  private static let maximumTables = 10_000
  /// Names of one line at most.
  private static let maximumNamed = 5

  private struct Table {
    var columns: [(name: String, type: String)]
    /// SQLite's own number of a row, under a name that no column has. A view, a table WITHOUT ROWID and one whose columns have all
    /// the names have none: the place in the table's own order stands for it.
    var row: String?
    /// The table behind FROM, and the columns by which its rows are counted where they have no number: in an order that stays the
    /// same whatever is read, which an index may not have.
    var source: String
    var order: [String] = []

    init(
      _ name: String, columns: [(name: String, type: String)], isTable: Bool, keys: [String]?
    ) {
      self.columns = columns
      source = SQL.identifier(name)
      guard isTable else { return }
      if let keys {
        order = keys.map { SQL.identifier($0) }
      } else {
        row = Self.rowNames.first { !Self.has($0, columns) }
        if row == nil { source += " NOT INDEXED" }
      }
    }

    private static let rowNames = ["rowid", "_rowid_", "oid"]

    private static func has(_ name: String, _ columns: [(name: String, type: String)]) -> Bool {
      columns.contains { $0.name.lowercased() == name }
    }

    /// `ORDER BY` of the places; nothing where the table's own order is meant.
    var ordered: String { order.isEmpty ? "" : "ORDER BY " + order.joined(separator: ", ") }

    /// The rows with their places, and the name of the place.
    var numbered: (source: String, place: String) {
      var place = "place"
      while Self.has(place, columns) { place += "_" }
      return (
        "(SELECT row_number() OVER (\(ordered)) - 1 AS \(place), * FROM \(source))", place
      )
    }
  }

  let database: Database
  private var tables: [String: Table] = [:]
  private var names: [String] = []
  /// Views over what is gone, and virtual tables of a module that this SQLite lacks.
  private var unreadable: [String] = []
  private var counts: RowCounts
  private var dataVersion: Int64 = 0
  private(set) var change = 1

  package init(_ database: Database) throws {
    self.database = database
    counts = RowCounts(database)
    try PageText.addFunctions(to: database)
    try readTables()
  }

  /// Where it fails, what was known before stays.
  private func readTables() throws {
    var tables: [String: Table] = [:]
    var names: [String] = []
    var unreadable: [String] = []
    let rows = try database.rows(
      "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT \(Self.maximumTables)"
    )
    for row in rows {
      guard let name = row[0].ifText, row[1].ifText != "shadow" else { continue }
      let columns: [[SQLiteValue]]
      do {
        columns = try database.rows(
          "SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1", .text(name))
        // Of a view whose table has lost a column the columns are known, and no row can be read.
        _ = try database.prepare("SELECT 1 FROM \(SQL.identifier(name))")
      } catch let error as SQLiteError where error.primaryCode == .error {
        unreadable.append(name)
        continue
      }
      guard !columns.isEmpty else { continue }
      let keys = columns.filter { ($0[2].ifInteger ?? 0) > 0 }
        .sorted { ($0[2].ifInteger ?? 0) < ($1[2].ifInteger ?? 0) }
      names.append(name)
      tables[name] = Table(
        name,
        columns: columns.compactMap { column in
          column[0].ifText.map { ($0, column[1].ifText ?? "") }
        }, isTable: row[1].ifText == "table",
        keys: row[2].ifInteger == 0 ? nil : keys.compactMap { $0[0].ifText })
    }
    (self.tables, self.names, self.unreadable) = (tables, names, unreadable)
  }

  private func table(_ name: String) throws -> Table {
    guard let table = tables[name] else { throw BrowseError("There is no table '\(name)'.") }
    return table
  }

  var description: (schema: String, version: Int)? { nil }
  var takesConditions: Bool { false }
  var note: String? {
    guard !unreadable.isEmpty else { return nil }
    let shown = unreadable.prefix(Self.maximumNamed).joined(separator: ", ")
    let what = unreadable.count == 1 ? "1 table or view" : "\(unreadable.count) tables or views"
    return
      "\(what) cannot be read here: \(shown)\(unreadable.count > Self.maximumNamed ? ", …" : "")."
  }

  func refresh() throws {
    let version = try database.dataVersion()
    guard version != dataVersion else { return }
    try readTables()
    dataVersion = version
    change += 1
    counts.forget()
  }

  /// Each statement reads what is newest.
  func rest() {}

  func models(within patience: Duration?) throws -> [JSON] {
    try counts.count(names, within: patience, skippingUnreadable: true)
    return names.map { name in
      .object([
        "name": .string(name), "embedded": .bool(false), "doc": .null,
        "count": counts[name].map { .int(Int64($0)) } ?? .null, "key": .array([]),
      ])
    }
  }

  func firstModel() throws -> String? {
    names.first { (try? counts.hasRows($0)) == true } ?? names.first
  }

  func total(_ query: RowQuery) throws -> Int {
    try counts.count([query.model], within: nil)
    return counts[query.model] ?? 0
  }

  // MARK: - Rows

  /// `SELECT` of a table in the query's order; what is equal stays in the order of the file.
  private func select(
    _ selected: String, _ query: RowQuery, _ table: Table, from source: String? = nil
  ) throws -> String {
    guard query.filter.isEmpty, query.linked == nil else {
      throw BrowseError("A database that Strata did not write takes no condition.")
    }
    let order = try query.sort.map { key in
      guard table.columns.contains(where: { $0.name == key.keyPath }) else {
        throw BrowseError("\(query.model) has no column '\(key.keyPath)'.")
      }
      return SQL.identifier(key.keyPath) + (key.isAscending ? "" : " DESC")
    }
    let all = order + table.order
    return "SELECT \(selected) FROM \(source ?? table.source)"
      + (all.isEmpty ? "" : " ORDER BY " + all.joined(separator: ", "))
  }

  private static func shown(_ column: String) -> String {
    let name = SQL.identifier(column)
    // A number as it is: SQLite's text of it has 15 digits.
    let start =
      "iif(typeof(\(name)) = 'real', \(name), \(PageText.start(of: name, PageCells.shownCharacters + 1)))"
    return "typeof(\(name)), \(start), \(PageText.length(of: name))"
  }

  private func cell(_ statement: Statement, at column: Int) -> JSON {
    switch statement.string(at: column) {
    case "null": return .null
    case "blob":
      let start = blob(statement, at: column + 1)
      return .object([
        "bytes": .int(statement.integer(at: column + 2)),
        "image": ImageKind(start).map { .string($0.rawValue) } ?? .null,
      ])
    case "text":
      let text = statement.string(at: column + 1)
      var members: [String: JSON] = [
        "v": .string(String(text.unicodeScalars.prefix(PageCells.shownCharacters)))
      ]
      let length = statement.integer(at: column + 2)
      if length > PageCells.shownCharacters { members["length"] = .int(length) }
      return .object(members)
    case "real":
      return .object(["v": .string(PageCells.plainText(.double(statement.double(at: column + 1))))])
    default: return .object(["v": .string(statement.string(at: column + 1))])
    }
  }

  private func blob(_ statement: Statement, at column: Int) -> [UInt8] {
    if case .data(let bytes)? = try? ColumnCodec(.data, isOptional: true).read(
      statement, at: column)
    {
      return bytes
    }
    return []
  }

  private func describe(_ table: Table) -> [JSON] {
    table.columns.map { column in
      .object([
        "name": .string(column.name), "type": .string(column.type), "optional": .bool(true),
        "sortable": .bool(true), "kind": "value", "scalar": "any",
      ])
    }
  }

  func columns(ofModel name: String) throws -> JSON {
    .object(["columns": .array(describe(try table(name)))])
  }

  func page(_ query: RowQuery, from start: Int, count: Int) throws -> JSON {
    let table = try table(query.model)
    let first = max(0, start)
    let columns = table.columns.map { Self.shown($0.name) }
    let numbered = table.row == nil && !query.sort.isEmpty ? table.numbered : nil
    let place = table.row ?? numbered?.place
    let sql = try select(
      ([place ?? "0"] + columns).joined(separator: ", "), query, table, from: numbered?.source)
    var rows: [JSON] = []
    try database.withStatement(sql + " LIMIT ? OFFSET ?") { statement in
      try statement.bind([
        .integer(Int64(max(0, min(count, BrowsedContent.maximumRows)))), .integer(Int64(first)),
      ])
      while try statement.step() {
        let cells = table.columns.indices.map { cell(statement, at: 1 + 3 * $0) }
        let identity = place == nil ? Int64(first + rows.count) : statement.integer(at: 0)
        rows.append(.object(["id": .string(String(identity)), "cells": .array(cells)]))
      }
    }
    try counts.count([query.model], within: RowCounts.patience)
    return .object([
      "total": counts[query.model].map { .int(Int64($0)) } ?? .null, "from": .int(Int64(first)),
      "rows": .array(rows), "columns": .array(describe(table)),
    ])
  }

  /// Reads something of one row.
  private func one<Result>(
    _ name: String, _ identity: Int64, _ selected: String, _ body: (Statement) throws -> Result
  ) throws -> Result {
    let table = try table(name)
    // By place among whole rows: SQLite may go through the rows of a view in another order where it is asked for one column.
    let numbered = table.row == nil ? table.numbered : nil
    let (source, place) = (numbered?.source ?? table.source, table.row ?? numbered?.place ?? "0")
    return try database.withStatement(
      "SELECT \(selected) FROM \(source) WHERE \(place) = ?"
    ) { statement in
      try statement.bind(identity, at: 1)
      guard try statement.step() else {
        throw BrowseError("There is no row \(identity) of \(name) any more.")
      }
      return try body(statement)
    }
  }

  func describe(_ name: String, _ identity: Int64) throws -> JSON {
    let table = try table(name)
    let cells = try one(
      name, identity, table.columns.map { Self.shown($0.name) }.joined(separator: ", ")
    ) { statement in table.columns.indices.map { cell(statement, at: 3 * $0) } }
    return .object([
      "model": .string(name), "id": .string(String(identity)), "embedded": .bool(false),
      "fields": .array(
        zip(describe(table), cells).map { .object(["property": $0, "cell": $1]) }),
      "links": .array([]),
    ])
  }

  func elements(
    _ name: String, _ identity: Int64, _ propertyName: String, from start: Int, count: Int,
    isWhole: Bool
  ) throws -> JSON {
    throw BrowseError("A table has no collections.")
  }

  private func column(_ name: String, of table: String) throws -> String {
    guard try self.table(table).columns.contains(where: { $0.name == name }) else {
      throw BrowseError("\(table) has no column '\(name)'.")
    }
    return SQL.identifier(name)
  }

  func value(_ name: String, _ identity: Int64, _ propertyName: String) throws -> JSON {
    let column = try column(propertyName, of: name)
    return try one(
      name, identity,
      "\(PageText.start(of: column, BrowsedContent.maximumValue)), \(PageText.length(of: column)), iif(typeof(\(column)) = 'real', \(column), NULL)"
    ) { statement in
      let text =
        statement.storageClass(at: 2) == .real
        ? PageCells.plainText(.double(statement.double(at: 2))) : statement.string(at: 0)
      return .object([
        "v": statement.storageClass(at: 0) == .null ? .null : .string(text),
        "whole": .bool(statement.integer(at: 1) <= BrowsedContent.maximumValue),
      ])
    }
  }

  func data(
    _ name: String, _ identity: Int64, _ propertyName: String, at place: Int?
  ) throws -> [UInt8]? {
    let column = try column(propertyName, of: name)
    return try one(name, identity, column) { statement in
      statement.storageClass(at: 0) == .blob ? blob(statement, at: 0) : nil
    }
  }

  // MARK: - Export

  /// JSON has no number for an infinite one: it is a text, as in the export of a store.
  private static func number(_ number: Double) -> JSON {
    number.isFinite ? .double(number) : .string(PageCells.plainText(.double(number)))
  }

  func export(_ query: RowQuery, as format: ExportFormat) throws -> () throws -> [UInt8]? {
    let names = try table(query.model).columns.map(\.name)
    let sql = try select(
      names.map { SQL.identifier($0) }.joined(separator: ", "), query, table(query.model))
    // As long as the statement stands on a row, the connection reads one state.
    let statement = try database.prepare(sql)
    var piece = format == .csv ? SelectionExport.line(names) : []
    var isAtEnd = false
    return { [self] in
      while piece.count < SelectionExport.pieceSize, !isAtEnd {
        guard try statement.step() else {
          isAtEnd = true
          break
        }
        piece += line(of: statement, names, format)
      }
      defer { piece = [] }
      return piece.isEmpty ? nil : piece
    }
  }

  private func line(of row: Statement, _ names: [String], _ format: ExportFormat) -> [UInt8] {
    let values = names.indices.map { index -> JSON in
      switch row.storageClass(at: index) {
      case .null: .null
      case .integer: .int(row.integer(at: index))
      case .real: Self.number(row.double(at: index))
      case .text: .string(row.string(at: index))
      // As the export of a store writes data where any value may stand.
      case .blob: JSONCoding.json(.data(blob(row, at: index)), as: .any)
      }
    }
    switch format {
    case .jsonLines:
      let members = Dictionary(zip(names, values)) { first, _ in first }
      return Array((JSON.object(members).canonicalText + "\n").utf8)
    case .csv:
      return SelectionExport.line(
        values.map { value in
          switch value {
          case .null: ""
          case .string(let text): text
          case .object(let members): members["$data"]?.string ?? ""
          default: value.canonicalText
          }
        })
    }
  }
}
