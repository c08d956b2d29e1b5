import StrataSQLite
import StrataSchema

/// One index on a table of the layout.
package struct IndexDefinition: Hashable, Sendable {
  package let name: String
  package let table: String
  /// Columns in quotes, or expressions.
  package let terms: [String]
  package let isUnique: Bool
  /// For an index of some of the rows only.
  package let condition: String?

  package init(
    name: String, table: String, columns: [String], isUnique: Bool = false
  ) {
    self.init(
      name: name, table: table, terms: columns.map(SQL.identifier), isUnique: isUnique,
      condition: nil)
  }

  package init(name: String, table: String, terms: [String], isUnique: Bool, condition: String?) {
    self.name = name
    self.table = table
    self.terms = terms
    self.isUnique = isUnique
    self.condition = condition
  }

  package func createStatement(in database: String? = nil) -> String {
    "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQL.identifier(name, in: database)) "
      + "ON \(SQL.identifier(table)) (\(terms.joined(separator: ", ")))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}

/// One trigger on a table of the layout.
package struct TriggerDefinition: Hashable, Sendable {
  package let name: String
  /// The table whose changes fire it.
  package let table: String
  /// `AFTER DELETE`, `AFTER UPDATE OF "home"`.
  package let event: String
  package let condition: String?
  /// Statements without their semicolons.
  package let statements: [String]

  package func createStatement(in database: String? = nil) -> String {
    "CREATE TRIGGER \(SQL.identifier(name, in: database)) \(event) ON \(SQL.identifier(table))"
      + (condition.map { " WHEN \($0)" } ?? "") + " BEGIN\n  "
      + statements.joined(separator: ";\n  ") + ";\nEND"
  }

  /// What a changed row had in a column, in a statement that writes the rows of a model.
  ///
  /// SQLite takes `OLD` for the table of that statement where it is called so and has such a column; a SELECT without a table knows none.
  static func old(_ column: String, writing model: Model) -> String {
    let old = "OLD.\(SQL.identifier(column))"
    let isTaken =
      model.name.lowercased() == "old"
      && (column == LayoutNames.row || model.properties.contains { $0.name == column })
    return isTaken ? "(SELECT \(old))" : old
  }
}

/// The full-text index of one property: FTS5 over the model's own table, kept right by triggers.
package struct FulltextDefinition: Hashable, Sendable {
  package let name: String
  package let table: String
  package let column: String

  package func createStatement(in database: String? = nil) -> String {
    "CREATE VIRTUAL TABLE \(SQL.identifier(name, in: database)) USING fts5("
      + "\(SQL.identifier(column)), content=\(SQL.literal(table)), "
      + "content_rowid=\(SQL.literal(LayoutNames.row)))"
  }

  /// Fills the index from the table.
  package func fillStatement(in database: String? = nil) -> String {
    "INSERT INTO \(SQL.identifier(name, in: database)) (\(SQL.identifier(name))) VALUES ('rebuild')"
  }

  /// FTS5 has to be told the old text that it forgets, and a NULL leaves no trace.
  var triggers: [TriggerDefinition] {
    let index = SQL.identifier(name)
    let text = SQL.identifier(column)
    let row = SQL.identifier(LayoutNames.row)
    let add = "INSERT INTO \(index) (rowid, \(text)) VALUES (NEW.\(row), NEW.\(text))"
    let remove =
      "INSERT INTO \(index) (\(index), rowid, \(text)) VALUES ('delete', OLD.\(row), OLD.\(text))"
    return [
      TriggerDefinition(
        name: "\(name).insert", table: table, event: "AFTER INSERT", condition: nil,
        statements: [add]),
      TriggerDefinition(
        name: "\(name).delete", table: table, event: "AFTER DELETE", condition: nil,
        statements: [remove]),
      TriggerDefinition(
        name: "\(name).update", table: table, event: "AFTER UPDATE OF \(text)", condition: nil,
        statements: [remove, add]),
    ]
  }
}
