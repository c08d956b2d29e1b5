import Strata
import StrataSQLite
import StrataSchema

/// The rows of one model: read in the order of their identities, and around pages that cannot be read.
struct SalvagedTable {
  private let layout: ModelLayout
  private let source: Database
  private let target: Database
  /// One for each column but the identity.
  private let codecs: [ColumnCodec]
  private let columns: [ColumnDefinition]
  private let strays: StraySearch

  init(_ layout: ModelLayout, source: Database, target: Database, _ strays: StraySearch) {
    self.layout = layout
    self.source = source
    self.target = target
    self.strays = strays
    columns = Array(layout.table.columns.dropFirst())
    codecs = layout.codecs.compactMap { $0 }
  }

  private var name: String { layout.model.name }

  /// Copies what can be read.
  ///
  /// - Parameter next: what the file has counted to. Above it there are rows only where that is damaged.
  func copy(
    before next: Int64, _ found: inout Salvage.ModelReport, _ report: inout Salvage.Report
  ) throws {
    let names = ["_row"] + columns.map(\.name)
    let there = Self.columns(of: layout.table.name, in: source)
    guard there.contains(LayoutNames.row) else {
      report.lose("all objects of \(name), whose table is missing")
      return
    }
    for column in columns where !there.contains(column.name) {
      report.lose("\(column.name) of all objects of \(name), whose column is missing")
    }
    let cells = names.map { there.contains($0) ? SQL.identifier($0) : "NULL" }
      .joined(separator: ", ")
    let places = names.map { _ in "?" }.joined(separator: ", ")
    let insert =
      "INSERT OR IGNORE INTO \(SQL.identifier(layout.table.name)) (\(SQL.identifiers(names))) VALUES (\(places))"
    func select(_ cells: String) -> String {
      "SELECT \(cells) FROM \(SQL.identifier(layout.table.name)) NOT INDEXED WHERE _row BETWEEN ? AND ? ORDER BY _row"
    }
    var losses = Losses()
    let damaged = try strays.damagedTable(layout.table.name, through: target)
    var unreadable = DamagedRows.Unreadable()
    var readInGaps: Set<Int64> = []
    if damaged?.isReadBySQLite ?? true {
      let gaps = damaged?.numbers ?? []
      var rows = DamagedRows(source: source, query: select(cells), numbers: select("_row"))
      rows.maximumProbesOfRange = DamagedRows.probesOfRange(in: source)
      unreadable = try rows.read(before: next) {
        if DamagedRows.contains(gaps, $1) { readInGaps.insert($1) }
        _ = try keep($0, $1, insert, &found, &losses)
      }
      try noteNumbersOutOfRange(&losses)
    }
    found.unreadable = try strays.told(unreadable, of: layout.table.name)
    var exception = ""
    if let damaged {
      exception = try copyPages(
        of: damaged, unreadable.adding(damaged.numbers, before: next), without: readInGaps, cells,
        insert, &found, &losses)
    }
    losses.values.tell("value", "of objects of \(name) that cannot be read", &report)
    losses.objects.tell(
      "object", "of \(name), of which a required value cannot be read", &report)
    losses.numbers.tell("object", "of \(name) whose numbers no object can have", &report)
    var ranges = CountedLosses()
    for range in found.unreadable {
      ranges.lose(
        "objects of \(name) between _row \(range.lowerBound) and \(range.upperBound), which cannot be read\(exception)"
      )
    }
    ranges.tell("range", "of objects of \(name) that cannot be read\(exception)", &report)
  }

  private struct Losses {
    /// Values that were left out of objects.
    var values = CountedLosses()
    /// Objects without a value that they have to have.
    var objects = CountedLosses()
    /// Objects with numbers that no object has: a program other than Strata has written them.
    var numbers = CountedLosses()
  }

  /// Copies what the pages say of a table of which some are damaged.
  ///
  /// - Parameters:
  ///   - unreadable: what SQLite could not read, or may have passed over.
  ///   - known: numbers of rows that were read.
  /// - Returns: what is told with the ranges that are left, of which so much was saved.
  private func copyPages(
    of damaged: StraySearch.DamagedTable, _ unreadable: DamagedRows.Unreadable,
    without known: Set<Int64>, _ cells: String, _ insert: String,
    _ found: inout Salvage.ModelReport, _ losses: inout Losses
  ) throws -> String {
    var unread: [ClosedRange<Int64>] = []
    var count = 0
    try damaged.rows.read(
      "SELECT \(cells) FROM \(StrayRows.table) ORDER BY _row", ofGaps: damaged.isReadBySQLite
    ) { key in
      if case .row(let number) = key { unread.append(number...number) }
    } _: { statement in
      let row = statement.integer(at: 0)
      guard !known.contains(row) else { return }
      guard row > 0, row < StrataMetadata.maximumCount else { return lose(row, &losses) }
      let isSaved = try keep(statement, row, insert, &found, &losses)
      if isSaved, DamagedRows.contains(unreadable.ranges, row) { count += 1 }
    }
    let left = Salvage.left(of: unreadable, without: damaged.rows)
    found.unreadable = DamagedRows.joined(left.ranges + unread)
    return left.areWhole ? Salvage.exception(count, "object") : ""
  }

  /// The columns that a table has; none where there is no such table.
  static func columns(of table: String, in source: Database) -> Set<String> {
    // A view or a virtual table in its place is none of Strata's. What SQLite could read of the definitions is asked, and not the
    // table of definitions, of which a page may be damaged.
    let rows = try? source.rows(
      """
      SELECT c.name FROM pragma_table_list AS t, pragma_table_xinfo(t.name, 'main') AS c \
      WHERE t.schema = 'main' AND t.type IN ('table', 'shadow') AND t.name = ?
      """, .text(table))
    return Set((rows ?? []).compactMap { $0.first?.ifText })
  }

  private func noteNumbersOutOfRange(_ losses: inout Losses) throws {
    do {
      try source.withStatement(
        """
        SELECT _row FROM \(SQL.identifier(layout.table.name)) NOT INDEXED \
        WHERE _row < 1 OR _row >= \(StrataMetadata.maximumCount)
        """
      ) { statement in
        while try statement.step() { lose(statement.integer(at: 0), &losses) }
      }
    } catch let error as SQLiteError where error.isOfDamage {
      // Told for the numbers from 1 on, which stand on the same pages.
    }
  }

  /// Notes an object with a number that no object can have.
  private func lose(_ row: Int64, _ losses: inout Losses) {
    losses.numbers.lose(
      "\(name) _row \(row): numbers of objects begin at 1 and stay below 2⁶²")
  }

  /// - Returns: whether the row was saved.
  private func keep(
    _ statement: Statement, _ row: Int64, _ insert: String, _ found: inout Salvage.ModelReport,
    _ losses: inout Losses
  ) throws -> Bool {
    // One above it is what the file would count to.
    guard row < StrataMetadata.maximumCount else { return false }
    var values: [SQLiteValue] = [.integer(row)]
    for (index, (column, codec)) in zip(columns, codecs).enumerated() {
      let cell = statement.cell(at: index + 1)
      if cell.storageClass == .null, !column.isRequired {
        values.append(.null)
      } else if cell.storageClass != .null, let value = try? codec.decode(cell) {
        // In the form of the layout, also where another program wrote it in its own.
        values.append(try codec.sqliteValue(of: value))
      } else if column.isRequired {
        found.dropped += 1
        losses.objects.lose(
          "\(name) _row \(row), whose \(column.name) is required and cannot be read")
        return false
      } else {
        found.cleared += 1
        losses.values.lose("\(column.name) of \(name) _row \(row), which cannot be read")
        values.append(.null)
      }
    }
    try WritingFailure.marked { try target.execute(insert, values) }
    return target.changes > 0
  }
}
