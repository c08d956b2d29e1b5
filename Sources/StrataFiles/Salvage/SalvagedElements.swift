import Strata
import StrataSQLite
import StrataSchema

/// The elements of one collection: owner by owner where the table is in their order, else in the order of their rows.
struct SalvagedElements {
  private let layout: CollectionLayout
  private let model: String
  private let source: Database
  private let target: Database
  private let insert: String
  /// Of a table that is stored by its owners, the elements of one in their order, and backwards.
  private let ofOwner: String
  private let backwards: String
  private let isOwner: Statement
  private let strays: StraySearch
  /// For all lists together of which an end can be read, and for all others: where the table cannot be read at all, each of them would
  /// take hundreds.
  private let budget = DamagedRows.Budget(100_000)
  private let budgetOfUnreadable = DamagedRows.Budget(100_000)

  /// Elements that were not saved, by their reason.
  private struct Losses {
    /// Objects whose elements cannot be read, or ranges of rows that cannot.
    var unreadable = 0
    var damaged = 0
    var repeated = 0
    var withoutOwner = 0
    /// Whether elements of objects that were not saved cannot be read.
    var mayBeWithoutOwner = false
    /// What was saved all the same.
    var exception = ""
  }

  init(
    _ layout: CollectionLayout, of model: String, source: Database, target: Database,
    _ strays: StraySearch
  ) throws {
    self.layout = layout
    self.strays = strays
    self.model = model
    self.source = source
    self.target = target
    let names = layout.table.columns.map(\.name)
    insert =
      "INSERT OR IGNORE INTO \(SQL.identifier(layout.table.name)) (\(SQL.identifiers(names))) VALUES (\(SQL.placeholders(names.count)))"
    ofOwner =
      "SELECT \(SQL.identifiers(names)) FROM \(SQL.identifier(layout.table.name)) WHERE _owner = ?"
    backwards = "\(ofOwner) ORDER BY \(SQL.identifier(names[1])) DESC"
    isOwner = try target.prepare("SELECT 1 FROM \(SQL.identifier(model)) WHERE _row = ?")
  }

  /// Copies what can be read of the objects that were saved.
  func copy(_ report: inout Salvage.Report) throws {
    let property = "\(model).\(layout.property.name)"
    let names = layout.table.columns.map(\.name)
    guard SalvagedTable.columns(of: layout.table.name, in: source).isSuperset(of: names) else {
      report.lose("all elements of \(property), whose table is missing")
      return
    }
    var losses = Losses()
    try layout.table.isKeyed ? copyByOwner(&losses) : copyByRow(&losses)
    if losses.unreadable > 0 {
      report.lose(
        layout.table.isKeyed
          ? "some or all elements of \(property) of \(counted(losses.unreadable, "object")), which cannot be read\(losses.exception)"
          : "elements of \(property) in \(counted(losses.unreadable, "place")), which cannot be read\(losses.exception)"
      )
    }
    if losses.damaged > 0 {
      report.lose(
        "\(counted(losses.damaged, "element")) of \(property) that cannot be read")
    }
    if losses.repeated > 0 {
      report.lose("\(counted(losses.repeated, "element")) of \(property), there twice")
    }
    if losses.withoutOwner > 0 {
      report.lose(
        "\(counted(losses.withoutOwner, "element")) of \(property) without an object")
    }
    if losses.mayBeWithoutOwner, losses.unreadable == 0 {
      report.lose("elements of \(property) without an object, which cannot be read")
    }
  }

  /// The table is stored by its owners: a damaged page takes those that stand on it.
  private func copyByOwner(_ losses: inout Losses) throws {
    if let damaged = try strays.damagedTable(layout.table.name, through: target) {
      return try copyPages(of: damaged, &losses)
    }
    let table = SQL.identifier(layout.table.name)
    let owners = try target.prepare("SELECT _row FROM \(SQL.identifier(model))")
    while try owners.step() {
      let owner = owners.integer(at: 0)
      let first = try copy(owner, by: ofOwner, &losses)
      if first.isWhole { continue }
      losses.unreadable += 1
      let last = try copy(owner, by: backwards, &losses)
      if layout.kind == .list { try copy(owner, between: first.end, last.end, &losses) }
    }
    do {
      try source.withStatement(
        "SELECT _owner, count(*) FROM \(table) GROUP BY _owner"
      ) { statement in
        while try statement.step() {
          if try isThere(statement.integer(at: 0)) { continue }
          losses.withoutOwner += Int(statement.integer(at: 1))
        }
      }
    } catch let error as SQLiteError where error.isOfDamage {
      losses.mayBeWithoutOwner = true
    }
  }

  /// Copies what the pages say of a table that is stored by its owners, of which some are damaged.
  private func copyPages(
    of damaged: StraySearch.DamagedTable, _ losses: inout Losses
  ) throws {
    let columns = SQL.identifiers(layout.table.columns.map(\.name))
    var owners = damaged.holes.compactMap(\.owners)
    let holes = DamagedRows.joined(owners)
    let count = try copy(
      damaged.rows, "SELECT \(columns) FROM \(StrayRows.table) ORDER BY rowid", from: 0, &losses
    ) { key in
      if let owner = key.owner { owners.append(owner...owner) }
    } counts: {
      DamagedRows.contains(holes, $0.integer(at: 0))
    }
    owners = DamagedRows.joined(owners)
    try target.withStatement("SELECT _row FROM \(SQL.identifier(model))") { statement in
      while try statement.step() {
        if DamagedRows.contains(owners, statement.integer(at: 0)) { losses.unreadable += 1 }
      }
    }
    losses.mayBeWithoutOwner = !owners.isEmpty
    if count > 0, !holes.isEmpty { losses.exception = Salvage.exception(count, "element") }
  }

  /// The elements of a list that stand between damaged pages.
  ///
  /// - Parameter first: the place of the last one that was read from the beginning, nil where none was.
  /// - Parameter last: that of the last one that was read from the end.
  private func copy(
    _ owner: Int64, between first: Int64?, _ last: Int64?, _ losses: inout Losses
  ) throws {
    let (most, least) = (StrataMetadata.maximumCount, -StrataMetadata.maximumCount)
    let lowest = first.map { max(min($0, most) + 1, least) } ?? least
    let next = last.map { min(max($0, least), most) } ?? most
    guard lowest < next else { return }
    let names = layout.table.columns.map(\.name)
    let place = SQL.identifier(names[1])
    let query =
      "FROM \(SQL.identifier(layout.table.name)) WHERE _owner = ? AND \(place) BETWEEN ? AND ? ORDER BY \(place)"
    let rows = DamagedRows(
      source: source, query: "SELECT \(place), \(SQL.identifiers(names)) \(query)",
      numbers: "SELECT \(place), _owner \(query)",
      leading: [.integer(owner)], lowest: lowest, highest: next - 1,
      isSound: { $0.integer(at: 1) == owner },
      budget: first == nil && last == nil ? budgetOfUnreadable : budget)
    _ = try rows.read(before: next) { statement, _ in try keep(statement, from: 1, &losses) }
  }

  /// - Returns: whether all elements of an object could be read, and the place of the last one that was.
  private func copy(
    _ owner: Int64, by query: String, _ losses: inout Losses
  ) throws -> (isWhole: Bool, end: Int64?) {
    var end: Int64?
    do {
      try source.withStatement(query) { statement in
        try statement.bind([.integer(owner)])
        while try statement.step() {
          guard statement.integer(at: 0) == owner else { throw SQLiteError.outOfOrder }
          try keep(statement, from: 0, &losses)
          if layout.kind == .list { end = statement.integer(at: 1) }
        }
      }
      return (true, end)
    } catch let error as SQLiteError where error.isOfDamage {
      return (false, end)
    }
  }

  /// Its indexes may be what is damaged: the rows are asked.
  private func copyByRow(_ losses: inout Losses) throws {
    let names = layout.table.columns.map(\.name)
    let table = SQL.identifier(layout.table.name)
    let highest = try? source.firstValue("SELECT max(rowid) FROM \(table) NOT INDEXED")?.ifInteger
    let next = min(highest ?? StrataMetadata.maximumCount - 1, StrataMetadata.maximumCount - 1) + 1
    let query = "FROM \(table) NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    let damaged = try strays.damagedTable(layout.table.name, through: target)
    var unreadable = DamagedRows.Unreadable()
    var readInGaps: Set<Int64> = []
    if damaged?.isReadBySQLite ?? true {
      let gaps = damaged?.numbers ?? []
      var rows = DamagedRows(
        source: source, query: "SELECT rowid, \(SQL.identifiers(names)) \(query)",
        numbers: "SELECT rowid \(query)")
      rows.maximumProbesOfRange = DamagedRows.probesOfRange(in: source)
      unreadable = try rows.read(before: max(1, next)) { statement, number in
        if DamagedRows.contains(gaps, number) { readInGaps.insert(number) }
        guard try isThere(statement.integer(at: 1)) else {
          losses.withoutOwner += 1
          return
        }
        try keep(statement, from: 1, &losses)
      }
    }
    losses.unreadable = try strays.told(unreadable, of: layout.table.name).count
    guard let damaged else { return }
    // Above the highest number that is found there may be more.
    unreadable = unreadable.adding(damaged.numbers, before: StrataMetadata.maximumCount)
    var unread: [ClosedRange<Int64>] = []
    let count = try copy(
      damaged.rows,
      "SELECT rowid, \(SQL.identifiers(names)) FROM \(StrayRows.table) ORDER BY rowid",
      from: 1, ofGaps: damaged.isReadBySQLite, &losses
    ) { key in
      if case .row(let number) = key { unread.append(number...number) }
    } isNew: {
      !readInGaps.contains($0.integer(at: 0))
    } counts: {
      DamagedRows.contains(unreadable.ranges, $0.integer(at: 0))
    }
    let left = Salvage.left(of: unreadable, without: damaged.rows)
    losses.unreadable = DamagedRows.joined(left.ranges + unread).count
    if left.areWhole { losses.exception = Salvage.exception(count, "element") }
  }

  /// Copies rows that stand on the pages of a table.
  ///
  /// - Parameters:
  ///   - first: the column with which the element begins.
  ///   - unread: hears of rows that cannot be read.
  ///   - isNew: whether a row was not read before.
  ///   - counts: whether a row is one of those that are counted.
  /// - Returns: how many of them were saved.
  private func copy(
    _ rows: StrayRows, _ query: String, from first: Int, ofGaps: Bool = false,
    _ losses: inout Losses, unread: (PageKey) -> Void,
    isNew: (Statement) -> Bool = { _ in true }, counts: (Statement) -> Bool
  ) throws -> Int {
    var count = 0
    let repeated = losses.repeated
    try rows.read(query, ofGaps: ofGaps, unread: unread) { statement in
      guard isNew(statement) else { return }
      guard try isThere(statement.integer(at: first)) else {
        losses.withoutOwner += 1
        return
      }
      let before = losses
      try keep(statement, from: first, &losses)
      if losses.damaged == before.damaged, losses.repeated == before.repeated, counts(statement) {
        count += 1
      }
    }
    losses.repeated = repeated
    return count
  }

  private func isThere(_ owner: Int64) throws -> Bool {
    try WritingFailure.marked {
      // While it stands on a row no table can be dropped.
      defer { isOwner.reset() }
      try isOwner.bind(owner, at: 1)
      return try isOwner.step()
    }
  }

  /// - Parameter first: the column with which the element begins.
  private func keep(_ statement: Statement, from first: Int, _ losses: inout Losses) throws {
    let value = first + layout.table.columns.count - 1
    let cell = statement.cell(at: value)
    guard cell.storageClass != .null || layout.codec.isOptional,
      let element = try? layout.codec.decode(cell), hasReadableKey(statement, first)
    else {
      losses.damaged += 1
      return
    }
    // In the form of the layout, also where another program wrote it in its own.
    let values =
      (first..<value).map { statement.value(at: $0) } + [try layout.codec.sqliteValue(of: element)]
    try WritingFailure.marked { try target.execute(insert, values) }
    if target.changes == 0 { losses.repeated += 1 }
  }

  /// A key of a map is a text; a repaired one would be another. Places of a list and owners are whole numbers.
  private func hasReadableKey(_ statement: Statement, _ first: Int) -> Bool {
    guard statement.cell(at: first).storageClass == .integer else { return false }
    let cell = statement.cell(at: first + 1)
    return switch layout.kind {
    case .list: cell.storageClass == .integer
    case .map: cell.storageClass == .text && cell.withText { String(validUTF8: $0) != nil }
    case .set: true
    }
  }
}
