package import StrataSQLite
package import StrataSchema

/// What a file says of itself: the table `_strata`, one row a fact.
package struct StrataMetadata: Hashable, Sendable {
  /// `Stra`, in the header of every file of ours.
  package static let applicationID: Int64 = 0x5374_7261

  /// The edition of the layout.
  package var layout: Int
  package var schemaName: String
  package var version: Int
  package var shape: Digest
  /// The chain of the lock up to the version; nil while the version is not frozen.
  package var chain: Digest?
  /// The canonical JSON of the whole schema, and of its lineage; parsed on first use.
  package var schemaText: String
  package var lineageText: String
  /// The identity of the next object, of whatever model.
  package var nextRow: Int64
  /// How many transactions have changed the file.
  package var transaction: Int64
  /// What it was upgraded from, the oldest first; empty for a file that was not, or by a program that did not note it.
  package var upgrades: [UpgradeMark]

  /// What a fresh file says.
  package init(
    schema: Schema, lineage: Lineage, chain: Digest?, nextRow: Int64 = 1, transaction: Int64 = 0,
    upgrades: [UpgradeMark] = []
  ) {
    self.layout = TableLayout.version
    self.schemaName = schema.name
    self.version = schema.version
    self.shape = schema.shape
    self.chain = chain
    self.schemaText = schema.json.canonicalText
    self.lineageText = lineage.json.canonicalText
    self.nextRow = nextRow
    self.transaction = transaction
    self.upgrades = upgrades
  }

  package func schema() throws -> Schema { try Schema(json: try JSON.parse(schemaText)) }
  package func lineage() throws -> Lineage { try Lineage(json: try JSON.parse(lineageText)) }
}

/// Why a file with a table `_strata` cannot be understood.
package enum MetadataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A newer edition of the layout wrote the file.
  case newerLayout(Int)
  /// A fact is missing or is no such fact.
  case unreadable(key: String)
  /// A number is none that a file could have counted to.
  case outOfRange(key: String, value: Int64)

  package var description: String {
    switch self {
    case .newerLayout(let layout):
      "the file has layout \(layout), newer than \(TableLayout.version), the newest known here"
    case .unreadable(let key):
      "the file's own description is damaged: \(key) in _strata is missing or of another type"
    case .outOfRange(let key, let value):
      "the file's own description is damaged: \(key) in _strata is \(value)"
    }
  }
}

/// A count of a file is at its end: one more, and no program would read the file.
package struct CountExhausted: Error, Hashable, Sendable, CustomStringConvertible {
  let key: StrataMetadata.Key

  package var description: String {
    """
    the numbers of \(key == .nextRow ? "objects" : "transactions") are used up, so that nothing more can be written. Export \
    the objects and import them into a new file, which numbers them anew.
    """
  }
}

extension StrataMetadata {
  /// The names of the facts.
  package enum Key: String, CaseIterable, Sendable {
    case layout
    case schemaName = "schema"
    case version
    case shape
    case chain
    case schemaText = "definition"
    case lineageText = "lineage"
    case nextRow
    case transaction
    case upgrades

    /// Whether a sound file may do without the fact.
    package var isOptional: Bool { self == .upgrades }

    /// Whether the fact is a number that only grows.
    var isCount: Bool { self == .nextRow || self == .transaction }
  }

  /// What a file can have counted to; more is damage, and leaves room to count on.
  package static let maximumCount: Int64 = 1 << 62

  /// The tables `_strata` and `_strata_changes`.
  package static func createStatements(in database: String? = nil) -> [String] {
    [
      TableDefinition(
        name: LayoutNames.metadata,
        columns: [
          ColumnDefinition(name: "key", type: .text, isRequired: true),
          ColumnDefinition(name: "value", type: .any, isRequired: false),
        ], key: ["key"], isKeyed: true
      ).createStatement(in: database),
      ChangeLog.table.createStatement(in: database),
    ]
  }

  /// Reads the description of a database, nil where there is none.
  package static func read(
    from database: Database, in name: String? = nil
  ) throws -> StrataMetadata? {
    let isThere = try database.firstValue(
      "SELECT 1 FROM \(SQL.identifier("sqlite_schema", in: name)) "
        + "WHERE type = 'table' AND name = ?", .text(LayoutNames.metadata))
    guard isThere != nil else { return nil }
    var facts: [String: SQLiteValue] = [:]
    for row in try database.rows(
      "SELECT \"key\", \"value\" FROM \(SQL.identifier(LayoutNames.metadata, in: name))")
    {
      if let key = row[0].ifText { facts[key] = row[1] }
    }
    return try StrataMetadata(facts: facts)
  }

  /// - Parameter facts: by the raw values of their keys.
  package init(facts: [String: SQLiteValue]) throws(MetadataError) {
    func integer(_ key: Key) throws(MetadataError) -> Int64 {
      guard let value = facts[key.rawValue]?.ifInteger else { throw .unreadable(key: key.rawValue) }
      return value
    }
    func text(_ key: Key) throws(MetadataError) -> String {
      guard let value = facts[key.rawValue]?.ifText else { throw .unreadable(key: key.rawValue) }
      return value
    }
    layout = Int(try integer(.layout))
    guard layout > 0 else { throw .outOfRange(key: Key.layout.rawValue, value: Int64(layout)) }
    guard layout <= TableLayout.version else { throw .newerLayout(layout) }
    schemaName = try text(.schemaName)
    let number = try integer(.version)
    // The header of the file has 32 bits for it.
    guard (0...Int64(Int32.max)).contains(number) else {
      throw .outOfRange(key: Key.version.rawValue, value: number)
    }
    version = Int(number)
    guard let shape = Digest(try text(.shape)) else {
      throw .unreadable(key: Key.shape.rawValue)
    }
    self.shape = shape
    switch facts[Key.chain.rawValue] {
    case nil, .null?: chain = nil
    case let value?:
      guard let chain = value.ifText.flatMap({ Digest($0) }) else {
        throw .unreadable(key: Key.chain.rawValue)
      }
      self.chain = chain
    }
    schemaText = try text(.schemaText)
    lineageText = try text(.lineageText)
    nextRow = try Self.checked(.nextRow, facts[Key.nextRow.rawValue])
    transaction = try Self.checked(.transaction, facts[Key.transaction.rawValue])
    // What cannot be read is as good as nothing: only taking an upgrade back asks for it.
    upgrades = facts[Key.upgrades.rawValue]?.ifText.flatMap(UpgradeMark.marks) ?? []
  }

  /// A count as the file has it.
  private static func checked(_ key: Key, _ value: SQLiteValue?) throws(MetadataError) -> Int64 {
    guard let count = value?.ifInteger else { throw .unreadable(key: key.rawValue) }
    // The first object has number 1.
    let first: Int64 = key == .nextRow ? 1 : 0
    guard (first...maximumCount).contains(count) else {
      throw .outOfRange(key: key.rawValue, value: count)
    }
    return count
  }

  /// What stands in the table, in the order in which it is written.
  package var facts: [(key: Key, value: SQLiteValue)] {
    [
      (.layout, .integer(Int64(layout))), (.schemaName, .text(schemaName)),
      (.version, .integer(Int64(version))), (.shape, .text(shape.description)),
      (.chain, chain.map { .text($0.description) } ?? .null), (.schemaText, .text(schemaText)),
      (.lineageText, .text(lineageText)), (.nextRow, .integer(nextRow)),
      (.transaction, .integer(transaction)),
    ] + (upgrades.isEmpty ? [] : [(.upgrades, .text(UpgradeMark.text(of: upgrades)))])
  }

  /// Writes everything, also into the header of the file.
  package func write(to database: Database, in name: String? = nil) throws {
    for (key, value) in facts { try Self.write(value, for: key, to: database, in: name) }
    try database.setPragma("application_id", .integer(Self.applicationID), in: name)
    try database.setPragma("user_version", .integer(Int64(version)), in: name)
  }

  /// - Throws: ``CountExhausted`` for a count that no file has.
  package static func write(
    _ value: SQLiteValue, for key: Key, to database: Database, in name: String? = nil
  ) throws {
    if key.isCount, let count = value.ifInteger, count > maximumCount {
      throw CountExhausted(key: key)
    }
    try database.execute(
      "INSERT OR REPLACE INTO \(SQL.identifier(LayoutNames.metadata, in: name)) "
        + "(\"key\", \"value\") VALUES (?, ?)", .text(key.rawValue), value)
  }

  /// Reads one number that changes with every transaction.
  package static func counter(
    _ key: Key, of database: Database, in name: String? = nil
  ) throws -> Int64 {
    let value = try database.firstValue(
      "SELECT \"value\" FROM \(SQL.identifier(LayoutNames.metadata, in: name)) WHERE \"key\" = ?",
      .text(key.rawValue))
    return try checked(key, value)
  }

  /// The identity of the next object: what the file has counted to, and above every object that is there. A program that adds
  /// rows without counting must not make two objects one.
  ///
  /// - Throws: `FileDamage` for a number that no file counts to.
  package static func nextRow(
    of database: Database, schema: Schema, in name: String? = nil
  ) throws -> Int64 {
    let counted = try counter(.nextRow, of: database, in: name)
    var next = counted
    for model in schema.storedModels {
      let table = SQL.identifier(model.name, in: name)
      guard
        let row = try database.firstValue("SELECT max(_row) FROM \(table)")?.ifInteger,
        row >= next
      else { continue }
      guard row < maximumCount else {
        throw FileDamage("\(model.name) has an object with _row \(row), which no file counts to")
      }
      next = row + 1
    }
    return next
  }
}
