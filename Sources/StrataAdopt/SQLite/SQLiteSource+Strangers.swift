import StrataSchema

// What a database of Room or drift has and its version does not: apps make it themselves, as triggers when the file is created.

extension SQLiteSource {
  /// Triggers that Room itself makes: they keep a search table as the table whose texts it finds.
  private static let triggersOfRoom = "room_fts_content_sync_"

  /// What of a database is left out, because its version's schema says nothing of it.
  static func strangers(
    in catalogue: SQLiteCatalogue, to version: AdoptedVersion, _ mapping: TableMapping
  ) -> [AdoptNote] {
    let declared = Dictionary(
      mapping.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let known = Set(declared.keys).union(version.notes.map(\.entity))
    var notes: [AdoptNote] = []
    for (name, note) in catalogue.others {
      let isSaid = version.notes.contains { other in
        other.entity == note.entity && other.reason.contains("'\(name)'")
      }
      if known.contains(name) || isSaid || name.hasPrefix(triggersOfRoom) { continue }
      notes.append(note)
    }
    for index in catalogue.indexes {
      guard let table = declared[index.table], !says(table, index, mapping) else { continue }
      // SQLite names the index of a UNIQUE in a table by itself.
      let what =
        index.name.hasPrefix("sqlite_")
        ? "the uniqueness of" : "the \(index.isUnique ? "unique " : "")index \(index.name) over"
      notes.append(
        AdoptNote(
          kind: .leftOut, entity: index.table, property: nil,
          reason:
            "\(what) \(index.columns.joined(separator: ", ")): version \(version.schema.version) has none"
        ))
    }
    return notes
  }

  /// Whether a version's table has an index, or what does its work.
  private static func says(
    _ table: SourceTable, _ index: SQLiteCatalogue.Index, _ mapping: TableMapping
  ) -> Bool {
    let uniques =
      [table.primaryKey] + table.uniques
      + table.columns.filter(\.isUnique).map { [$0.name] }
    if uniques.contains(where: { Set($0) == Set(index.columns) }) { return true }
    // Links are always indexed.
    let isLink =
      index.columns.count == 1 && mapping.names[table.name]?.links[index.columns[0]] != nil
    return !index.isUnique && (isLink || table.indexes.contains(index.columns))
  }
}
