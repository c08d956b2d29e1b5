package import StrataSQLite

/// The table `_strata_changes`: what the newest transactions changed, bounded.
package enum ChangeLog {
  /// Older entries are dropped when there are more.
  package static let maximumEntries = 10_000
  /// A transaction that changes more of one model is written down as "any object of it".
  package static let maximumEntriesOfModel = 500

  package enum Kind: String, Hashable, Sendable {
    case insert
    case update
    case delete
    /// Anything may have happened to any object of the model.
    case all
  }

  /// Consecutive rows of one model that one transaction changed in the same way.
  package struct Entry: Hashable, Sendable {
    package var transaction: Int64
    package var model: String
    package var kind: Kind
    /// Empty for `all`.
    package var rows: ClosedRange<Int64>?
    /// The names of the changed properties; for `update` only.
    package var columns: [String]

    package init(
      transaction: Int64, model: String, kind: Kind, rows: ClosedRange<Int64>?,
      columns: [String] = []
    ) {
      self.transaction = transaction
      self.model = model
      self.kind = kind
      self.rows = rows
      self.columns = columns
    }
  }

  static let table = TableDefinition(
    name: LayoutNames.changes,
    columns: [
      ColumnDefinition(name: "entry", type: .integer, isRequired: false, isIdentity: true),
      ColumnDefinition(name: "transaction", type: .integer, isRequired: true),
      ColumnDefinition(name: "model", type: .text, isRequired: true),
      ColumnDefinition(name: "change", type: .text, isRequired: true),
      ColumnDefinition(name: "row", type: .integer, isRequired: false),
      ColumnDefinition(name: "last", type: .integer, isRequired: false),
      ColumnDefinition(name: "columns", type: .text, isRequired: false),
    ])

  /// Appends, and forgets what is too old.
  package static func append(_ entries: [Entry], to database: Database) throws {
    let table = SQL.identifier(LayoutNames.changes)
    try database.withStatement(
      "INSERT INTO \(table) (\"transaction\", \"model\", \"change\", \"row\", \"last\", \"columns\")"
        + " VALUES (?, ?, ?, ?, ?, ?)"
    ) { statement in
      for entry in entries {
        try statement.bind([
          .integer(entry.transaction), .text(entry.model), .text(entry.kind.rawValue),
          entry.rows.map { .integer($0.lowerBound) } ?? .null,
          entry.rows.map { .integer($0.upperBound) } ?? .null,
          entry.kind == .update ? .text(entry.columns.joined(separator: " ")) : .null,
        ])
        try statement.run()
      }
    }
    // Whole transactions only: a reader finds the one behind its own, or knows that it fell behind.
    try database.execute(
      "DELETE FROM \(table) WHERE \"entry\" <= (SELECT max(\"entry\") FROM \(table)) - ?1",
      .integer(Int64(maximumEntries)))
  }

  /// What happened after a transaction, in order; nil when the log does not reach back that far.
  ///
  /// - Parameters:
  ///   - transaction: the newest one that the reader knows.
  ///   - newest: the file's own count of transactions.
  package static func entries(
    after transaction: Int64, newest: Int64, in database: Database
  ) throws -> [Entry]? {
    guard newest > transaction else { return [] }
    let table = SQL.identifier(LayoutNames.changes)
    let rows = try database.rows(
      "SELECT \"transaction\", \"model\", \"change\", \"row\", \"last\", \"columns\" FROM \(table) "
        + "WHERE \"transaction\" > ? ORDER BY \"entry\"", .integer(transaction))
    var isWhole = true
    let entries = rows.compactMap { row -> Entry? in
      guard let transaction = row[0].ifInteger, let model = row[1].ifText,
        let kind = row[2].ifText.flatMap(Kind.init)
      else {
        isWhole = false
        return nil
      }
      var range: ClosedRange<Int64>?
      if let first = row[3].ifInteger, let last = row[4].ifInteger, first <= last {
        range = first...last
      }
      let columns = row[5].ifText?.utf8.split(separator: 0x20).map { String($0) ?? "" } ?? []
      return Entry(
        transaction: transaction, model: model, kind: kind, rows: range, columns: columns)
    }
    // Something else has written into the log.
    guard isWhole else { return nil }
    // Every transaction leaves an entry; the oldest one in a log that was cut may have lost some of its own.
    let ends = try database.rows("SELECT min(\"transaction\"), min(\"entry\") FROM \(table)")
    guard let oldest = ends.first?[0].ifInteger, let first = ends.first?[1].ifInteger,
      oldest <= transaction || first == 1
    else { return nil }
    return entries
  }
}
