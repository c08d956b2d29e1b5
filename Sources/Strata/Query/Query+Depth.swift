import StrataExpression
import StrataSQLite

/// What SQLite's parser has room for. It holds a hundred open symbols, and a query that needs more is refused where it is asked; so is
/// one whose parts stand in its SQL so often that it would be too long.
extension Query {
  /// Open symbols that are left for a condition whatever stands around it: a limit, different objects, a question behind it, an
  /// update. What needs no more is not compiled before it is used.
  private static let sureRoom = 52
  /// How often a part may stand in the SQL, for the same reason.
  private static let sureCopies = 256
  /// What a value that objects are sorted by, or differ in, needs beyond that.
  private static let roomOfKeys = 6

  /// Whether it needs more room than there is in any case.
  var isDeep: Bool {
    if let base, base.isDeep { return true }
    return filters.contains { isDeep($0.measure) } || keys.contains { isDeep($0) }
  }

  private func isDeep(_ measure: NodeMeasure) -> Bool {
    measure.depth > Self.sureRoom || measure.copies > Self.sureCopies
  }

  private var keys: [ResolvedNode] { distinct + sorts.filter { !$0.isRank }.map(\.node) }

  private func isDeep(_ key: ResolvedNode) -> Bool {
    if case .property(.subject, _) = key { return false }
    let measure = NodeMeasure(key, in: access.generated.schema)
    return measure.depth + Self.roomOfKeys > Self.sureRoom || measure.copies > Self.sureCopies
  }

  /// Has SQLite compile the query where it is not sure that it can.
  ///
  /// - Throws: `StoreError.invalidQuery`
  func checkRoom() throws(StoreError) {
    try checkBaseDepth(newestText)
    guard !store.isClosed, isDeep else { return }
    store.lockIfShared()
    defer { store.unlockIfShared() }
    // With as much around it as a limit, sections and sums of the answers put there, whose calls throw nothing: as one of several
    // questions behind another one. No model has such names.
    let parts: [SQLText] =
      definitionParts + [
        "\(name: "before it") AS (SELECT 1)",
        "\(name: "the answers") AS (SELECT \(Self.alias).\"_row\" \(orderedSource)\(limitClause))",
      ]
    let asked: SQLText =
      "WITH \(SQLText.joined(parts, by: ", ")) SELECT count(*) FROM \(name: "the answers")"
    // And as one object is asked about.
    for text in [asked, match(0)] {
      do {
        _ = try store.database.prepare(text.bounded.sql)
      } catch {
        guard error.primaryCode == .error else { throw store.storeError(error) }
        throw tooDeep(error)
      }
    }
  }

  /// Has SQLite compile the newest condition by itself: what stands around it is no mistake of a call that throws nothing, and the answers say it.
  ///
  /// - Throws: `StoreError.invalidQuery`
  func checkRoomOfNewest() throws(StoreError) {
    try checkBaseDepth(newestText)
    guard !store.isClosed, let newest = filters.last, isDeep(newest.measure) else {
      return
    }
    let alone = Query(access).filtered(by: newest.condition, text: newest.text)
    store.lockIfShared()
    defer { store.unlockIfShared() }
    do {
      _ = try store.database.prepare(alone.countStatement.bounded.sql)
    } catch {
      guard error.primaryCode == .error else { throw store.storeError(error) }
      throw alone.tooDeep(error)
    }
  }

  /// - Parameter wanted: what was asked about the answers; nil for the answers.
  func tooDeep(_ error: SQLiteError, of wanted: String? = nil) -> StoreError {
    let way = "ask for a part of it first, and give the objects that were found to IN"
    if let wanted {
      return .invalidQuery(
        text: "",
        problem: "\(wanted) cannot be computed: the query \(Self.isTooDeep(error)); \(way)")
    }
    let isAlone = base == nil && distinct.isEmpty && sorts.isEmpty && filters.count == 1
    return .invalidQuery(
      text: deepest?.text ?? newestText,
      problem: (isAlone ? "it " : "with what is asked beside it, it ")
        + "\(Self.isTooDeep(error)); \(way)")
  }

  private static func isTooDeep(_ error: SQLiteError) -> String {
    SQLText.isTooLong(error)
      ? SQLText.tooLongProblem
      : "is nested too deeply for the database (\(error.message))"
  }

  private var newestText: String { filters.last?.text ?? "" }

  /// The condition that needs most of the room, of these and of the questions behind them.
  private var deepest: (text: String, depth: Int)? {
    var found: (text: String, depth: Int)?
    var query: Query? = self
    while let asked = query {
      for filter in asked.filters.reversed() where filter.measure.depth > found?.depth ?? 0 {
        found = (filter.text, filter.measure.depth)
      }
      query = asked.baseQuery
    }
    return found
  }
}

extension SQLiteError {
  /// Whether SQLite has no room for what stands in each other.
  var isAboutDepth: Bool {
    message.contains("parser stack overflow") || message.hasPrefix("Expression tree is too large")
      || SQLText.isTooLong(self)
  }
}
