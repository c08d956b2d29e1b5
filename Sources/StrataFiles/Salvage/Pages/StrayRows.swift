import Strata
import StrataSQLite

/// The rows of a table of which some pages are damaged, read from its pages: those that whole pages name, what can be read of damaged ones, and
/// stray ones. They stand in a temporary table that is asked as the table itself would be.
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
  /// - Parameters:
  ///   - query: reads the temporary table from its first to its last row.
  ///   - ofGaps: whether only those are read that stand in gaps of the tree.
  ///   - unread: hears of rows of whole pages that cannot be read.
  func read(
    _ query: String, ofGaps: Bool = false, unread: (PageKey) -> Void = { _ in },
    _ body: (Statement) throws -> Void
  ) throws {
    let definitions = columns.map(\.definition).joined(separator: ", ")
    try target.execute("CREATE TABLE \(Self.table) (\(definitions)) STRICT")
    // Where this fails the new file is given up, and the table with it.
    let whole = ofGaps ? [] : found.whole.map { Part(page: $0, cells: nil) }
    let gaps = found.entries.map { Part(page: $0.page, cells: $0.cells) }
    try fill(whole + gaps, query, unread, body)
    target.discardCachedStatements()
    // SQLite refuses it while a statement reads; the next table's rows would find this one in their place.
    try target.execute("DROP TABLE \(Self.table)")
  }

  /// Cells of a page; all where they are nil.
  private struct Part {
    let page: Int
    let cells: Range<Int>?
  }

  private func fill(
    _ parts: [Part], _ query: String, _ unread: (PageKey) -> Void,
    _ body: (Statement) throws -> Void
  ) throws {
    var inserts: [Int: Statement] = [:]
    var page: PageOfRows?
    for start in stride(from: 0, to: parts.count, by: Self.pagesAtOnce) {
      let end = min(start + Self.pagesAtOnce, parts.count)
      if isCancelled() { throw SQLiteError.interrupted }
      for part in parts[start..<end] { try insert(part, &inserts, &page, unread) }
      let rows = try target.prepare(query)
      while try rows.step() { try body(rows) }
      rows.reset()
      try target.execute("DELETE FROM \(Self.table)")
    }
  }

  /// The page of which rows were read last, which may have several entries.
  private struct PageOfRows {
    let number: Int
    let bytes: [UInt8]
    let cells: [BTreePage.Cell?]
  }

  /// - Parameter inserts: by the number of values that a row has.
  private func insert(
    _ part: Part, _ inserts: inout [Int: Statement], _ page: inout PageOfRows?,
    _ unread: (PageKey) -> Void
  ) throws {
    if page?.number != part.page { page = pageOfRows(part.page) }
    guard let page else { return }
    for cell in page.cells[(part.cells ?? page.cells.indices).clamped(to: page.cells.indices)] {
      guard let cell, try !insert(cell, of: page.bytes, &inserts) else { continue }
      if let key = map.key(of: cell, in: page.bytes, found.tree) { unread(key) }
    }
  }

  private func pageOfRows(_ number: Int) -> PageOfRows? {
    var bytes: [UInt8] = []
    let size = map.reader.usableSize
    guard map.reader.read(number, into: &bytes) else { return nil }
    let cells = BTreePage(bytes, usableSize: size).map { $0.cells.map(Optional.some) }
    return (cells ?? DamagedPage(bytes, usableSize: size)?.cells).map {
      PageOfRows(number: number, bytes: bytes, cells: $0)
    }
  }

  /// - Returns: whether the row could be read.
  private func insert(
    _ cell: BTreePage.Cell, of page: [UInt8], _ inserts: inout [Int: Statement]
  ) throws -> Bool {
    guard let payload = payload(of: cell, in: page),
      let record = StoredRecord(payload, 0..<payload.count, payloadSize: payload.count)
    else { return false }
    var summary = RowSummary()
    summary.add(record)
    guard found.tree.mayHave(summary) else { return false }
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
    return true
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
    guard map.restPages(of: cell) <= map.reader.pageCount else { return nil }
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

  /// What of ranges of numbers is on none of the pages.
  func rest(of unreadable: DamagedRows.Unreadable) -> [ClosedRange<Int64>] {
    var known = found.entries.compactMap(\.numbers)
    if isComplete { known += covered(by: known.sorted { $0.lowerBound < $1.lowerBound }) }
    // Where the tree has no gap, no row is where none was found.
    let gaps = found.gaps.compactMap(\.numbers)
    known += DamagedRows.subtracting(DamagedRows.joined(gaps), from: unreadable.empty)
    return DamagedRows.subtracting(DamagedRows.joined(known), from: unreadable.ranges)
  }

  /// The gaps in which one of the ranges is.
  private func covered(by ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var covered: [ClosedRange<Int64>] = []
    var next = 0
    for gap in found.gaps where !gap.isReadInPart {
      guard let numbers = gap.numbers else { continue }
      let (lowest, last) = (numbers.lowerBound, numbers.upperBound)
      while next < ranges.count, ranges[next].lowerBound < lowest { next += 1 }
      guard next < ranges.count, ranges[next].upperBound <= last else { continue }
      covered.append(numbers)
    }
    return covered
  }
}
