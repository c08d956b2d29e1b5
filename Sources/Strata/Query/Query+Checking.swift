import StrataExpression
import StrataSQLite
import StrataSchema

extension Query {
  /// Asks SQLite about the newest condition, so that what it cannot do is said by the call that asks for it: whether it can
  /// compile it, and, where the condition computes, whether all values can be computed.
  ///
  /// - Throws: `StoreError.invalidQuery`
  func checkNewestText() throws(StoreError) {
    guard let filter = filters.last else { return }
    try checkRoom()
    try check(filter.measure.searches, filter.text)
    if filter.measure.mayFail { try compute(filter.text) }
  }

  /// The same of the newest condition of a query that was compiled already.
  func checkNewest() throws(StoreError) {
    guard let filter = filters.last else { return }
    try check(filter.measure.searches, nil)
    if filter.measure.mayFail { try compute(filter.text) }
  }

  private func check(_ searches: [Search], _ text: String?) throws(StoreError) {
    if searches.isEmpty { return }
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard store.prepareToRead() else { return }
    if let error = unreadable(searches, text: text) { throw error }
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
    if error.isAboutDepth { return tooDeep(error, of: wanted) }
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
