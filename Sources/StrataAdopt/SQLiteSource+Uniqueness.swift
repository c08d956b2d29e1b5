import Strata
import StrataSQLite
import StrataSchema

// Keys and uniqueness that SQLite takes, and that do not hold here.

extension SQLiteSource {
  private static let mended = "_strata_mended"
  private static let isText = "_strata_is_text"

  /// SQLite takes rows without a value in a primary key, and texts that are no UTF-8, which may agree once they are. Where a table has
  /// such rows, it is adopted without what they break.
  static func relaxUniqueness(
    _ sources: inout [SourceTable], _ database: Database, _ notes: inout [AdoptNote]
  ) throws {
    try addTextFunctions(to: database)
    defer { removeTextFunctions(from: database) }
    for index in sources.indices {
      let source = sources[index]
      func note(_ kind: AdoptNote.Kind, _ reason: String) {
        notes.append(AdoptNote(kind: kind, entity: source.name, property: nil, reason: reason))
      }
      let key = source.primaryKey.joined(separator: ", ")
      let agree = "texts that are no UTF-8 agree once that is replaced"
      if try agreesOnceMended(source.primaryKey, of: source, database) {
        sources[index].keyState = .broken
        note(.leftOut, "its primary key \(key): \(agree)")
      } else if let count = try rowsWithoutKey(of: source, database), count > 0 {
        sources[index].keyState = .hasNull
        note(.changed, "its primary key \(key) is a uniqueness: \(count) rows have no value in it")
      }
      sources[index].uniques = try source.uniques.filter { columns in
        guard try agreesOnceMended(columns, of: source, database) else { return true }
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
  /// - Throws: `AdoptError` where a table's rows break one when what is no UTF-8 has been replaced.
  static func checkUniqueness(
    of sources: [SourceTable], _ database: Database, path: String
  ) throws {
    try addTextFunctions(to: database)
    defer { removeTextFunctions(from: database) }
    for source in sources {
      let single = source.columns.filter(\.isUnique).map { [$0.name] }
      for columns in [source.primaryKey] + source.uniques + single
      where try agreesOnceMended(columns, of: source, database) {
        throw AdoptError(
          "'\(path)': \(source.name) has texts in \(columns.joined(separator: ", ")) that are no UTF-8 and agree once that is replaced, though they are unique. Without --history it is read by what it holds"
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
    of source: SourceTable, _ database: Database
  ) throws -> Int64? {
    let optional = source.columns.filter { $0.isOptional && source.primaryKey.contains($0.name) }
    guard !optional.isEmpty else { return nil }
    let tests = optional.map { "\(SQL.identifier($0.name)) IS NULL" }
    return try database.firstValue(
      "SELECT count(*) FROM \(SQL.identifier(source.name)) WHERE \(tests.joined(separator: " OR "))"
    )?.ifInteger
  }

  /// Whether rows of a table that differ in columns agree in them when what is no UTF-8 has been replaced.
  private static func agreesOnceMended(
    _ columns: [String], of source: SourceTable, _ database: Database
  ) throws -> Bool {
    let texts = source.columns.filter {
      columns.contains($0.name) && [.string, .any].contains($0.type)
    }.map { SQL.identifier($0.name) }
    guard !texts.isEmpty else { return false }
    let table = SQL.identifier(source.name)
    let tests = texts.map { "typeof(\($0)) = 'text' AND NOT \(isText)(\($0))" }
    guard
      try database.firstValue(
        "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(tests.joined(separator: " OR ")))")?
        .ifInteger == 1
    else { return false }
    let names = columns.map { SQL.identifier($0) }
    return try database.firstValue(
      """
      SELECT EXISTS (SELECT 1 FROM \(table) \
      WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) \
      GROUP BY \(names.map { "\(mended)(\($0))" }.joined(separator: ", ")) HAVING count(*) > 1)
      """)?.ifInteger == 1
  }
}
