package import StrataSchema

/// What SQLite holds for a schema: every table, index and trigger, in a fixed order.
///
/// docs/layout.md is the contract; `TableLayout.version` counts its editions and stands in every file.
package struct TableLayout: Sendable {
  /// The edition of the layout that this code writes.
  package static let version = 1
  /// The oldest SQLite that can read it: STRICT tables.
  package static let minimumSQLiteVersion = 3_037_000

  package let schema: Schema
  /// The models that have a table, in the schema's order.
  package let models: [ModelLayout]

  package init(_ schema: Schema) {
    self.schema = schema
    var triggers: [String: [TriggerDefinition]] = [:]
    for model in schema.storedModels {
      for trigger in ModelLayout.triggers(of: model, in: schema) {
        triggers[trigger.table, default: []].append(trigger)
      }
    }
    models = schema.storedModels.map { ModelLayout($0, in: schema, triggers: triggers) }
  }

  package func model(named name: String) -> ModelLayout? {
    models.binarySearch(name, by: \.model.name).map { models[$0] }
  }

  /// The names of all tables that a file of the schema has, full-text indexes included.
  package var tableNames: [String] {
    [LayoutNames.metadata, LayoutNames.changes] + models.flatMap(\.tableNames)
  }

  /// Which statements.
  package enum Part: CaseIterable, Hashable, Sendable {
    case tables
    /// Indexes and full-text indexes, which are empty until they are filled.
    case indexes
    /// After the data: a trigger must not fire for rows that a migration copies.
    case triggers
  }

  /// All CREATE statements of a fresh file, `_strata` and its log included, in an order that can be run.
  package func statements(in database: String? = nil) -> [String] {
    StrataMetadata.createStatements(in: database)
      + Part.allCases.flatMap { part in models.flatMap { $0.statements(part, in: database) } }
  }

  package static func statements(for schema: Schema, in database: String? = nil) -> [String] {
    TableLayout(schema).statements(in: database)
  }
}
