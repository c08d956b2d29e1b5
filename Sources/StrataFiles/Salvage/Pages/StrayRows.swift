import Strata
import StrataSQLite

/// The rows of a table's stray pages, in a temporary table that is asked as the table itself would be.
///
/// As many pages at a time are in it as fit into little memory.
struct StrayRows {
  /// The name of the table, whose columns are those of the table that was lost.
  static let table = "temp.\"_salvage rows\""
  private static let pagesAtOnce = 256

  /// The new file's connection: SQLite makes no temporary table where something could not be read in the same transaction.
  let target: Database
  let map: PageMap
  let found: StrayPages.Found
  /// Whether all pages of the file are accounted for: then these hold all that stood in a gap.
  let isComplete: Bool
  let isCancelled: () -> Bool

  private var columns: [StoredTree.Column] { found.tree.columns ?? [] }

  /// Calls `body` on each row.
  ///
  /// - Parameter query: reads the temporary table from its first to its last row.
  func read(_ query: String, _ body: (Statement) throws -> Void) throws {
    let definitions = columns.map(\.definition).joined(separator: ", ")
    try target.execute("CREATE TABLE \(Self.table) (\(definitions)) STRICT")
    // Where this fails the new file is given up, and the table with it.
    try fill(query, body)
    target.discardCachedStatements()
    // SQLite refuses it while a statement reads; the next table's rows would find this one in their place.
    try target.execute("DROP TABLE \(Self.table)")
  }

  private func fill(_ query: String, _ body: (Statement) throws -> Void) throws {
    var inserts: [Int: Statement] = [:]
    var inner: InnerPage?
    for start in stride(from: 0, to: found.entries.count, by: Self.pagesAtOnce) {
      let end = min(start + Self.pagesAtOnce, found.entries.count)
      if isCancelled() { throw SQLiteError.interrupted }
      for entry in found.entries[start..<end] { try insert(entry, &inserts, &inner) }
      let rows = try target.prepare(query)
      while try rows.step() { try body(rows) }
      rows.reset()
      try target.execute("DELETE FROM \(Self.table)")
    }
  }

  /// The inner page of which a row was read last, since each of its rows is an entry of its own.
  private struct InnerPage {
    let number: Int
    let bytes: [UInt8]
    let found: BTreePage
  }

  /// - Parameter inserts: by the number of values that a row has.
  private func insert(
    _ entry: StrayPages.Entry, _ inserts: inout [Int: Statement], _ inner: inout InnerPage?
  ) throws {
    if let number = entry.cell {
      if inner?.number != entry.page {
        inner = pageOfRows(entry.page).map {
          InnerPage(number: entry.page, bytes: $0.bytes, found: $0.found)
        }
      }
      guard let inner, inner.found.cells.indices.contains(number) else { return }
      return try insert([inner.found.cells[number]], of: inner.bytes, &inserts)
    }
    guard let (bytes, found) = pageOfRows(entry.page) else { return }
    try insert(found.cells, of: bytes, &inserts)
  }

  private func pageOfRows(_ number: Int) -> (bytes: [UInt8], found: BTreePage)? {
    var bytes: [UInt8] = []
    guard map.reader.read(number, into: &bytes) else { return nil }
    return BTreePage(bytes, usableSize: map.reader.usableSize).map { (bytes, $0) }
  }

  private func insert(
    _ cells: [BTreePage.Cell], of page: [UInt8], _ inserts: inout [Int: Statement]
  ) throws {
    for cell in cells {
      guard let payload = payload(of: cell, in: page),
        let record = StoredRecord(payload, 0..<payload.count, payloadSize: payload.count),
        record.fields.count <= columns.count
      else { continue }
      let count = record.fields.count
      let statement = try inserts[count] ?? target.prepare(insertion(of: count))
      inserts[count] = statement
      var parameter = 1
      if found.tree.hasRows {
        try statement.bind(cell.row, at: parameter)
        parameter += 1
      }
      for (column, field) in record.fields.enumerated() where column != found.tree.identity {
        try record.bind(field, of: payload, to: statement, at: parameter)
        parameter += 1
      }
      try statement.run()
    }
  }

  /// Columns that a row does not have get what the table gives them.
  private func insertion(of count: Int) -> String {
    let identity = found.tree.identity
    var names = columns.indices.prefix(count).filter { $0 != identity }.map {
      SQL.identifier(columns[$0].name)
    }
    if found.tree.hasRows {
      names.insert(identity.map { SQL.identifier(columns[$0].name) } ?? "rowid", at: 0)
    }
    return
      "INSERT INTO \(Self.table) (\(names.joined(separator: ", "))) VALUES (\(SQL.placeholders(names.count)))"
  }

  private func payload(of cell: BTreePage.Cell, in page: [UInt8]) -> [UInt8]? {
    var payload = Array(page[cell.local])
    payload.reserveCapacity(cell.payloadSize)
    var number = cell.overflow
    var rest: [UInt8] = []
    for _ in 0..<map.restPages(of: cell) {
      guard map.reader.read(number, into: &rest) else { return nil }
      let end = min(map.reader.usableSize, 4 + cell.payloadSize - payload.count)
      payload += rest[4..<end]
      number = BTreePage.number(rest, 0)
    }
    return payload.count == cell.payloadSize ? payload : nil
  }

  // MARK: - What is left

  /// What of ranges of numbers, which are in their order, is on none of the pages.
  func rest(of ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var known: [ClosedRange<Int64>] = found.entries.compactMap {
      guard case .row(let first) = $0.first, case .row(let last) = $0.last else { return nil }
      return first...last
    }
    if isComplete { known = covered(by: known) }
    var rest: [ClosedRange<Int64>] = []
    var next = 0
    for range in ranges {
      while next < known.count, known[next].upperBound < range.lowerBound { next += 1 }
      var start: Int64? = range.lowerBound
      var index = next
      while let first = start, index < known.count, known[index].lowerBound <= range.upperBound {
        if known[index].lowerBound > first { rest.append(first...known[index].lowerBound - 1) }
        let last = known[index].upperBound
        start = last < range.upperBound ? last + 1 : nil
        index += 1
      }
      if let start { rest.append(start...range.upperBound) }
    }
    return rest
  }

  /// The gaps in which one of the ranges is.
  private func covered(by ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var covered: [ClosedRange<Int64>] = []
    var next = 0
    for gap in found.gaps {
      guard let first = Self.number(gap.lower, .min), let last = Self.number(gap.upper, .max) else {
        continue
      }
      guard gap.lower == nil || first < .max else { continue }
      let lowest = gap.lower == nil ? first : first + 1
      while next < ranges.count, ranges[next].lowerBound < lowest { next += 1 }
      guard next < ranges.count, ranges[next].upperBound <= last, lowest <= last else { continue }
      covered.append(lowest...last)
    }
    return covered
  }

  private static func number(_ key: PageKey?, _ missing: Int64) -> Int64? {
    guard let key else { return missing }
    guard case .row(let number) = key else { return nil }
    return number
  }
}
