import StrataExpression
import StrataSQLite
import StrataSchema

extension Query {
  /// Operations inside of each other that SQLite takes in any case; its parser keeps room for a hundred open symbols, of which
  /// each operation needs up to eight.
  private static let surelyPossibleDepth = 6

  /// Asks SQLite about the newest condition, so that what it cannot do is said by the call that asks for it: whether it can
  /// compile it, and, where the condition computes, whether all values can be computed.
  ///
  /// - Throws: `StoreError.invalidQuery`
  func check(_ condition: ResolvedExpression, text: String) throws(StoreError) {
    let measure = try checkDepth(of: condition, text: text)
    try check(measure.searches, text)
    if measure.mayFail { try compute(text) }
  }

  /// The same of the newest condition of a query that was made already.
  func checkNewest() throws(StoreError) {
    guard let filter = filters.last, let node = filter.node else { return }
    let measure = NodeMeasure(node)
    try check(measure.searches, nil)
    if measure.mayFail { try compute(filter.text) }
  }

  private func check(_ searches: [Search], _ text: String?) throws(StoreError) {
    if searches.isEmpty { return }
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard store.prepareToRead() else { return }
    if let error = unreadable(searches, text: text) { throw error }
  }

  /// The first half of it.
  @discardableResult
  func checkDepth(
    of condition: ResolvedExpression, text: String
  ) throws(StoreError) -> NodeMeasure {
    try checkBaseDepth(text)
    guard case .one(let node) = condition.content, !store.isClosed else {
      return NodeMeasure(.constant(.null))
    }
    let measure = NodeMeasure(node)
    if measure.depth > Self.surelyPossibleDepth {
      try compile(Query(access).filtered(by: condition, text: text), text)
    }
    return measure
  }

  private func compile(_ query: Query, _ text: String) throws(StoreError) {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    do {
      _ = try store.database.prepare(query.countStatement.bounded.sql)
    } catch {
      guard error.primaryCode == .error else { throw store.storeError(error) }
      throw .invalidQuery(
        text: text, problem: "it is nested too deeply for the database (\(error.message))")
    }
  }

  private func compute(_ text: String) throws(StoreError) {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard store.prepareToRead() else { return }
    do {
      _ = try store.database.withStatement(countStatement) { try $0.step() }
      cache.computed = store.generation
    } catch {
      throw queryError(error, text: fallibleParts.count > 1 ? nil : text)
    }
  }

  /// Whether the query can be worked out for all objects; where that may fail it is tried before a walk, once until something changes: the
  /// objects before the first that cannot be judged would pass for the answer.
  func isComputable() -> Bool {
    let keys = streamedKeys
    guard !keys.isEmpty || mayThrow else { return true }
    if cache.computed != 0, dependencies.newestChange <= cache.computed { return true }
    var trial = countStatement
    if !keys.isEmpty {
      var translation = translation()
      let values = keys.map { key -> SQLText in "count(\(translation.value(key.node)))" }
      trial = "\(definitions)SELECT \(SQLText.joined(values, by: ", ")) \(source)"
    }
    guard read(trial, { try $0.step() }) != nil else { return false }
    cache.computed = store.generation
    return true
  }

  /// Sorts that may be impossible to work out and may be worked out on the way: behind one that an index may have the order of.
  var streamedKeys: [Sort] {
    guard let first = sorts.first, !first.node.mayThrow else { return [] }
    return sorts.filter(\.node.mayThrow)
  }

  private var mayThrow: Bool {
    filters.contains { $0.node?.mayThrow == true } || baseQuery?.mayThrow == true
  }

  /// Runs what asks the database this question, or one about its answers.
  ///
  /// - Parameter wanted: what is asked about the answers; nil for the answers.
  func explainingErrors<Result>(
    of wanted: String? = nil, _ body: () throws -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw queryError(error, of: wanted) }
  }

  /// What an error of SQLite means to the caller of a query.
  ///
  /// - Parameters:
  ///   - wanted: what was asked about the answers; nil for the answers.
  ///   - text: what was asked, where that is known.
  func queryError(_ error: any Error, of wanted: String? = nil, text: String? = nil) -> StoreError {
    guard let error = error as? SQLiteError, error.primaryCode == .error else {
      return store.storeError(error)
    }
    if let unreadable = unreadableSearch() { return unreadable }
    if wanted == nil, let text = text ?? fallibleText {
      return .invalidQuery(text: text, problem: error.message)
    }
    let subject = wanted ?? "A query of \(access.model.name)"
    return .invalidQuery(text: "", problem: "\(subject) cannot be computed: \(error.message)")
  }

  /// The one condition or sort that may be impossible to work out, as it was asked; nil where it could be one of several, or names no text.
  private var fallibleText: String? {
    let parts = fallibleParts
    return parts.count == 1 ? parts[0] : nil
  }

  private var fallibleParts: [String?] {
    var parts: [String?] = []
    for filter in filters where filter.node?.mayThrow == true { parts.append(filter.text) }
    for sort in sorts where sort.node.mayThrow { parts.append(sort.text) }
    for node in distinct where node.mayThrow { parts.append(nil) }
    return parts + (baseQuery?.fallibleParts ?? [])
  }
}

/// How deep the operations of a condition stand in each other, and whether some value may be impossible to compute.
struct NodeMeasure {
  private(set) var depth = 0
  private(set) var mayFail = false
  private(set) var searches: [Search] = []

  init(_ node: ResolvedNode) { measure(node, 0) }

  private mutating func measure(_ node: ResolvedNode, _ level: Int) {
    depth = max(depth, level)
    let next = level + 1
    switch node {
    case .constant, .variable: break
    case .property(let object, _), .identity(let object): measure(object, level)
    case .negate(let node, _, _):
      mayFail = true
      measure(node, next)
    case .not(let node), .conversion(let node, _), .folded(let node, _), .linkInAny(let node, _),
      .renamedInAny(let node, _):
      measure(node, next)
    case .arithmetic(_, _, let a, let b, _):
      mayFail = true
      for node in [a, b] { measure(node, next) }
    case .text(.search, let property, _, _):
      measure(property, next)
      if let search = Search(node) { searches.append(search) }
    case .coalesce(let a, let b), .comparison(_, let a, let b), .text(_, let a, let b, _):
      for node in [a, b] { measure(node, next) }
    case .concatenation(let nodes), .all(let nodes), .any(let nodes):
      for node in nodes { measure(node, next) }
    case .lookup(_, let nodes):
      for node in nodes { measure(node, next) }
    case .call(let function, let nodes, _):
      if function.conversionTarget == nil { mayFail = true }
      for node in nodes { measure(node, next) }
    case .between(let a, let b, let c), .conditional(let a, let b, let c):
      for node in [a, b, c] { measure(node, next) }
    case .oneOf(let node, let items):
      measure(node, next)
      for item in items { measure(item, next) }
    case .quantified(_, let collection, _, let test):
      measure(collection, next)
      measure(test, next)
    case .membership(let node, let collection), .element(let collection, let node):
      measure(collection, next)
      measure(node, next)
    case .aggregate(let aggregate, let collection, _, _):
      if aggregate == .sum || aggregate == .average { mayFail = true }
      measure(collection, next)
    case .mapElement(let object, _, let key):
      measure(object, next)
      measure(key, next)
    }
  }

  private mutating func measure(_ object: ResolvedObject, _ level: Int) {
    // Long paths become joins.
    if case .target(let node, _) = object { measure(node, level) }
  }

  private mutating func measure(_ collection: ResolvedCollection, _ level: Int) {
    depth = max(depth, level)
    let next = level + 1
    switch collection {
    case .elements(let object, _): measure(object, next)
    case .values(let inner, _, _), .elementsOfEach(let inner, _, _): measure(inner, next)
    case .each(let inner, _, let node):
      measure(inner, next)
      measure(node, next)
    case .filter(let inner, _, let condition):
      measure(inner, next)
      measure(condition, next)
    case .list(let nodes, _): for node in nodes { measure(node, next) }
    case .all: break
    case .conditional(let condition, let first, let second):
      measure(condition, next)
      measure(first, next)
      measure(second, next)
    }
  }
}
