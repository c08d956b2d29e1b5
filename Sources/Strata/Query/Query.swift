import StrataExpression
import StrataSQLite
import StrataSchema

/// A question about the objects of one model. It is a value: asking more makes another one.
struct Query {
  private(set) var store: Store
  // The store owns it.
  private(set) unowned(unsafe) var access: ModelAccess
  private(set) var filters: [ResolvedExpression] = []
  /// Conditions of the layout over the table's own columns.
  private(set) var conditions: [SQLText] = []
  /// The properties that these read.
  private(set) var conditionProperties: Set<Int> = []
  /// What they read of other objects.
  private(set) var conditionSources: [Source] = []
  private(set) var sorts: [Sort] = []
  /// The order of what the sorts leave undecided, before the identity.
  private(set) var order: SQLText?
  /// Only the first object of each that agree in these.
  private(set) var distinct: [ResolvedNode] = []
  private(set) var limit: Int?
  /// The question whose answers are asked about further.
  private var base: Base?
  /// Of objects that link to one that was added in a transaction: how that ended.
  private(set) var outcome: WriteOutcome?
  var baseQuery: Query? { base?.query }
  /// Made when it is needed, and anew when the question changes.
  private var cache = Cache()

  struct Sort: Sendable {
    var node: ResolvedNode
    var isAscending: Bool
    /// Whether the node is a search, or several, whose best answers come first.
    var isRank = false
  }

  /// A property of another object than those that are asked about.
  struct Source: Sendable {
    var model: Int
    var property: Int
  }

  /// A question without a store, to be asked in another isolation.
  struct Plan: Sendable {
    let model: String
    let filters: [ResolvedExpression]
    let conditions: [SQLText]
    let conditionProperties: Set<Int>
    let conditionSources: [Source]
    let sorts: [Sort]
    let order: SQLText?
    let distinct: [ResolvedNode]
    let limit: Int?
    let base: [Plan]
    let outcome: WriteOutcome?
  }

  var plan: Plan {
    Plan(
      model: access.model.name, filters: filters, conditions: conditions,
      conditionProperties: conditionProperties, conditionSources: conditionSources, sorts: sorts,
      order: order, distinct: distinct,
      limit: limit, base: base.map { [$0.query.plan] } ?? [], outcome: outcome)
  }

  /// The question of a plan to a store; nil when its schema has no such model.
  init?(_ plan: Plan, in store: Store) {
    guard let access = try? store.access(named: plan.model) else { return nil }
    self.init(access)
    filters = plan.filters
    conditions = plan.conditions
    conditionProperties = plan.conditionProperties
    conditionSources = plan.conditionSources
    sorts = plan.sorts
    order = plan.order
    distinct = plan.distinct
    limit = plan.limit
    outcome = plan.outcome
    base = plan.base.first.flatMap { Query($0, in: store) }.map(Base.init)
  }

  private final class Base {
    let query: Query
    /// How many questions stand behind each other.
    let depth: Int
    /// From here on they are joined and no more looked up with IN, whose depth SQLite bounds.
    static let maximumNested = 60
    var isJoined: Bool { depth > Self.maximumNested }

    init(_ query: Query) {
      self.query = query
      depth = (query.base?.depth ?? 0) + 1
    }

    /// No model has such a name.
    var name: String { "base \(depth)" }
  }

  private final class Cache {
    var source: SQLText?
    /// The same with what ranks of searches are read from.
    var rankedSource: SQLText?
    var order: SQLText?
    /// The tests behind WHERE.
    var tests: SQLText?
    /// The question whether an object is among the answers, but for its identity.
    var match: SQLText?
    /// What the store's count of changes was when they were made, for those that depend on what is stored.
    var generation: UInt64 = 0
    var dependencies: QueryDependencies?
  }

  init(_ access: ModelAccess) {
    self.access = access
    store = access.store
  }

  // MARK: - Asking more

  /// A query that can be narrowed: what was cut to its first objects, or to different ones, is asked about as it is.
  private var narrowable: Query {
    guard limit != nil || !distinct.isEmpty else {
      var query = self
      query.cache = Cache()
      return query
    }
    var query = Query(access)
    query.base = Base(self)
    query.sorts = sorts
    query.order = order
    return query
  }

  /// Questions behind each other that are surely answered.
  static let maximumDepth = 1000

  /// - Throws: `StoreError.invalidQuery` for too many questions about what other questions cut off.
  func checkBaseDepth(_ text: String) throws(StoreError) {
    if let base, base.depth > Self.maximumDepth {
      throw .invalidQuery(
        text: text,
        problem: "it asks about more than \(Self.maximumDepth) results that limit or distinct cut")
    }
  }

  func filtered(by filter: ResolvedExpression) -> Query {
    var query = narrowable
    query.filters.append(filter)
    return query
  }

  /// Nothing once the transaction of this outcome was cancelled.
  func ifCommitted(_ outcome: WriteOutcome?) -> Query {
    var query = self
    query.outcome = outcome
    return query
  }

  /// - Parameter property: the one that the condition reads.
  func filtered(by condition: SQLText, reading property: Int? = nil) -> Query {
    var query = narrowable
    query.conditions.append(condition)
    if let property { query.conditionProperties.insert(property) }
    return query
  }

  /// - Parameter source: what the condition reads of another object.
  func filtered(by condition: SQLText, reading source: Source) -> Query {
    var query = filtered(by: condition)
    query.conditionSources.append(source)
    return query
  }

  /// Earlier sorts decide among what these leave equal.
  func sorted(by sorts: [Sort]) -> Query {
    var query = narrowable
    query.sorts = sorts + query.sorts
    return query
  }

  func ordered(by order: SQLText) -> Query {
    var query = narrowable
    query.order = order
    return query
  }

  func distinct(by nodes: [ResolvedNode]) -> Query {
    var query = narrowable
    query.distinct = nodes
    return query
  }

  func limited(to count: Int) -> Query {
    var query = self
    query.cache = Cache()
    query.limit = min(limit ?? .max, max(0, count))
    return query
  }

  /// The same question to another store of the same schema.
  func moved(to store: Store) -> Query {
    guard let access = try? store.access(named: access.model.name) else { return self }
    var query = self
    query.store = store
    query.access = access
    query.base = base.map { Base($0.query.moved(to: store)) }
    query.cache = Cache()
    return query
  }

  // MARK: - SQL

  /// Whether all objects are asked for, in the order of their identities.
  var isWholeTable: Bool {
    filters.isEmpty && conditions.isEmpty && sorts.isEmpty && order == nil && limit == nil
      && distinct.isEmpty && base == nil
  }

  static let alias: SQLText = "t"

  /// Rows that are asked for with a LIMIT.
  private static let maximumLimited = 4096

  func translation() -> Translation {
    Translation(
      access.store.layout, functions: store.queryFunctions, subject: Self.alias,
      subjectModel: access.index)
  }

  /// `FROM "Person" t WHERE …`.
  private var source: SQLText {
    // Which ones the different ones are depends on the order.
    if !distinct.isEmpty, sorts.contains(where: \.isRank) { return sortedSource }
    forgetOutdated()
    if outcome?.isCancelled != true, let source = cache.source { return source }
    let source = makeSource(ranks: "")
    cache.source = source
    return source
  }

  /// The same for what is sorted, perhaps by the rank of a search.
  private var sortedSource: SQLText {
    guard sorts.contains(where: \.isRank) else { return source }
    forgetOutdated()
    if outcome?.isCancelled != true, let source = cache.rankedSource { return source }
    var translation = translation()
    let source = makeSource(ranks: translation.rankJoins(sorts))
    cache.rankedSource = source
    return source
  }

  private func makeSource(ranks: SQLText) -> SQLText {
    if outcome?.isCancelled == true {
      return "FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias)\(ranks) WHERE 0"
    }
    var source: SQLText = "FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias)\(ranks)"
    if let base, base.isJoined {
      source = """
        \(source) JOIN \(name: base.name) base ON base."_row" = \(Self.alias)."_row"
        """
    }
    if let tests { source = "\(source) WHERE \(tests)" }
    if !distinct.isEmpty {
      var translation = translation()
      let keys = SQLText.joined(distinct.map { translation.value($0) }, by: ", ")
      source = """
        FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias)\(ranks) WHERE \(Self.alias)."_row" IN \
        (SELECT "_row" FROM (SELECT \(Self.alias)."_row" AS "_row", row_number() OVER \
        (PARTITION BY \(keys) ORDER BY \(orderTerms)) AS place \(source)) WHERE place = 1)
        """
    }
    return source
  }

  /// What stands behind WHERE, before the different ones are chosen; nil for nothing.
  private var tests: SQLText? {
    if let tests = cache.tests { return tests }
    let tests = makeTests(ofOneRow: false)
    cache.tests = tests
    return tests
  }

  private func makeTests(ofOneRow: Bool) -> SQLText? {
    var translation = translation()
    translation.isOfOneRow = ofOneRow
    var tests = conditions
    // All at once: two of them may be the ends of one range.
    let nodes = filters.compactMap { if case .one(let node) = $0.content { node } else { nil } }
    if !nodes.isEmpty { tests.append(translation.conjunction(nodes.flatMap(\.conjuncts))) }
    if let base, !base.isJoined {
      tests.append("\(Self.alias).\"_row\" IN (SELECT \"_row\" FROM \(name: base.name))")
    }
    return tests.isEmpty ? nil : SQLText.row(tests, by: " AND ")
  }

  /// The order, which is always decided.
  private var orderTerms: SQLText {
    forgetOutdated()
    if let order = cache.order { return order }
    var translation = translation()
    var terms = sorts.enumerated().flatMap { index, sort in
      if sort.isRank { return [translation.rankTerm(sort, index)] }
      return translation.orderTerms(
        sort.node, isAscending: sort.isAscending,
        mayBeNaN: indexedNumber(sort.node).map(access.holdsNaN) ?? true)
    }
    if let order { terms.append(order) }
    terms.append("\(Self.alias).\"_row\"")
    let order = SQLText.joined(terms, by: ", ")
    cache.order = order
    return order
  }

  /// The property of a sort whose index can be used while no NaN is stored; nil for every other sort.
  private func indexedNumber(_ node: ResolvedNode) -> Int? {
    guard case .property(.subject, let property) = node,
      access.indexedNumbers.contains(property)
    else { return nil }
    return property
  }

  private var dependsOnContent: Bool {
    sorts.contains { indexedNumber($0.node) != nil } || base?.query.dependsOnContent == true
  }

  private func forgetOutdated() {
    guard cache.generation != store.generation, dependsOnContent, store.prepareToRead() else {
      return
    }
    cache.generation = store.generation
    cache.source = nil
    cache.rankedSource = nil
    cache.tests = nil
    cache.match = nil
    cache.order = nil
  }

  private var limitClause: SQLText {
    limit.map { " LIMIT \(value: .integer(Int64($0)))" } ?? ""
  }

  /// The identities, in order where it decides who is among them.
  var rowSelection: SQLText { "\(definitions)\(ownRowSelection)" }

  private var ownRowSelection: SQLText {
    let order: SQLText = limit == nil ? "" : " ORDER BY \(orderTerms)"
    let source = limit == nil ? source : sortedSource
    return "SELECT \(Self.alias).\"_row\" \(source)\(order)\(limitClause)"
  }

  /// The questions that this one asks about, each under its name: in one row and not in each other, so that they may be many.
  private var definitions: SQLText {
    guard var base else { return "" }
    var parts: [SQLText] = []
    while true {
      parts.append("\(name: base.name) (\"_row\") AS (\(base.query.ownRowSelection))")
      guard let next = base.query.base else { break }
      base = next
    }
    return "WITH \(SQLText.joined(parts.reversed(), by: ", ")) "
  }

  /// The condition of an update: of what looks at other rows, which the update may have reached already, the identities
  /// that were found before.
  var selectionWhileUpdating: SQLText {
    guard dependencies.isByRow, outcome == nil, base?.isJoined != true else {
      return "\(Self.alias).\"_row\" IN (\(rowSelection))"
    }
    return tests ?? "1"
  }

  /// Deletes the objects.
  var deletion: SQLText {
    """
    DELETE FROM \(SQLText(trusted: access.quotedTable)) WHERE "_row" IN (\(rowSelection))
    """
  }

  /// A value of each object as a column of this kind holds it; nil when it cannot.
  func value(of node: ResolvedNode, as kind: ColumnCodec.Kind) -> SQLText? {
    var translation = translation()
    return translation.fits(node, kind) ? translation.value(node, as: kind) : nil
  }

  // MARK: - Answers

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
    store.lockIfFrozen()
    defer { store.unlockIfFrozen() }
    guard store.prepareToRead() else { return nil }
    do {
      return try RowCursor(self, isTracked: isTracked)
    } catch {
      store.fail(error)
      return nil
    }
  }

  func count() -> Int {
    store.lockIfFrozen()
    defer { store.unlockIfFrozen() }
    return Int(firstCell(countStatement)?.integer ?? 0)
  }

  var countStatement: SQLText {
    limit == nil
      ? "\(definitions)SELECT count(*) \(source)"
      : "\(definitions)SELECT count(*) FROM (\(ownRowSelection))"
  }

  /// The identities of so many objects from a position on.
  func rows(from position: Int, count: Int) -> [Int64] {
    store.lockIfFrozen()
    defer { store.unlockIfFrozen() }
    let wanted = min(count, max(0, (limit ?? .max) - position))
    // With a LIMIT, SQLite keeps what it has of an order in a tree, which costs a search for each row; without one it sorts all rows
    // at once.
    let isShort = wanted <= Self.maximumLimited
    let end: SQLText =
      isShort
      ? "LIMIT \(value: .integer(Int64(wanted))) OFFSET \(value: .integer(Int64(position)))" : ""
    return read(
      "\(definitions)SELECT \(Self.alias).\"_row\" \(sortedSource) ORDER BY \(orderTerms) \(end)"
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
    } ?? []
  }

  /// What the answers depend on.
  var dependencies: QueryDependencies {
    if let dependencies = cache.dependencies { return dependencies }
    let dependencies = QueryDependencies(self)
    cache.dependencies = dependencies
    return dependencies
  }

  /// Whether an object is among the answers, however many these are cut to.
  func matches(_ row: Int64) -> Bool {
    store.lockIfFrozen()
    defer { store.unlockIfFrozen() }
    if outcome?.isCancelled == true { return false }
    return read(match(row)) { try $0.step() } ?? false
  }

  /// The same for an observer, which has to know what cannot be read.
  func isAnswer(_ row: Int64) throws -> Bool {
    try checkReadable()
    return try store.database.withStatement(match(row)) { try $0.step() }
  }

  private func match(_ row: Int64) -> SQLText {
    var text = matchStatement
    text.values.append(.integer(row))
    return text
  }

  /// Without its last value, the identity.
  private var matchStatement: SQLText {
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
  var isInOrderOfRows: Bool { sorts.isEmpty && order == nil }

  /// Whether an object stands before another one in the order.
  func precedes(_ first: Int64, _ second: Int64) throws -> Bool {
    if isInOrderOfRows { return first < second }
    try checkReadable()
    var translation = translation()
    let text: SQLText = """
      SELECT \(Self.alias)."_row" FROM \(SQLText(trusted: access.quotedTable)) \(Self.alias)\
      \(translation.rankJoins(sorts)) WHERE \(Self.alias)."_row" IN (\(value: .integer(first)), \(value: .integer(second))) \
      ORDER BY \(orderTerms) LIMIT 1
      """
    return try store.database.withStatement(text) { statement in
      try statement.step() && statement.integer(at: 0) == first
    }
  }

  private func checkReadable() throws {
    guard store.prepareToRead() else {
      try store.throwPendingError()
      throw StoreError.closed
    }
  }

  /// The identities of all objects, in order.
  func identities() throws -> [Int64] {
    try checkReadable()
    let text: SQLText =
      "\(definitions)SELECT \(Self.alias).\"_row\" \(sortedSource) ORDER BY \(orderTerms)\(limitClause)"
    return try store.database.withStatement(text) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.integer(at: 0)) }
      return rows
    }
  }

  /// An aggregate of a value of each object.
  func aggregate(_ aggregate: Aggregate, of node: ResolvedNode) throws -> Value {
    if noteRead() {
      store.noteTrackedRead(
        of: sorted(by: [Sort(node: node, isAscending: true)]).dependencies)
    }
    store.lockIfFrozen()
    defer { store.unlockIfFrozen() }
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
        \(definitions)SELECT \(call) FROM (SELECT \(value) AS value \(sortedSource) ORDER BY \(orderTerms)\(limitClause))
        """
    }
    guard store.prepareToRead() else { return .null }
    let codec = ColumnCodec(
      QueryFunctions.resultKind(aggregate, Translation.summed(kind)), isOptional: true)
    do {
      return try store.database.withStatement(statement) { prepared in
        guard try prepared.step() else { return .null }
        return try codec.read(prepared, at: 0)
      }
    } catch {
      throw queryError(error)
    }
  }

  /// The values of an expression with the number of objects that have each, in the order of the values.
  func groups(by node: ResolvedNode, isAscending: Bool) throws -> [(value: Value, count: Int)] {
    var translation = translation()
    let codec = ColumnCodec(translation.kind(of: node), isOptional: true)
    let value = translation.value(node)
    let order = SQLText.joined(translation.orderTerms(node, isAscending: isAscending), by: ", ")
    let text: SQLText =
      "\(definitions)SELECT \(value), count(*) \(source) GROUP BY \(value) ORDER BY \(order)"
    return try store.database.withStatement(text) { statement in
      var groups: [(value: Value, count: Int)] = []
      while try statement.step() {
        groups.append((try codec.read(statement, at: 0), Int(statement.integer(at: 1))))
      }
      return groups
    }
  }

  private func firstCell(_ statement: SQLText) -> SQLiteValue? {
    read(statement) { try $0.step() ? $0.value(at: 0) : nil } ?? nil
  }

  private func read<Result>(_ text: SQLText, _ body: (Statement) throws -> Result) -> Result? {
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

extension Translation {
  /// Terms of ORDER BY: nil first, then NaN, then the numbers.
  mutating func orderTerms(
    _ node: ResolvedNode, isAscending: Bool, mayBeNaN: Bool = true
  ) -> [SQLText] {
    let direction: SQLText = isAscending ? "" : " DESC"
    let value = value(node)
    switch kind(of: node) {
    case .float, .double, .date:
      // Without NaN that is SQLite's own order, and that of an index.
      if !mayBeNaN { return ["\(value)\(direction)"] }
      let rank: SQLText = "(\(value) IS NOT NULL) + (\(value) IS NOT NULL AND \(value) < x'')"
      return ["\(rank)\(direction)", "\(value)\(direction)"]
    case .decimal:
      let key = call(.decimalKey, [value], [.decimal], .data)
      return ["\(key)\(direction)"]
    case .any:
      let key = call(.anyKey, [value], [.any], .data)
      return ["\(key)\(direction)"]
    default: return ["\(value)\(direction)"]
    }
  }
}

extension ResolvedNode {
  /// What all has to hold.
  var conjuncts: [ResolvedNode] {
    if case .all(let parts) = self { return parts }
    return [self]
  }
}
