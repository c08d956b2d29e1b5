import Strata
package import StrataSQLite
package import StrataSchema

/// Something that a file's content should not be, found by looking at all of it.
package struct ContentProblem: Hashable, Sendable {
  /// What was looked at.
  package enum Check: String, Hashable, Sendable, CaseIterable {
    /// SQLite's own structure: pages, cells, indexes.
    case sqlite
    /// The tables and columns that the schema describes.
    case layout
    /// The types of values in their columns.
    case values
    /// Links to objects that are not there.
    case links
    /// Keys that two objects share.
    case unique
    /// Elements of lists in one place.
    case order
    /// Embedded objects without an owner, or with several.
    case owners
    /// What the file has counted to.
    case counters
    /// What the file says of itself.
    case lineage
  }

  package let check: Check
  package let message: String
  /// How many it stands for: the last one of a kind may say how many more there are.
  package var count = 1
  /// Whether there may be more, because SQLite was not asked for all.
  package var isMinimum = false
  /// Whether each object, its values and its links are there all the same: it is about pages that nothing uses, bytes that belong to
  /// nothing, or an index for words.
  package var sparesObjects = false
}

extension [ContentProblem] {
  /// How many stand behind the first one: `, and 3 more`; nothing where there are none.
  package var more: String {
    let count = reduce(0) { $0 + $1.count }
    guard count > 1 else { return "" }
    return ", and \(contains(where: \.isMinimum) ? "at least " : "")\(count - 1) more"
  }
}

/// Looks at everything that is in a file: at each page, row, value and link. `inspect` without it looks at a sample.
package struct FileCheck {
  /// Problems of one kind that are told one by one.
  static let maximumProblems = 100

  let database: Database
  let schema: Schema

  package init(database: Database, schema: Schema) {
    self.database = database
    self.schema = schema
  }

  /// All problems, in the order of the checks. What cannot be looked at is a problem, too.
  ///
  /// - Parameter goesOn: whether a check for which the machine has no room, memory or file left is a problem as well.
  /// - Throws: `SQLiteError` for such a lack, of which the file is innocent.
  package func run(despiteLack goesOn: Bool = false) throws -> [ContentProblem] {
    var problems: [ContentProblem] = []
    func attempt(_ check: ContentProblem.Check, _ body: (inout Report) throws -> Void) throws {
      var report = Report()
      do {
        try body(&report)
      } catch let error as SQLiteError where goesOn || !error.isOfLack {
        report.append("\(error.meaning.what) (SQLite \(error.code): \(error.message))")
      } catch let error where !(error is SQLiteError) {
        report.append("\(error)")
      }
      problems += report.messages.map { message, sparesObjects in
        ContentProblem(check: check, message: message, sparesObjects: sparesObjects)
      }
      if report.left > 0 {
        let least = report.isCutOff ? "at least " : ""
        problems.append(
          ContentProblem(
            check: check, message: "and \(least)\(report.left) more", count: report.left,
            isMinimum: report.isCutOff, sparesObjects: !report.isHarmLeft && !report.isCutOff))
      }
    }
    try attempt(.sqlite, checkStructure)
    for fulltext in TableLayout(schema).models.flatMap(\.fulltexts) {
      try attempt(.sqlite) { report in
        try FulltextCheck(database, fulltext).run { report.append($0, sparesObjects: true) }
      }
    }
    try attempt(.layout) { _ in
      try TableCheck(database: database, schema: schema).run(for: .writing)
    }
    try attempt(.values) { report in
      try CellSample(database: database, schema: schema).checkAll { report.append($0) }
    }
    try attempt(.links, checkLinks)
    try attempt(.links) { try AnyLinkCheck(database, schema).run(&$0) }
    try attempt(.unique, checkUnique)
    try attempt(.unique, checkIdentities)
    try attempt(.order, checkOrder)
    try attempt(.owners, checkOwners)
    try attempt(.counters, checkCounters)
    try attempt(.lineage, checkDescription)
    return problems
  }

  /// What one check has found.
  struct Report {
    fileprivate private(set) var messages: [(text: String, sparesObjects: Bool)] = []
    fileprivate private(set) var left = 0
    /// Whether one of those that are left hurts objects.
    fileprivate private(set) var isHarmLeft = false
    private var isHarmTold = false
    /// Whether there may be more than were looked for.
    fileprivate var isCutOff = false

    mutating func append(_ message: String, sparesObjects: Bool = false) {
      let isFirstHarm = !sparesObjects && !isHarmTold
      if messages.count < FileCheck.maximumProblems {
        messages.append((message, sparesObjects))
      } else {
        left += 1
        // What hurts objects is told, however much stands before it that does not.
        if isFirstHarm { messages[messages.count - 1] = (message, sparesObjects) }
        isHarmLeft = isHarmLeft || !sparesObjects && !isFirstHarm
      }
      isHarmTold = isHarmTold || !sparesObjects
    }
  }

  private func checkStructure(_ report: inout Report) throws {
    for limit in IntegrityFinding.limits {
      report = Report()
      let count = try IntegrityFinding.check(database, String(limit)) { line in
        report.append(line, sparesObjects: IntegrityFinding.isOfUnusedPages(line))
      }
      report.isCutOff = count >= limit
      if !report.isCutOff { break }
    }
    if let surplus = try FileEnd(of: database)?.surplus, surplus > 0 {
      report.append(
        "\(surplus) byte\(surplus == 1 ? "" : "s") behind the last page belong\(surplus == 1 ? "s" : "") to nothing",
        sparesObjects: true)
    }
  }

  private func checkLinks(_ report: inout Report) throws {
    try database.withStatement("PRAGMA main.foreign_key_check") { statement in
      while try statement.step() {
        let row = statement.storageClass(at: 1) == .null ? "" : " _row \(statement.integer(at: 1))"
        report.append(
          "a link in \(statement.string(at: 0))\(row) leads to a \(statement.string(at: 2)) that is not there"
        )
      }
    }
    for model in schema.storedModels {
      for property in model.columnProperties
      where property.isRequiredColumn && property.type.isToOne {
        try each(
          "SELECT _row FROM \(SQL.identifier(model.name)) WHERE \(SQL.identifier(property.name)) = 0"
        ) { report.append("\(model.name) _row \($0) has no \(property.name), which is required") }
      }
    }
  }

  private func checkUnique(_ report: inout Report) throws {
    for model in schema.storedModels {
      for key in model.uniqueKeys {
        // An index may be what is damaged: the rows are asked.
        let columns = key.map { "+" + SQL.identifier($0) }.joined(separator: ", ")
        let present = key.map { "\(SQL.identifier($0)) IS NOT NULL" }.joined(separator: " AND ")
        let condition = key == model.primaryKey ? "" : "WHERE " + present
        try each(
          """
          SELECT min(_row) FROM \(SQL.identifier(model.name)) NOT INDEXED \(condition) \
          GROUP BY \(columns) HAVING count(*) > 1
          """
        ) {
          report.append(
            "several \(model.name) objects have the same \(key.joined(separator: ", ")); the first is _row \($0)"
          )
        }
      }
    }
  }

  /// The numbers of objects come from one counter for all models.
  private func checkIdentities(_ report: inout Report) throws {
    let seen = "temp.\(SQL.identifier("_strata_check_rows"))"
    try database.spillTemporaries()
    try database.execute(
      "CREATE TEMP TABLE \(SQL.identifier("_strata_check_rows")) (_row INTEGER PRIMARY KEY)")
    defer { try? database.execute("DROP TABLE \(seen)") }
    for model in schema.storedModels {
      let table = SQL.identifier(model.name, in: "main")
      try each("SELECT _row FROM \(table) NOT INDEXED WHERE _row IN (SELECT _row FROM \(seen))") {
        report.append("\(model.name) _row \($0): an object of another model has the same number")
      }
      try database.execute("INSERT OR IGNORE INTO \(seen) SELECT _row FROM \(table) NOT INDEXED")
    }
  }

  private func checkOrder(_ report: inout Report) throws {
    for model in TableLayout(schema).models {
      for collection in model.collections where collection.kind != .set {
        try each(
          """
          SELECT _owner FROM \(SQL.identifier(collection.table.name)) NOT INDEXED \
          GROUP BY +_owner, +_index HAVING count(*) > 1
          """
        ) {
          report.append(
            "two elements of \(model.model.name) _row \($0) stand in one place of \(collection.property.name)"
          )
        }
      }
    }
  }

  private func checkOwners(_ report: inout Report) throws {
    let links = LinkHolders(in: schema)
    for model in schema.storedModels where model.isEmbedded {
      let owners = links.holders(of: model.name).map {
        "SELECT \(SQL.identifier($0.targetColumn)) AS target FROM \(SQL.identifier($0.table))"
      }.joined(separator: " UNION ALL ")
      guard !owners.isEmpty else { continue }
      try each(
        """
        SELECT target FROM (\(owners)) WHERE target IS NOT NULL AND target <> 0 \
        GROUP BY target HAVING count(*) > 1
        """
      ) { report.append("\(model.name) _row \($0), which is embedded, has several owners") }
      try each(
        """
        SELECT _row FROM \(SQL.identifier(model.name)) \
        WHERE _row NOT IN (SELECT target FROM (\(owners)) WHERE target IS NOT NULL)
        """
      ) { report.append("\(model.name) _row \($0), which is embedded, has no owner") }
    }
  }

  private func checkCounters(_ report: inout Report) throws {
    let counted = try StrataMetadata.counter(.nextRow, of: database)
    for model in schema.storedModels {
      try each("SELECT _row FROM \(SQL.identifier(model.name)) WHERE _row < 1") {
        report.append("\(model.name) has an object with _row \($0), and numbers begin at 1")
      }
      let row = try database.firstValue("SELECT max(_row) FROM \(SQL.identifier(model.name))")
      guard let row = row?.ifInteger, row >= counted else { continue }
      report.append(
        "\(model.name) has an object with _row \(row), and the file has counted to \(counted - 1) only"
      )
    }
    let transaction = try StrataMetadata.counter(.transaction, of: database)
    let newest = try database.firstValue(
      "SELECT max(\"transaction\") FROM \(SQL.identifier(LayoutNames.changes))")
    if let newest = newest?.ifInteger, newest > transaction {
      report.append(
        "the log of changes has transaction \(newest), and the file has counted to \(transaction) only"
      )
    }
  }

  private func checkDescription(_ report: inout Report) throws {
    guard let metadata = try StrataMetadata.read(from: database) else { return }
    let described = try metadata.schema()
    if described.shape != metadata.shape {
      report.append("the file's schema has another shape than the file says")
    }
    if described.version != metadata.version || described.name != metadata.schemaName {
      report.append(
        "the file's schema is \(described.name), version \(described.version), and the file says "
          + "\(metadata.schemaName), version \(metadata.version)")
    }
    for key in StrataMetadata.Key.allCases where !key.isOptional {
      let fact = try database.rows(
        "SELECT 1 FROM \(SQL.identifier(LayoutNames.metadata)) WHERE \"key\" = ?",
        .text(key.rawValue))
      if fact.isEmpty { report.append("\(key.rawValue) is missing in _strata") }
    }
    let upgrades = try database.firstValue(
      "SELECT \"value\" FROM \(SQL.identifier(LayoutNames.metadata)) WHERE \"key\" = ?",
      .text(StrataMetadata.Key.upgrades.rawValue))
    if let upgrades, upgrades.ifText.flatMap(UpgradeMark.marks) == nil {
      report.append(
        "upgrades in _strata is not what an upgrade writes, so that the file does not know what it was upgraded from"
      )
    }
    let lineage = try metadata.lineage()
    for path in described.storedPaths {
      guard let origin = lineage.origins[path] else {
        report.append("\(path) has no lineage")
        continue
      }
      if origin.version > metadata.version {
        report.append("\(path) comes from version \(origin.version), later than the file's")
      }
    }
    if try database.pragma("application_id") != .integer(StrataMetadata.applicationID) {
      report.append("the file's header does not name Strata")
    }
    if try database.pragma("user_version") != .integer(Int64(metadata.version)) {
      report.append("the file's header names another version than \(metadata.version)")
    }
  }

  /// The first column of each row, an identity.
  private func each(_ sql: String, _ body: (Int64) -> Void) throws {
    let statement = try database.prepare(sql)
    while try statement.step() { body(statement.integer(at: 0)) }
  }
}
