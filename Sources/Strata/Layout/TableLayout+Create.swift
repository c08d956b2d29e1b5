package import StrataSQLite
package import StrataSchema

extension TableLayout {
  /// Makes an empty database of this layout, with its description. The caller's transaction holds it.
  package func create(
    in database: Database, named name: String? = nil, lineage: Lineage, chain: Digest?
  ) throws {
    for statement in statements(in: name) { try database.prepare(statement).run() }
    try allowFulltext(in: database)
    try StrataMetadata(schema: schema, lineage: lineage, chain: chain).write(to: database, in: name)
  }
}

extension TableLayout {
  /// Lets the triggers of full-text indexes write them: to SQLite before 3.41 an FTS5 table is nothing that a trigger of a file may
  /// use. Only for a file whose triggers are known to be those of this layout.
  package func allowFulltext(in database: Database) throws {
    if models.contains(where: { !$0.fulltexts.isEmpty }) { try database.set(.trustedSchema, true) }
  }
}

extension Database {
  /// SQLite's page size for files of ours.
  package static let strataPageSize: Int64 = 4096

  /// Sets what every connection that writes a file of ours has set: foreign keys, nested triggers, WAL's durability.
  package func configureForStrata(busyTimeout milliseconds: Int = 5000) throws {
    setBusyTimeout(milliseconds: milliseconds)
    try setPragma("foreign_keys", true)
    try setPragma("recursive_triggers", true)
    try setPragma("synchronous", "NORMAL")
  }
}
