import Strata
import StrataFiles
package import StrataSQLite
import StrataSchema

/// Brings the objects of a Core Data store into a new database, one after the other: memory does not grow with them.
package final class CoreDataTransfer {
  private let source: CoreDataSource
  private let store: Database
  private let leave: (String) throws -> Void
  private let progress: (String, Int) throws -> Void
  private var done = 0
  package private(set) var report = TransferReport()

  /// - Parameters:
  ///   - store: the store, read only.
  ///   - leave: takes a line of JSON for each value that cannot be said here.
  ///   - progress: told the model and the objects done so far; what it throws ends the run.
  package init(
    _ source: CoreDataSource, from store: Database, leave: @escaping (String) throws -> Void,
    progress: @escaping (String, Int) throws -> Void = { _, _ in }
  ) {
    self.source = source
    self.store = store
    self.leave = leave
    self.progress = progress
  }

  /// Reads all objects and writes them.
  ///
  /// - Parameter database: with empty tables; nil only reads and reports.
  /// - Returns: the identity of the next object.
  package func run(into database: Database?) throws -> Int64 {
    for entry in source.entries {
      try moveObjects(entry, database)
      for collection in entry.collections { try moveElements(entry, collection, database) }
    }
    try keepStrayPairs()
    for table in source.strangers { try keepStrangers(of: table) }
    for (table, columns) in source.strayColumns { try keepColumns(columns, of: table) }
    for (key, value) in source.store.metadata {
      report.note("Z_METADATA", key, Self.metadataReason)
      try leave(
        JSON.object([
          "$model": .string("Z_METADATA"), "$id": .null, "property": .string(key),
          "reason": .string(Self.metadataReason), "value": value,
        ]).canonicalText)
    }
    return source.nextRow
  }

  private static let metadataReason = "the store's metadata is no object"

  // MARK: - Objects

  private func moveObjects(_ entry: CoreDataSource.Entry, _ database: Database?) throws {
    var count = 0
    defer { report.objects[entry.model.name] = count }
    guard entry.count > 0 else { return }
    // Each column; behind a link the entity that the row it leads to is of.
    var terms = ["s.Z_PK"]
    for column in entry.columns {
      guard let name = column.name else { continue }
      let cell = "s.\(SQL.identifier(name))"
      terms.append(cell)
      if let target = column.target {
        terms.append(
          "(SELECT t.Z_ENT FROM \(SQL.identifier(target.table)) AS t WHERE t.Z_PK = \(cell))")
      }
    }
    let rows = try store.prepare(
      "SELECT \(terms.joined(separator: ", ")) FROM \(SQL.identifier(entry.table)) AS s NOT INDEXED WHERE s.Z_ENT = ? ORDER BY s.Z_PK"
    )
    defer { rows.reset() }
    try rows.bind(entry.entity, at: 1)
    let writer = try database.map {
      try ModelWriter(entry.model, schema: source.schema, database: $0)
    }
    var cells = [Value](repeating: .null, count: entry.columns.count)
    do {
      while try rows.step() {
        let identity = entry.firstRow + rows.integer(at: 0)
        var place = 1
        for (position, column) in entry.columns.enumerated() {
          let property = column.property
          guard column.name != nil else {
            cells[position] = CoreDataValue.missing(property)
            continue
          }
          let cell = place
          let value = rows.value(at: cell)
          let found: (value: Value, reason: String?)
          if let target = column.target {
            found = link(value, rows.value(at: place + 1), target, property)
            place += 2
          } else {
            found = try attribute(rows, place, value, column)
            place += 1
          }
          cells[position] = found.value
          if let reason = found.reason {
            try leave(
              reason, rows.leftOutCell(at: cell), entry.model.name, property.name, identity)
          }
        }
        try writer?.add(identity, cells)
        report.values += cells.count
        count += 1
        done += 1
        if done % 1_000 == 0 { try progress(entry.model.name, done) }
      }
      try writer?.finish()
      guard count == entry.count else {
        throw SourceDamage.error(source.path, entry.table, counted: entry.count, read: count)
      }
    } catch {
      // The connection is its caller's again.
      try? writer?.finish()
      throw error
    }
    try progress(entry.model.name, done)
  }

  private func attribute(
    _ rows: Statement, _ place: Int, _ value: SQLiteValue, _ column: CoreDataSource.Column
  ) throws -> (value: Value, reason: String?) {
    let property = column.property
    if case .text = value, !rows.isUTF8(at: place) {
      return (
        CoreDataValue.stored(value, property).value,
        "the text is no UTF-8: what is not was replaced"
      )
    }
    if column.isExternal, case .blob(let bytes) = value {
      switch CoreDataValue.external(bytes) {
      case .inline(let content): return CoreDataValue.stored(.blob(content), property)
      case .file(let name):
        let files = POSIXFiles()
        for path in source.externalFile(name) {
          guard let size = try files.size(of: path) else { continue }
          guard size <= CoreDataValue.maximumBlob else {
            return (
              CoreDataValue.missing(property), "its file is larger than a value can be"
            )
          }
          return CoreDataValue.stored(
            .blob(try files.read(path, from: 0, count: size)), property)
        }
        return (CoreDataValue.missing(property), "its file is not beside the store")
      }
    }
    return CoreDataValue.stored(value, property)
  }

  private func link(
    _ value: SQLiteValue, _ entity: SQLiteValue, _ target: CoreDataSource.Target,
    _ property: Property
  ) -> (value: Value, reason: String?) {
    if value.isNull { return (.null, nil) }
    guard let row = value.ifInteger, let number = entity.ifInteger,
      let model = target.models[number]
    else { return (.null, "the link leads to no object that is here") }
    let identity = target.firstRow + row
    let isAny = property.type.valueType?.base == .scalar(.any)
    return (isAny ? .object(model: model, identity: identity) : .link(identity), nil)
  }

  // MARK: - Elements

  private func moveElements(
    _ entry: CoreDataSource.Entry, _ collection: CoreDataSource.Collection, _ database: Database?
  ) throws {
    let (pairs, target, property) = (collection.pairs, collection.target, collection.property)
    let rows = try store.prepare(Self.statement(pairs, owners: entry.table, target.table))
    defer { rows.reset() }
    try rows.bind(entry.entity, at: 1)
    let writer = try database.map {
      try ElementWriter(property, of: entry.model, schema: source.schema, database: $0)
    }
    let isAny = property.type.valueType?.base == .scalar(.any)
    var (owner, position) = (Int64(0), 0)
    do {
      while try rows.step() {
        let identity = entry.firstRow + rows.integer(at: 0)
        if identity != owner { (owner, position) = (identity, 0) }
        guard let number = rows.value(at: 2).ifInteger, let model = target.models[number] else {
          try leave(
            "the link leads to no object that is here", rows.leftOutCell(at: 1), entry.model.name,
            property.name, identity)
          continue
        }
        let element = target.firstRow + rows.integer(at: 1)
        try writer?.add(
          owner: identity, position: position, key: nil,
          isAny ? .object(model: model, identity: element) : .link(element))
        position += 1
        report.elements += 1
      }
      try writer?.finish()
    } catch {
      try? writer?.finish()
      throw error
    }
  }

  /// Owner, element and the element's entity, in the order of owners and of each one's elements.
  private static func statement(
    _ pairs: CoreDataLayout.Pairs, owners: String, _ target: String
  ) -> String {
    let (table, owner, element) = (
      SQL.identifier(pairs.table), SQL.identifier(pairs.owner), SQL.identifier(pairs.element)
    )
    let order = pairs.isSymmetric ? "0" : pairs.order.map { SQL.identifier($0) } ?? "0"
    var selection = "SELECT \(owner) AS o, \(element) AS e, \(order) AS p FROM \(table) NOT INDEXED"
    if pairs.isSymmetric {
      selection += " UNION SELECT \(element), \(owner), 0 FROM \(table) NOT INDEXED"
    }
    return """
      SELECT j.o, j.e, (SELECT t.Z_ENT FROM \(SQL.identifier(target)) AS t WHERE t.Z_PK = j.e) \
      FROM (\(selection)) AS j JOIN \(SQL.identifier(owners)) AS s NOT INDEXED ON s.Z_PK = j.o AND s.Z_ENT = ? \
      ORDER BY j.o, j.p, j.e
      """
  }

  // MARK: - What is left out

  /// Keeps pairs of join tables whose owner is no object with such a relationship. Where a column of the other side is the pair, that
  /// side has told of it.
  private func keepStrayPairs() throws {
    let all = source.entries.flatMap { entry in
      entry.collections.filter { $0.pairs.element != "Z_PK" }.map { (entry, $0) }
    }
    let places = Dictionary(grouping: all) { [$0.1.pairs.table, $0.1.pairs.owner] }
    for (_, place) in places.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard let (entry, collection) = place.first else { continue }
      let pairs = collection.pairs
      let owner = SQL.identifier(pairs.owner)
      let entities = place.map { String($0.0.entity) }.joined(separator: ", ")
      let rows = try store.prepare(
        """
        SELECT \(owner), \(SQL.identifier(pairs.element)) FROM \(SQL.identifier(pairs.table)) AS j NOT INDEXED WHERE NOT EXISTS \
        (SELECT 1 FROM \(SQL.identifier(entry.table)) AS t WHERE t.Z_PK = j.\(owner) AND t.Z_ENT IN (\(entities)))
        """)
      defer { rows.reset() }
      let reason = "the pair's owner is no object that is here"
      while try rows.step() {
        report.note(pairs.table, pairs.owner, reason)
        try leave(
          JSON.object([
            "$model": .string(pairs.table), "$id": .null, "property": .string(pairs.owner),
            "reason": .string(reason),
            "value": .array([
              leftOutValue(rows.leftOutCell(at: 0)), leftOutValue(rows.leftOutCell(at: 1)),
            ]),
          ]).canonicalText)
      }
    }
  }

  /// Keeps rows that are no objects here, each whole.
  private func keepStrangers(of table: String) throws {
    let columns = (source.store.tables[table] ?? []).map(\.name)
    guard let place = columns.firstIndex(of: "Z_ENT") else { return }
    let known = Set(source.entries.filter { $0.table == table }.map(\.entity))
    let rows = try store.prepare(
      "SELECT \(SQL.identifiers(columns)) FROM \(SQL.identifier(table)) NOT INDEXED ORDER BY Z_PK")
    defer { rows.reset() }
    let reason =
      "a row of an entity that the model does not have, or that has no objects of its own"
    while try rows.step() {
      if let entity = rows.value(at: place).ifInteger, known.contains(entity) { continue }
      report.note(table, "Z_ENT", reason)
      var cells: [String: JSON] = [:]
      for (index, column) in columns.enumerated() {
        let value = rows.leftOutCell(at: index)
        if !value.isNull { cells[column] = leftOutValue(value) }
      }
      try leave(
        JSON.object([
          "$model": .string(table), "$id": .null, "property": .string("Z_ENT"),
          "reason": .string(reason), "value": .object(cells),
        ]).canonicalText)
    }
  }

  /// Keeps the values of columns that the model does not have.
  private func keepColumns(_ columns: [String], of table: String) throws {
    let entries = Dictionary(
      source.entries.filter { $0.table == table }.map { ($0.entity, $0) },
      uniquingKeysWith: { first, _ in first })
    let rows = try store.prepare(
      "SELECT Z_PK, Z_ENT, \(SQL.identifiers(columns)) FROM \(SQL.identifier(table)) NOT INDEXED ORDER BY Z_PK"
    )
    defer { rows.reset() }
    while try rows.step() {
      guard let number = rows.value(at: 1).ifInteger, let entry = entries[number] else { continue }
      for (place, column) in columns.enumerated() {
        let value = rows.leftOutCell(at: place + 2)
        if value.isNull { continue }
        try leave(
          "the store's column is of no attribute here", value, entry.model.name, column,
          entry.firstRow + rows.integer(at: 0))
      }
    }
  }

  private func leave(
    _ reason: String, _ value: SQLiteValue, _ model: String, _ property: String, _ identity: Int64
  ) throws {
    report.note(model, property, reason)
    try leave(leftOutLine(reason, value, model, property, identity))
  }
}
