import Strata
import StrataSQLite
import StrataSchema

// Keys and uniqueness that SQLite takes, and that do not hold here.

extension SQLiteSource {
  private static let mended = "_strata_mended"
  private static let isText = "_strata_is_text"

  /// SQLite takes rows without a value in a primary key, texts that are no UTF-8, which may agree once they are, and different values
  /// of a foreign key that lead to one row. Where a table has such rows, it is adopted without what they break.
  ///
  /// - Parameter tables: those of the sources.
  static func relaxUniqueness(
    _ sources: inout [SourceTable], _ tables: [SQLiteCatalogue.Table], _ database: Database,
    _ notes: inout [AdoptNote]
  ) throws {
    try addTextFunctions(to: database)
    defer { removeTextFunctions(from: database) }
    for (index, table) in tables.enumerated() {
      let source = sources[index]
      func note(_ kind: AdoptNote.Kind, _ reason: String) {
        notes.append(AdoptNote(kind: kind, entity: source.name, property: nil, reason: reason))
      }
      let key = source.primaryKey.joined(separator: ", ")
      func conflict(_ columns: [String]) throws -> String? {
        if try agreesOnceMended(columns, of: source, table.walk, database) {
          return "texts that are no UTF-8 agree once that is replaced"
        }
        return try linksThatAgree(columns, of: source, table.walk, tables, database).map {
          "rows with different values of \($0) lead to one row"
        }
      }
      if let agree = try conflict(source.primaryKey) {
        sources[index].keyState = .broken
        note(.leftOut, "its primary key \(key): \(agree)")
      } else if let count = try rowsWithoutKey(of: source, table.walk, database), count > 0 {
        sources[index].keyState = .hasNull
        note(
          .changed,
          "its primary key \(key) is a uniqueness: \(counted(count, "row has", "rows have")) no value in it"
        )
      }
      sources[index].uniques = try source.uniques.filter { columns in
        guard let agree = try conflict(columns) else { return true }
        // What is said of the key is said.
        if columns != source.primaryKey {
          note(.leftOut, "the uniqueness of \(columns.joined(separator: ", ")): \(agree)")
        }
        return false
      }
    }
  }

  /// Of a version of a history keys and uniqueness are that version's word.
  ///
  /// - Throws: `AdoptError` where a table's rows break one when what is no UTF-8 has been replaced, or values are links.
  static func checkUniqueness(
    of tables: [SQLiteCatalogue.Table], _ database: Database, path: String
  ) throws {
    try addTextFunctions(to: database)
    defer { removeTextFunctions(from: database) }
    for table in tables {
      let (source, walk) = (table.source, table.walk)
      let single = source.columns.filter(\.isUnique).map { [$0.name] }
      for columns in [source.primaryKey] + source.uniques + single {
        let names = columns.joined(separator: ", ")
        var problem: String?
        if try agreesOnceMended(columns, of: source, walk, database) {
          problem = "has texts in \(names) that are no UTF-8 and agree once that is replaced"
        } else if let links = try linksThatAgree(columns, of: source, walk, tables, database) {
          problem = "has rows with different values of \(links) that lead to one row"
        }
        guard let problem else { continue }
        throw AdoptError(
          "'\(path)': \(source.name) \(problem), though \(names) \(columns.count == 1 ? "is" : "are") unique. Without --history it is read by what it holds"
        )
      }
    }
  }

  private static func addTextFunctions(to database: Database) throws {
    try database.addFunction(mended, argumentCount: 1) { call in
      if call[0].storageClass == .text {
        call.give(call[0].string)
      } else {
        call.give(call[0])
      }
    }
    try database.addFunction(isText, argumentCount: 1) { call in
      call.give(call[0].withText { String(validUTF8: $0) != nil })
    }
  }

  private static func removeTextFunctions(from database: Database) {
    try? database.removeFunction(mended, argumentCount: 1)
    try? database.removeFunction(isText, argumentCount: 1)
  }

  private static func rowsWithoutKey(
    of source: SourceTable, _ walk: String, _ database: Database
  ) throws -> Int64? {
    let optional = source.columns.filter { $0.isOptional && source.primaryKey.contains($0.name) }
    guard !optional.isEmpty else { return nil }
    let tests = optional.map { "typeof(\(SQL.identifier($0.name))) = 'null'" }
    return try database.firstValue(
      "SELECT count(*) FROM \(SQL.identifier(source.name)) \(walk) WHERE \(tests.joined(separator: " OR "))"
    )?.ifInteger
  }

  /// Whether rows of a table that differ in columns agree in them when what is no UTF-8 has been replaced.
  private static func agreesOnceMended(
    _ columns: [String], of source: SourceTable, _ walk: String, _ database: Database
  ) throws -> Bool {
    let texts = source.columns.filter {
      columns.contains($0.name) && [.string, .any].contains($0.type)
    }.map { SQL.identifier($0.name) }
    guard !texts.isEmpty else { return false }
    let table = SQL.identifier(source.name)
    let tests = texts.map { "typeof(\($0)) = 'text' AND NOT \(isText)(\($0))" }
    guard
      try database.firstValue(
        "SELECT EXISTS (SELECT 1 FROM \(table) \(walk) WHERE \(tests.joined(separator: " OR ")))"
      )?
      .ifInteger == 1
    else { return false }
    let names = columns.map { SQL.identifier($0) }
    return try database.firstValue(
      """
      SELECT EXISTS (SELECT 1 FROM \(table) \(walk) \
      WHERE \(names.map { "typeof(\($0)) <> 'null'" }.joined(separator: " AND ")) \
      GROUP BY \(names.map { "\(mended)(\($0))" }.joined(separator: ", ")) HAVING count(*) > 1)
      """)?.ifInteger == 1
  }

  /// Foreign keys of which rows have different values that SQLite leads to one row, as by a key without regard to case, or by `'1'` and
  /// 1: as links they agree.
  ///
  /// - Returns: their names, where rows of the table differ in the columns only by them; else nil.
  private static func linksThatAgree(
    _ columns: [String], of source: SourceTable, _ walk: String,
    _ tables: [SQLiteCatalogue.Table], _ database: Database
  ) throws -> String? {
    var links: [String: String] = [:]
    for name in columns {
      // Of several foreign keys of one column the first that leads to rows becomes the link.
      let leading = source.references.lazy.filter { $0.columns == [name] }.compactMap { reference in
        tables.first {
          $0.source.name == reference.table
            && (reference.targetColumns.isEmpty || reference.targetColumns == $0.source.primaryKey)
        }.flatMap { target in target.row(of: reference, in: "s").map { (target, $0) } }
      }
      guard let (target, row) = leading.first else { continue }
      // Whole numbers lead to one row only where they are the same.
      let types =
        source.columns.filter { $0.name == name }.map(\.type)
        + target.source.columns.filter { target.source.primaryKey == [$0.name] }.map(\.type)
      if types.allSatisfy(\.isInteger) { continue }
      links[name] = row
    }
    guard !links.isEmpty else { return nil }
    let values = columns.enumerated().map { place, name in
      "\(links[name] ?? "\(mended)(s.\(SQL.identifier(name)))") AS v\(place)"
    }
    let names = columns.indices.map { "v\($0)" }
    let agree = try database.firstValue(
      """
      SELECT EXISTS (SELECT 1 FROM \
      (SELECT \(values.joined(separator: ", ")) FROM \(SQL.identifier(source.name)) AS s \(walk)) \
      WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) \
      GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1)
      """)
    return agree?.ifInteger == 1 ? links.keys.sorted().joined(separator: ", ") : nil
  }
}
