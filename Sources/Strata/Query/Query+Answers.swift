import StrataExpression
import StrataSQLite
import StrataSchema

/// What the database answers.
extension Query {
  /// What a cursor runs: all columns or those of some properties, from the beginning or, of a whole table, behind a row.
  func cursorStatement(properties: [Int]?, after row: Int64?) -> SQLText {
    let columns =
      properties.map { properties in
        SQL.identifiers(
          [LayoutNames.row] + properties.map { access.model.properties[$0].name })
      } ?? access.selectColumns
    let source =
      row.map { filtered(by: "\(Self.alias).\"_row\" > \(value: .integer($0))").source }
      ?? sortedSource
    // Not along a list, which may be changed on the way: with an order of its own, all is found at the first step.
    return
      "\(definitions)SELECT \(SQLText(trusted: columns)) \(source) ORDER BY \(orderTerms)\(limitClause)"
  }

  /// Notes that the answers are read, where reads are tracked.
  /// - Returns: whether they are.
  @discardableResult
  func noteRead() -> Bool {
    guard !store.isFrozen, !store.isClosed, ObservationTracker.isTracking else { return false }
    store.noteTrackedRead(of: dependencies)
    return true
  }

  func makeCursor() -> RowCursor? {
    let isTracked = noteRead()
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard store.prepareToRead(), isComputable() else { return nil }
    do {
      return try RowCursor(self, isTracked: isTracked)
    } catch {
      store.fail(queryError(error))
      return nil
    }
  }

  /// - Returns: nil where it cannot be found out, as the store's next call that can throws.
  func count() -> Int? {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    return read(countStatement) { try $0.step() ? Int($0.integer(at: 0)) : 0 }
  }

  var countStatement: SQLText {
    limit == nil
      ? "\(definitions)SELECT count(*) \(source)"
      : "\(definitions)SELECT count(*) FROM (\(ownRowSelection))"
  }

  /// The identities of so many objects from a position on; nil as for ``count()``.
  func rows(from position: Int, count: Int) -> [Int64]? {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    let wanted = min(count, max(0, (limit ?? .max) - position))
    // With a LIMIT, SQLite keeps what it has of an order in a tree, which costs a search for each row; without one it sorts all rows
    // at once.
    let isShort = wanted <= Self.maximumLimited
    let end: SQLText =
      isShort
      ? "LIMIT \(value: .integer(Int64(wanted))) OFFSET \(value: .integer(Int64(position)))" : ""
    return read(
      "\(definitions)SELECT \(Self.alias).\"_row\" \(orderedSource) \(end)"
    ) { statement in
      var rows: [Int64] = []
      var skipped = isShort ? position : 0
      while rows.count < wanted, try statement.step() {
        if skipped < position {
          skipped += 1
        } else {
          rows.append(statement.integer(at: 0))
        }
      }
      return rows
    }
  }

  /// What the answers depend on.
  var dependencies: QueryDependencies {
    if let dependencies = cache.dependencies { return dependencies }
    let dependencies = QueryDependencies(self)
    cache.dependencies = dependencies
    return dependencies
  }

  /// Whether an object is among the answers, however many these are cut to; nil as for ``count()``.
  func matches(_ row: Int64) -> Bool? {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    if outcome?.isCancelled == true { return false }
    return read(match(row)) { try $0.step() }
  }

  /// The same for an observer, which has to know what cannot be read.
  func isAnswer(_ row: Int64) throws -> Bool {
    try checkReadable()
    store.lockIfShared()
    defer { store.unlockIfShared() }
    return try explainingErrors {
      try store.database.withStatement(match(row)) { try $0.step() }
    }
  }

  func match(_ row: Int64) -> SQLText {
    var text = matchStatement
    text.values.append(.integer(row))
    return text
  }

  /// Without its last value, the identity.
  var matchStatement: SQLText {
    forgetOutdated()
    if let match = cache.match { return match }
    let condition: SQLText = makeTests(ofOneRow: true).map { "(\($0)) AND " } ?? ""
    let match: SQLText = """
      \(definitions)SELECT 1 FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias) \
      WHERE \(condition)\(Self.alias)."_row" = ?
      """
    cache.match = match
    return match
  }

  /// Whether the identities ascend.
  var isInOrderOfRows: Bool { sorts.isEmpty && collection?.isList != true }

  /// Calls a function with a comparison: whether an object stands before another one in the order, which must not be that of a rank.
  func withOrder<Result>(
    _ body: (_ precedes: (Int64, Int64) throws -> Bool) throws -> Result
  ) throws -> Result {
    if isInOrderOfRows { return try body { $0 < $1 } }
    try checkReadable()
    store.lockIfShared()
    defer { store.unlockIfShared() }
    // Placeholders for the two identities, which stand before all other values of the text.
    let text: SQLText = """
      SELECT \(Self.alias)."_row" FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias) \
      WHERE \(Self.alias)."_row" IN (\(value: .integer(0)), \(value: .integer(0))) \
      ORDER BY \(orderTerms) LIMIT 1
      """
    return try explainingErrors {
      try store.database.withStatement(text) { statement in
        try body { first, second in
          defer { statement.reset() }
          try statement.bind(first, at: 1)
          try statement.bind(second, at: 2)
          return try statement.step() && statement.integer(at: 0) == first
        }
      }
    }
  }

  func checkReadable() throws {
    guard store.prepareToRead() else {
      try store.throwPendingError()
      throw StoreError.closed
    }
  }

  /// The identities of all objects, in order.
  func identities() throws -> [Int64] {
    try checkReadable()
    store.lockIfShared()
    defer { store.unlockIfShared() }
    return try explainingErrors {
      try store.database.withStatement(identityStatement) { statement in
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.integer(at: 0)) }
        return rows
      }
    }
  }

  var identityStatement: SQLText {
    "\(definitions)SELECT \(Self.alias).\"_row\" \(orderedSource)\(limitClause)"
  }

  /// An aggregate of a value of each object.
  ///
  /// - Parameter path: the value as the caller names it.
  func aggregate(_ aggregate: Aggregate, of node: ResolvedNode, named path: String) throws -> Value
  {
    if noteRead() {
      store.noteTrackedRead(
        of: sorted(by: [Sort(node: node, isAscending: true)]).dependencies)
    }
    store.lockIfShared()
    defer { store.unlockIfShared() }
    var translation = translation()
    let kind = translation.kind(of: node)
    let value = translation.value(node)
    let statement: SQLText
    if limit == nil {
      statement =
        "\(definitions)SELECT \(translation.aggregateCall(aggregate, kind, of: value)) \(source)"
    } else {
      let call = translation.aggregateCall(aggregate, kind, of: "value")
      statement = """
        \(definitions)SELECT \(call) FROM (SELECT \(value) AS value \(orderedSource)\(limitClause))
        """
    }
    try checkReadable()
    let codec = ColumnCodec(
      QueryFunctions.resultKind(aggregate, Translation.summed(kind)), isOptional: true)
    return try explainingErrors(of: "The \(aggregate.word) of \(path) of \(access.model.name)") {
      try store.database.withStatement(statement) { prepared in
        guard try prepared.step() else { return .null }
        return try codec.read(prepared, at: 0)
      }
    }
  }

  /// The values of an expression with the number of objects that have each, in the order of the values.
  func groups(by node: ResolvedNode, isAscending: Bool) throws -> [(value: Value, count: Int)] {
    var translation = translation()
    let codec = ColumnCodec(translation.kind(of: node), isOptional: true)
    let value = translation.value(node)
    let order = SQLText.joined(translation.orderTerms(node, isAscending: isAscending), by: ", ")
    let group = translation.groupTerm(node, mayBeNaN: mayBeNaN(node))
    // The value is that of the first object: SQLite takes it from the row that has the minimum.
    let text: SQLText = """
      \(definitions)SELECT \(value), count(*), min(\(Self.alias)."_row") \(source) GROUP BY \(group) ORDER BY \(order)
      """
    return try explainingErrors {
      try store.database.withStatement(text) { statement in
        var groups: [(value: Value, count: Int)] = []
        while try statement.step() {
          groups.append((try codec.read(statement, at: 0), Int(statement.integer(at: 1))))
        }
        return groups
      }
    }
  }

  func read<Result>(_ text: SQLText, _ body: (Statement) throws -> Result) -> Result? {
    guard store.prepareToRead() else { return nil }
    do {
      return try store.database.withStatement(text, body)
    } catch {
      store.fail(queryError(error))
      return nil
    }
  }

  /// How SQLite will find the objects; for tests.
  func explanation(ofCount: Bool = false) throws -> [String] {
    let text = (ofCount ? countStatement : cursorStatement(properties: nil, after: nil)).bounded
    return try store.database.rows("EXPLAIN QUERY PLAN \(text.sql)", text.values)
      .compactMap { $0[3].ifText }
  }
}

extension Aggregate {
  /// As the functions of a result are called.
  fileprivate var word: String { self == .average ? "average" : String(rawValue.dropFirst()) }
}
