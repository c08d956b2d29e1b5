import StrataSQLite

/// One STRICT table: its columns and its key.
package struct TableDefinition: Hashable, Sendable {
  package let name: String
  package let columns: [ColumnDefinition]
  /// The columns that are the table itself, in order; empty for a table whose key is `_row`.
  package let key: [String]
  /// Whether the table is stored in its key's order and has no rowid.
  package let isKeyed: Bool

  package init(name: String, columns: [ColumnDefinition], key: [String] = [], isKeyed: Bool = false)
  {
    self.name = name
    self.columns = columns
    self.key = key
    self.isKeyed = isKeyed
  }

  /// `CREATE TABLE`, under another name where one is given.
  package func createStatement(in database: String? = nil, named other: String? = nil) -> String {
    var lines = columns.map(\.definition)
    if !key.isEmpty { lines.append("PRIMARY KEY (\(SQL.identifiers(key)))") }
    return "CREATE TABLE \(SQL.identifier(other ?? name, in: database)) (\n  "
      + lines.joined(separator: ",\n  ") + "\n) STRICT" + (isKeyed ? ", WITHOUT ROWID" : "")
  }
}

/// One column.
package struct ColumnDefinition: Hashable, Sendable {
  package enum ColumnType: String, Hashable, Sendable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    case blob = "BLOB"
    case any = "ANY"
  }

  /// What becomes of a row when the row that it refers to is deleted.
  package enum DeleteAction: String, Hashable, Sendable {
    case setNull = "SET NULL"
    case cascade = "CASCADE"
    /// Refused at commit, unless the reference is gone by then.
    case refuse = "NO ACTION"
  }

  package struct Reference: Hashable, Sendable {
    package let table: String
    package let action: DeleteAction

    package init(table: String, action: DeleteAction) {
      self.table = table
      self.action = action
    }
  }

  package let name: String
  package let type: ColumnType
  package let isRequired: Bool
  package let reference: Reference?
  /// Whether this is `_row`.
  package let isIdentity: Bool

  package init(
    name: String, type: ColumnType, isRequired: Bool, reference: Reference? = nil,
    isIdentity: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.reference = reference
    self.isIdentity = isIdentity
  }

  /// The identity of an object.
  package static let row = ColumnDefinition(
    name: LayoutNames.row, type: .integer, isRequired: false, isIdentity: true)

  /// As it stands in CREATE TABLE and, behind ADD COLUMN, in ALTER TABLE.
  package var definition: String {
    var text = SQL.identifier(name) + " " + type.rawValue
    if isIdentity { text += " PRIMARY KEY" }
    if isRequired { text += " NOT NULL" }
    if let reference {
      text += " REFERENCES \(SQL.identifier(reference.table)) (\(SQL.identifier(LayoutNames.row)))"
      text += " ON DELETE \(reference.action.rawValue) DEFERRABLE INITIALLY DEFERRED"
    }
    return text
  }
}

/// The names that the layout takes for itself.
package enum LayoutNames {
  package static let row = "_row"
  package static let owner = "_owner"
  /// The order key of a list, the key of a map.
  package static let index = "_index"
  package static let value = "value"
  package static let metadata = "_strata"
  package static let changes = "_strata_changes"

  package static func collection(_ model: String, _ property: String) -> String {
    "\(model).\(property)"
  }

  package static func fulltext(_ model: String, _ property: String) -> String {
    "\(model).\(property).fulltext"
  }
}
