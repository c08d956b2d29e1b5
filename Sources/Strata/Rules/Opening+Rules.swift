import StrataSQLite
import StrataSchema

extension Opening {
  /// A file of the same version and shape that says other rules, as one of a version that is still being worked on: all its
  /// objects are looked at, and the file says the new rules from then on.
  ///
  /// - Throws: `MigrationError` where an object breaks a rule; the file is as it was.
  func adoptRules(
    of schema: Schema, in database: Database, _ metadata: StrataMetadata
  ) throws {
    // Most schemas have no rules, and their files are not read for them.
    guard schema.hasRules || metadata.schemaText.contains("\"rules\""),
      try !metadata.schema().hasRules(of: schema)
    else { return }
    try database.transaction {
      // Another process may have upgraded it since it was looked at.
      let now = try StrataMetadata.read(from: database)
      guard now?.version == metadata.version, now?.shape == metadata.shape else {
        throw StoreError.busy(path: path)
      }
      let broken = try RuleCheck(database, schema: schema).run()
      if !broken.isEmpty {
        throw MigrationError.ruleBroken(
          broken, version: schema.version,
          form: configuration.migrations == nil ? .classic : .steps, isReshaped: true)
      }
      try StrataMetadata.write(
        .text(schema.json.canonicalText), for: .schemaText, to: database)
    }
  }
}
