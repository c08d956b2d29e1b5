import Strata
package import StrataSQLite
import StrataSchema

// A database of Room or drift as one of the versions whose schemas these have written down.

extension SQLiteSource {
  /// Columns that a message names at most.
  private static let maximumNamed = 5

  /// The database as the version of a history whose tables and columns it has.
  ///
  /// - Throws: `AdoptError` where it is none of them, or holds values that its version's types do not have.
  package static func recognised(
    path: String, database: Database, in history: AdoptedHistory
  ) throws -> SQLiteSource {
    let catalogue = try SQLiteCatalogue(database, path: path)
    try database.addFunction(isDate, argumentCount: 1) { call in
      call.give(call[0].withText { String(validUTF8: $0).flatMap(DriftDate.parse) != nil })
    }
    defer { try? database.removeFunction(isDate, argumentCount: 1) }
    let virtual = Set(catalogue.virtualTables.map(\.name))
    let own = columns(of: catalogue.tables.map(\.source), without: virtual)
    let equal = history.versions.filter { version in
      version.tables.map { columns(of: $0.tables, without: virtual) == own } ?? false
    }
    guard
      let version = equal.first(where: { $0.schema.version == catalogue.userVersion })
        ?? equal.last,
      let mapping = version.tables
    else {
      throw AdoptError(
        "'\(path)' is none of the \(history.versions.count) versions: \(difference(own, catalogue.userVersion, history, virtual))"
      )
    }
    var next: Int64 = 1
    var entries: [Entry] = []
    var history = history
    history.notes += strangers(in: catalogue, to: version, mapping)
    for source in mapping.tables {
      guard let names = mapping.names[source.name],
        let model = version.schema.model(named: names.model)
      else { continue }
      let search = catalogue.virtualTables.first { $0.name == source.name }
      func leaveOut(_ problem: String) {
        let rows = search?.count.map { $0 == 1 ? "its row: " : "its \($0) rows: " } ?? ""
        history.notes.append(
          AdoptNote(kind: .leftOut, entity: source.name, property: nil, reason: rows + problem))
      }
      let found = search?.table(source)
      if let problem = found?.problem { leaveOut(problem) }
      guard
        let table = found?.table ?? catalogue.tables.first(where: { $0.source.name == source.name })
      else { continue }
      let columns = Dictionary(
        names.columns.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
      let mismatch = names.links.values.filter { link in
        // The database's own foreign key may name no column where the history names one.
        let own = table.source.references.first {
          $0.columns == link.columns && $0.table == link.table
        }
        return catalogue.tables.contains {
          $0.source.name == link.table && !$0.source.isFoundByColumn(own ?? link)
        }
      }.map(\.table).min()
      if let mismatch {
        throw AdoptError(
          "'\(path)': the key of '\(mismatch)' compares by another collation than its column, so that SQLite has no link there from '\(source.name)'. Without --history it is read by what it holds"
        )
      }
      var known = table
      known.source = source
      known.source.keyMismatch = table.source.keyMismatch
      let entry = Entry(
        table: known, model: model,
        columns: model.columnProperties.compactMap { property in
          columns[property.name].map { ($0, property) }
        }, links: names.links, firstRow: next)
      if let problem = try problem(of: entry, mapping, database) {
        // Search tables take values of any type, whatever their columns are declared; the others are not kept back for them.
        guard search != nil else {
          throw AdoptError(
            "'\(path)': \(problem). Without --history it is read by what it holds")
        }
        leaveOut(problem)
        continue
      }
      entries.append(entry)
      next += Int64(table.count)
    }
    try checkUniqueness(of: entries.map(\.table), database, path: path)
    return SQLiteSource(
      path: path, history: history, entries: entries, nextRow: next,
      recognition: recognition(version, equal, catalogue.userVersion))
  }

  private static let isDate = "_strata_is_date"
  /// Seconds from 1970, in both directions, that are exact as a Double of seconds from 2001.
  private static let latestDate: Int64 = 1 << 53 - 978_307_200

  private static func columns(
    of tables: [SourceTable], without virtual: Set<String>
  ) -> [String: Set<String>] {
    Dictionary(
      tables.filter { !virtual.contains($0.name) }.map { ($0.name, Set($0.columns.map(\.name))) },
      uniquingKeysWith: { first, _ in first })
  }

  private static func recognition(
    _ version: AdoptedVersion, _ equal: [AdoptedVersion], _ userVersion: Int
  ) -> Recognition {
    let number = version.schema.version
    var versions = equal.map { (number: $0.schema.version, name: $0.name) }
    versions.removeAll { $0.number == number }
    versions.insert((number, version.name), at: 0)
    var text = "the database is version \(number), '\(version.name)'"
    if versions.count > 1 {
      let others = versions.dropFirst().map { String($0.number) }.joined(separator: ", ")
      text += "; its tables are also those of \(others)"
    }
    if userVersion != number { text += "; it calls itself version \(userVersion)" }
    return Recognition(
      version: number, equal: versions, text: text, isNamed: userVersion == number)
  }

  /// What keeps a database from being the version that it calls itself, or the newest.
  private static func difference(
    _ own: [String: Set<String>], _ userVersion: Int, _ history: AdoptedHistory,
    _ virtual: Set<String>
  ) -> String {
    guard
      let version = history.versions.first(where: { $0.schema.version == userVersion })
        ?? history.versions.last, let tables = version.tables
    else { return "the history has no tables" }
    let declared = columns(of: tables.tables, without: virtual)
    var parts: [String] = []
    for name in Set(own.keys).union(declared.keys).sorted() {
      switch (own[name], declared[name]) {
      case (nil, _?): parts.append("it has no table '\(name)'")
      case (_?, nil): parts.append("its table '\(name)' is not there")
      case (let found?, let wanted?) where found != wanted:
        for column in wanted.subtracting(found).sorted() {
          parts.append("it has no column '\(name).\(column)'")
        }
        for column in found.subtracting(wanted).sorted() {
          parts.append("its column '\(name).\(column)' is not there")
        }
      default: break
      }
    }
    return "of version \(version.schema.version), "
      + parts.prefix(maximumNamed).joined(separator: ", ")
      + (parts.count > maximumNamed ? ", and \(parts.count - maximumNamed) more" : "")
  }

  /// The version's types are the history's word; a value that they do not have is not changed without a word.
  ///
  /// - Returns: which column has values that cannot be kept, and how many; nil where all can.
  private static func problem(
    of entry: Entry, _ mapping: TableMapping, _ database: Database
  ) throws -> String? {
    let table = entry.table.source
    for (column, property) in entry.columns {
      let cell = "s.\(SQL.identifier(column))"
      var test: String?
      var problem = ("value of", "values of", "another type than \(property.type.spelling)")
      if property.type.isToOne,
        let reference = entry.links[column],
        let key = mapping.tables.first(where: { $0.name == reference.table })?.primaryKey.first
      {
        if property.isRequiredLink {
          test = """
            NOT EXISTS (SELECT 1 FROM \(SQL.identifier(reference.table)) AS t \
            WHERE t.\(SQL.identifier(key)) = +\(cell))
            """
          problem = (
            "value that leads", "values that lead", "to no row, although the link is required"
          )
        }
      } else if let scalar = property.type.valueType?.base.scalar {
        test = Self.test(cell, scalar, isOptional: property.type.valueType?.isOptional == true)
      }
      guard let test else { continue }
      let row =
        Array(
          try database.rows(
            "SELECT count(*), sum(typeof(\(cell)) = 'null') FROM \(SQL.identifier(table.name)) AS s \(entry.table.walk) WHERE \(test)"
          )
        ).first ?? []
      guard row.count == 2, let count = row[0].ifInteger, count > 0 else { continue }
      let place = "\(table.name).\(column)"
      // Of a column that has become NOT NULL later, SQLite has not asked the rows.
      if row[1].ifInteger == count {
        return
          "\(place) has \(counted(count, "row", "rows")) without a value, although it is required"
      }
      return "\(place) has \(counted(count, problem.0, problem.1)) \(problem.2)"
    }
    return nil
  }

  /// Holds where a cell has no value of the type.
  private static func test(_ cell: String, _ scalar: ScalarType, isOptional: Bool) -> String? {
    let kinds: [String]
    var more = ""
    switch scalar {
    case .bool:
      kinds = ["integer"]
      more = " OR \(cell) NOT IN (0, 1)"
    case .double, .float:
      kinds = ["integer", "real"]
      let largest = SQLiteCatalogue.Content.largestOfDoubles
      more = " OR typeof(\(cell)) = 'integer' AND \(cell) NOT BETWEEN \(-largest) AND \(largest)"
    case .string: kinds = ["text"]
    case .data: kinds = ["blob"]
    case .date:
      kinds = ["integer", "real", "text"]
      more =
        " OR typeof(\(cell)) = 'text' AND (\(SQLiteTransfer.date(cell)) IS NULL OR NOT \(isDate)(\(cell)))"
        + " OR typeof(\(cell)) = 'integer' AND \(cell) NOT BETWEEN \(-latestDate) AND \(latestDate)"
    case let type where type.isInteger: kinds = ["integer"]
    default: return nil
    }
    let known = (kinds + (isOptional ? ["null"] : [])).map { "'\($0)'" }
    return "typeof(\(cell)) NOT IN (\(known.joined(separator: ", ")))\(more)"
  }
}

extension Property {
  fileprivate var isRequiredLink: Bool {
    type.isToOne && type.valueType?.isOptional == false
  }
}
