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

  /// Ranges that are tried: a damaged page in the middle of a table takes its rows' number of them, and some more.
  private static let maximumProbes = 1_000_000

  init(_ layout: ModelLayout, source: Database, target: Database) {
    self.layout = layout
    self.source = source
    self.target = target
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
    let places = names.map { _ in "?" }.joined(separator: ", ")
    let insert =
      "INSERT OR IGNORE INTO \(SQL.identifier(layout.table.name)) (\(SQL.identifiers(names))) VALUES (\(places))"
    let select =
      "SELECT \(SQL.identifiers(names)) FROM \(SQL.identifier(layout.table.name)) NOT INDEXED WHERE _row BETWEEN ? AND ? ORDER BY _row"
    var ranges = [next...StrataMetadata.maximumCount]
    if next > 1 { ranges.append(1...next - 1) }
    var unreadable: [ClosedRange<Int64>] = []
    var probes = 0
    while let range = ranges.popLast() {
      probes += 1
      guard probes <= Self.maximumProbes else {
        unreadable.append(range)
        continue
      }
      var last = range.lowerBound - 1
      do {
        let statement = try source.prepare(select)
        try statement.bind([.integer(range.lowerBound), .integer(range.upperBound)])
        while try statement.step() {
          let row = statement.integer(at: 0)
          guard range.contains(row), row > last else { throw SQLiteError.outOfOrder }
          try keep(statement, row, insert, &found, &report)
          last = row
        }
      } catch let error as SQLiteError where error.isOfDamage {
        let rest = last + 1
        guard rest <= range.upperBound, rest < next else { continue }
        guard rest < range.upperBound else {
          unreadable.append(rest...rest)
          continue
        }
        let middle = rest + (range.upperBound - rest) / 2
        // The lower half is read first, so that rows come in their order.
        ranges.append(middle + 1...range.upperBound)
        ranges.append(rest...middle)
      }
    }
    try noteNumbersBelowOne(&report)
    found.unreadable = Self.joined(unreadable)
    for range in found.unreadable {
      report.lose(
        "objects of \(name) between _row \(range.lowerBound) and \(range.upperBound), which cannot be read"
      )
    }
  }

  /// No object has such a number: a program other than Strata has written it.
  private func noteNumbersBelowOne(_ report: inout Salvage.Report) throws {
    do {
      let rows = try source.rows(
        "SELECT _row FROM \(SQL.identifier(layout.table.name)) NOT INDEXED WHERE _row < 1 LIMIT \(FileCheck.maximumProblems)"
      )
      for row in rows {
        report.lose("\(name) _row \(row[0].ifInteger ?? 0): numbers of objects begin at 1")
      }
    } catch let error as SQLiteError where error.isOfDamage {
      // Told for the numbers from 1 on, which stand on the same pages.
    }
  }

  private func keep(
    _ statement: Statement, _ row: Int64, _ insert: String, _ found: inout Salvage.ModelReport,
    _ report: inout Salvage.Report
  ) throws {
    var values: [SQLiteValue] = [.integer(row)]
    for (index, (column, codec)) in zip(columns, codecs).enumerated() {
      let cell = statement.cell(at: index + 1)
      var isReadable = cell.storageClass != .null || !column.isRequired
      if cell.storageClass != .null { isReadable = (try? codec.decode(cell)) != nil }
      if isReadable {
        values.append(statement.value(at: index + 1))
      } else if column.isRequired {
        found.dropped += 1
        report.lose("\(name) _row \(row), whose \(column.name) is required and cannot be read")
        return
      } else {
        found.cleared += 1
        report.lose("\(column.name) of \(name) _row \(row), which cannot be read")
        values.append(.null)
      }
    }
    try target.execute(insert, values)
  }

  private static func joined(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var joined: [ClosedRange<Int64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, last.upperBound + 1 == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound...range.upperBound
      } else {
        joined.append(range)
      }
    }
    return joined
  }
}

/// The elements of one collection, owner by owner.
struct SalvagedElements {
  private let layout: CollectionLayout
  private let model: String
  private let source: Database
  private let target: Database

  init(_ layout: CollectionLayout, of model: String, source: Database, target: Database) {
    self.layout = layout
    self.model = model
    self.source = source
    self.target = target
  }

  /// Copies what can be read of the objects that were saved.
  func copy(_ report: inout Salvage.Report) throws {
    let names = layout.table.columns.map(\.name)
    let table = SQL.identifier(layout.table.name)
    let select = "SELECT \(SQL.identifiers(names)) FROM \(table) WHERE _owner = ?"
    let insert =
      "INSERT OR IGNORE INTO \(table) (\(SQL.identifiers(names))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
    let value = names.count - 1
    var (lost, damaged) = (0, 0)
    let owners = try target.prepare("SELECT _row FROM \(SQL.identifier(model))")
    while try owners.step() {
      let owner = owners.integer(at: 0)
      do {
        try source.withStatement(select) { statement in
          try statement.bind([.integer(owner)])
          while try statement.step() {
            guard statement.integer(at: 0) == owner else { throw SQLiteError.outOfOrder }
            let cell = statement.cell(at: value)
            let isReadable =
              cell.storageClass == .null
              ? layout.codec.isOptional : (try? layout.codec.decode(cell)) != nil
            guard isReadable else {
              damaged += 1
              continue
            }
            try target.execute(insert, (0...value).map { statement.value(at: $0) })
          }
        }
      } catch let error as SQLiteError where error.isOfDamage {
        lost += 1
      }
    }
    let property = "\(model).\(layout.property.name)"
    if lost > 0 {
      report.lose("elements of \(property) of \(lost) objects, which cannot be read")
    }
    if damaged > 0 { report.lose("\(damaged) elements of \(property), which cannot be read") }
  }
}

extension SQLiteError {
  /// A row that does not stand where its key says.
  fileprivate static var outOfOrder: SQLiteError {
    SQLiteError(code: PrimaryCode.corrupt.rawValue, message: "rows are out of order")
  }

  /// Whether the bytes of the file are to blame.
  fileprivate var isOfDamage: Bool {
    primaryCode == .corrupt || primaryCode == .notADatabase || primaryCode == .ioError
  }
}
