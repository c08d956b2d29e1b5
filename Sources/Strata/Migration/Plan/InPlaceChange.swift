import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// What the versions between two schemas change about tables without changing a row: new properties that are nil or a
/// default for every object, renamed models and properties, new models, indexes.
///
/// SQLite notes such a change in its schema table, so that its cost does not depend on the number of objects; only a new
/// index reads them.
struct InPlaceChange {
  struct ModelChange {
    let source: ModelLayout
    let target: ModelLayout
    /// Old column → new column, where the name is another.
    let renamedColumns: [(old: String, new: String)]
    let addedColumns: [(column: ColumnDefinition, value: Value, codec: ColumnCodec)]
    /// Old table → new table, of the collections.
    let renamedCollections: [(old: String, new: String)]
    let addedCollections: [CollectionLayout]

    /// Indexes of both versions that stay as they are.
    ///
    /// SQLite takes an index along with the column or the table that is renamed. One of the same name and terms in both versions would
    /// be on another column afterwards where that name is given up, or taken over.
    var keptIndexes: Set<IndexDefinition> {
      let columns = renamedColumns.flatMap { [SQL.identifier($0.old), SQL.identifier($0.new)] }
      let tables = Set(renamedCollections.flatMap { [$0.old, $0.new] })
      return Set(source.indexes).intersection(target.indexes).filter { index in
        !tables.contains(index.table)
          && !columns.contains { column in index.terms.contains { $0.contains(column) } }
      }
    }

    var droppedIndexes: [IndexDefinition] {
      let kept = keptIndexes
      return source.indexes.filter { !kept.contains($0) }
    }

    var madeIndexes: [IndexDefinition] {
      let kept = keptIndexes
      return target.indexes.filter { !kept.contains($0) }
    }
  }

  /// Microseconds that SQLite takes to read a line of its schema table, and that it takes to copy so many bytes.
  private static let costOfDescription = 3
  /// Microseconds for each column of a table of which one is renamed.
  private static let costOfColumn = 7
  private static let bytesPerMicrosecond = 25
  /// Microseconds that are not worth to be saved.
  private static let negligibleCost = 100_000

  let target: Schema
  let changes: [ModelChange]
  let addedModels: [ModelLayout]
  /// Lines of SQLite's schema table.
  private let descriptions: Int

  /// Nil where a row has to change, or a table goes away, whose pages would stay in the file unused.
  init?(_ route: UpgradeRoute) {
    guard route.migrationBlock == nil, route.passes.count == 1, !route.passes[0].fused.isEmpty
    else { return nil }
    let models = route.passes[0].models
    let sourceLayout = TableLayout(route.source.schema)
    let targetLayout = TableLayout(route.target.schema)
    var changes: [ModelChange] = []
    var added: [ModelLayout] = []
    var names: [String: String] = [:]
    for model in models {
      if let source = model.pipeline.source { names[source.name] = model.pipeline.target.name }
    }
    guard sourceLayout.models.allSatisfy({ names[$0.model.name] != nil }) else { return nil }
    for (layout, model) in zip(targetLayout.models, models) {
      guard let source = model.pipeline.source else {
        added.append(layout)
        continue
      }
      guard let old = sourceLayout.model(named: source.name),
        let change = Self.change(model, from: old, to: layout, names: names)
      else { return nil }
      changes.append(change)
    }
    target = route.target.schema
    self.changes = changes
    addedModels = added
    descriptions = sourceLayout.statements().count
  }

  private static func change(
    _ model: ModelPass, from old: ModelLayout, to new: ModelLayout, names: [String: String]
  ) -> ModelChange? {
    let pipeline = model.pipeline
    guard let composed = model.composed, composed.checks.isEmpty, old.fulltexts == new.fulltexts
    else { return nil }
    var renamed: [(old: String, new: String)] = []
    var added: [(column: ColumnDefinition, value: Value, codec: ColumnCodec)] = []
    var kept: Set<String> = []
    for (property, node) in zip(pipeline.target.columnProperties, composed.columns) {
      guard let column = new.table.columns.first(where: { $0.name == property.name }),
        let index = new.model.indexOfProperty(named: property.name), let codec = new.codecs[index]
      else { return nil }
      switch node {
      case .property(.subject, let index):
        let name = old.model.properties[index].name
        guard kept.insert(name).inserted,
          let before = old.table.columns.first(where: { $0.name == name }),
          before.isSame(as: column, renamed: names),
          old.codecs[index]?.shares(cellsWith: codec) == true
        else { return nil }
        if name == column.name { continue }
        // The index has the words of the property that had the name before.
        if property.index == .fulltext { return nil }
        renamed.append((name, column.name))
      case .constant(let value):
        guard literal(of: value, codec) != nil, value.isNull || column.reference == nil,
          property.index != .fulltext
        else { return nil }
        added.append((column, value, codec))
      default: return nil
      }
    }
    guard kept.count == old.model.columnProperties.count else { return nil }
    var renamedCollections: [(old: String, new: String)] = []
    var addedCollections: [CollectionLayout] = []
    var keptCollections: Set<String> = []
    for collection in new.collections {
      guard let property = pipeline.sourceCollection(for: collection.property) else {
        addedCollections.append(collection)
        continue
      }
      guard keptCollections.insert(property.name).inserted,
        let before = old.collection(of: property.name), before.kind == collection.kind,
        before.table.key == collection.table.key,
        before.table.columns.count == collection.table.columns.count,
        before.codec.shares(cellsWith: collection.codec),
        zip(before.table.columns, collection.table.columns)
          .allSatisfy({ $0.isSame(as: $1, renamed: names) && $0.name == $1.name })
      else { return nil }
      if before.table.name != collection.table.name {
        renamedCollections.append((before.table.name, collection.table.name))
      }
    }
    guard keptCollections.count == old.collections.count else { return nil }
    return ModelChange(
      source: old, target: new, renamedColumns: renamed, addedColumns: added,
      renamedCollections: renamedCollections, addedCollections: addedCollections)
  }

  /// A value as DEFAULT can hold it, the same bit for bit; nil where it cannot.
  fileprivate static func literal(of value: Value, _ codec: ColumnCodec) -> String? {
    guard let cell = try? codec.sqliteValue(of: value) else { return nil }
    switch cell {
    case .null: return codec.isOptional ? "NULL" : nil
    case .integer(let number): return number == .min ? nil : String(number)
    case .real(let number): return literal(of: number)
    case .text(let text): return text.utf8.contains(0) ? nil : SQL.literal(text)
    case .blob(let bytes): return "x'\(Hex.encode(bytes))'"
    }
  }

  /// SQLite itself is asked what it makes of a number: `DEFAULT 5.0` of a column that takes any type gives the integer 5, −0.0 and infinity
  /// have no literal, and older versions read some digits as the number beside the nearest one. `CAST(5.0 AS REAL)` would do, but is no
  /// clause that a file may have (`DatabaseLayout`).
  private static func literal(of number: Double) -> String? {
    guard number.isFinite else { return nil }
    let literal = "\(number)"
    guard let database = try? Database(path: ":memory:") else { return nil }
    defer { database.close() }
    do {
      try database.execute("CREATE TABLE t (a INTEGER) STRICT")
      try database.execute("INSERT INTO t VALUES (1)")
      try database.execute("ALTER TABLE t ADD COLUMN b ANY NOT NULL DEFAULT \(literal)")
      guard case .real(let found)? = try database.firstValue("SELECT b FROM t"),
        found.bitPattern == number.bitPattern
      else { return nil }
      return literal
    } catch {
      return nil
    }
  }
}

extension ColumnCodec {
  /// Whether a cell of one column may stand in another. Columns are declared alike whose values are not: those of dates and of
  /// `any`, say.
  fileprivate func shares(cellsWith new: ColumnCodec) -> Bool {
    TypePair(kind.storedType, new.kind.storedType).sharesCells
  }
}

extension ColumnDefinition {
  /// Whether a column of the newer layout is this one, whatever it and the models are called there.
  fileprivate func isSame(as new: ColumnDefinition, renamed names: [String: String]) -> Bool {
    type == new.type && isRequired == new.isRequired && isIdentity == new.isIdentity
      && reference?.action == new.reference?.action
      && reference.map { names[$0.table] ?? $0.table } == new.reference?.table
  }
}

// MARK: - Statements

extension InPlaceChange {
  /// Bytes for the log: a new index is at most as large as all the tables, everything else is some pages.
  func diskNeeded(fileSize: Int) -> Int {
    let descriptions = 1 << 20
    let hasNewIndexes = changes.contains { !$0.madeIndexes.isEmpty }
    return hasNewIndexes ? descriptions + 2 * fileSize : descriptions
  }

  /// Whether it takes longer than to copy the file: every `ALTER TABLE` reads the descriptions of all tables anew, so that its time
  /// grows with the square of the number of models, and of the number of columns that one model gives other names.
  func takesLonger(thanCopying bytes: Int) -> Bool {
    let alterations = changes.reduce(0) { sum, change in
      let isRenamed = change.source.table.name != change.target.table.name
      return sum + change.addedColumns.count
        + 2 * (change.renamedColumns.count + change.renamedCollections.count + (isRenamed ? 1 : 0))
    }
    let columns = changes.reduce(0) { $0 + $1.renamedColumns.count * $1.source.table.columns.count }
    return alterations * descriptions * Self.costOfDescription + columns * Self.costOfColumn
      > Self.negligibleCost + bytes / Self.bytesPerMicrosecond
  }

  /// SQL that makes the change; indexes that are new come last, since they read the objects.
  ///
  /// - Parameter triggers: the names of all triggers on tables of the schema, which are made anew.
  func statements(triggers: [String]) -> [String] {
    var result = triggers.map { "DROP TRIGGER \(SQL.identifier($0))" }
    for change in changes {
      result += change.droppedIndexes.map { "DROP INDEX IF EXISTS \(SQL.identifier($0.name))" }
    }
    result += renamedTables()
    for change in changes {
      let table = SQL.identifier(change.target.table.name)
      result += Self.renamed(change.renamedColumns) {
        "ALTER TABLE \(table) RENAME COLUMN \(SQL.identifier($0)) TO \(SQL.identifier($1))"
      }
      for (column, value, codec) in change.addedColumns {
        let literal = Self.literal(of: value, codec) ?? "NULL"
        result.append(
          "ALTER TABLE \(table) ADD COLUMN \(column.definition)"
            + (value.isNull ? "" : " DEFAULT \(literal)"))
      }
    }
    for model in addedModels { result += model.statements(.tables) }
    for change in changes {
      result += change.addedCollections.map { $0.table.createStatement() }
    }
    for change in changes { result += change.madeIndexes.map { $0.createStatement() } }
    for model in addedModels { result += model.statements(.indexes) }
    for layout in TableLayout(target).models { result += layout.statements(.triggers) }
    return result
  }

  private func renamedTables() -> [String] {
    var names: [(old: String, new: String)] = []
    for change in changes {
      if change.source.table.name != change.target.table.name {
        names.append((change.source.table.name, change.target.table.name))
      }
      names += change.renamedCollections
    }
    return Self.renamed(names) {
      "ALTER TABLE \(SQL.identifier($0)) RENAME TO \(SQL.identifier($1))"
    }
  }

  /// Two may have exchanged their names: each one gets a name of its own in between.
  private static func renamed(
    _ names: [(old: String, new: String)], _ statement: (String, String) -> String
  ) -> [String] {
    let between = { (number: Int) in "_renamed \(number)" }
    return names.enumerated().map { statement($1.old, between($0)) }
      + names.enumerated().map { statement(between($0), $1.new) }
  }
}
