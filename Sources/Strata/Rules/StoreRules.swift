import StrataExpression
import StrataSQLite
import StrataSchema

/// Holds what a transaction has changed against the rules of the schema, before it commits.
///
/// A rule is looked at where a property was changed that it reads, for the objects that lead to the change alone. What an
/// object was linked from before is not known: where an inverse lost an object, and where a rule reads all objects of a model,
/// every object that keeps the rule is looked at.
final class StoreRules {
  private typealias Entry = RuleConditions.Entry

  /// A statement and which rules of which model it asks about.
  private struct Question: Hashable {
    let reach: RuleReads.Reach?
    let entries: [Int]
    /// Whether it names rows one by one, and not the ends of a run.
    var isList = false
  }

  /// Rows that a question names one by one.
  private static let listedRows = 64
  /// From so many runs on, short ones are asked about together.
  private static let manyRuns = 4

  private let conditions: RuleConditions
  private let database: () -> Database
  private var statements: [Question: SQLText] = [:]
  /// More different transactions than an app has.
  private static let maximumStatements = 256

  /// - Parameter layout: that of the store, with the rules.
  init(_ layout: TableLayout, _ store: Store) throws {
    conditions = try RuleConditions(layout, functions: store.queryFunctions)
    database = { [unowned store] in store.database }
  }

  /// The models of which each changed row has to be known.
  var readModels: Set<Int> { conditions.entries.reduce(into: []) { $0.formUnion($1.reads.models) } }

  /// - Throws: `StoreError.ruleBroken` for the first object that breaks a rule, by model and identity.
  func check(_ changes: [ModelChanges]) throws {
    var first = 0
    let entries = conditions.entries
    while first < entries.count {
      var end = first + 1
      while end < entries.count, entries[end].model == entries[first].model { end += 1 }
      try check(Array(first..<end), changes)
      first = end
    }
  }

  /// The rules of one model.
  private func check(_ indexes: [Int], _ changes: [ModelChanges]) throws {
    var wide: [Int] = []
    /// By reach, the rules that a change there may break.
    var narrow: [RuleReads.Reach: [Int]] = [:]
    for index in indexes {
      let reads = conditions.entries[index].reads
      if isWide(reads, conditions.entries[index].model, changes) {
        wide.append(index)
        continue
      }
      for (reach, properties) in reads.reached
      where touches(reach, properties, changes[reach.model]) {
        narrow[reach, default: []].append(index)
      }
      // What a rule without a property says holds or not for each new object.
      let own = RuleReads.Reach(model: conditions.entries[index].model)
      if reads.reached[own] == nil, changes[own.model].hasInsertions {
        narrow[own, default: []].append(index)
      }
    }
    if !wide.isEmpty { try ask(Question(reach: nil, entries: wide), [SQLiteValue]()) }
    for (reach, indexes) in narrow.sorted(by: { $0.key.hops.count < $1.key.hops.count }) {
      let question = Question(reach: reach, entries: indexes.sorted())
      let properties = indexes.map { conditions.entries[$0].reads.reached[reach] ?? [] }
        .reduce(Set()) { $0.union($1) }
      try ask(
        question,
        changes[reach.model].runs.filter { matters($0, reach, properties) }.map(\.rows)
          .sorted { $0.lowerBound < $1.lowerBound })
    }
  }

  /// Run by run, and where many are short row by row, several at once.
  private func ask(_ question: Question, _ runs: [ClosedRange<Int64>]) throws {
    let count = runs.reduce(0) { $0 + min($1.count, Self.listedRows) }
    guard runs.count >= Self.manyRuns, count <= 2 * runs.count else {
      for run in runs { try ask(question, [.integer(run.lowerBound), .integer(run.upperBound)]) }
      return
    }
    var listed = question
    listed.isList = true
    var rows: [SQLiteValue] = []
    rows.reserveCapacity(Self.listedRows)
    for run in runs {
      for row in run {
        rows.append(.integer(row))
        if rows.count == Self.listedRows {
          try ask(listed, rows)
          rows.removeAll(keepingCapacity: true)
        }
      }
    }
    guard let last = rows.last else { return }
    // The statement has as many parameters each time.
    rows += Array(repeating: last, count: Self.listedRows - rows.count)
    try ask(listed, rows)
  }

  // MARK: - What matters

  private func isWide(
    _ reads: RuleReads, _ subject: Int, _ changes: [ModelChanges]
  ) -> Bool {
    if changes[subject].isEverything { return true }
    if reads.members.contains(where: { changes[$0].hasComingsAndGoings }) { return true }
    for (model, properties) in reads.anywhere
    where changes[model].isEverything || changes[model].hasUpdates(of: properties) {
      return true
    }
    for reach in reads.reached.keys {
      if changes[reach.model].isEverything { return true }
      for hop in reach.hops {
        guard let link = RuleReads.link(ofInverse: hop, in: conditions.schema) else { continue }
        let source = changes[link.model]
        if source.isEverything || source.hasDeletions || source.hasUpdates(of: [link.property]) {
          return true
        }
      }
    }
    return false
  }

  private func touches(
    _ reach: RuleReads.Reach, _ properties: Set<Int>, _ changes: ModelChanges
  ) -> Bool {
    changes.runs.contains { matters($0, reach, properties) }
  }

  private func matters(
    _ run: ModelChanges.Run, _ reach: RuleReads.Reach, _ properties: Set<Int>
  ) -> Bool {
    switch run.kind {
    case .insert:
      // A new object comes onto a way by a link, which is a change of its holder; by an inverse it comes itself.
      guard let last = reach.hops.last else { return true }
      return RuleReads.link(ofInverse: last, in: conditions.schema) != nil
    case .update: return properties.contains { run.properties.contains($0) }
    case .delete, .all: return false
    }
  }

  // MARK: - Asking

  /// - Parameter rows: the values of the statement's first parameters.
  private func ask(_ question: Question, _ rows: [SQLiteValue]) throws {
    var text = statement(question)
    text.values.replaceSubrange(0..<rows.count, with: rows)
    let database = database()
    let found: Int64?
    do {
      found = try database.withStatement(text) { statement in
        try statement.step() ? statement.integer(at: 0) : nil
      }
    } catch let error as SQLiteError where error.primaryCode == .error {
      guard let violation = try uncomputable(question, rows) else { throw error }
      throw StoreError.ruleBroken(violation)
    }
    guard let found else { return }
    let entries = question.entries.map { conditions.entries[$0] }
    if let violation = try conditions.violation(of: found, among: entries, in: database) {
      throw StoreError.ruleBroken(violation)
    }
  }

  private func statement(_ question: Question) -> SQLText {
    if let known = statements[question] { return known }
    if statements.count >= Self.maximumStatements { statements = [:] }
    let entries = question.entries.map { conditions.entries[$0] }
    let text: SQLText = "\(conditions.broken(entries, among: affected(question))) LIMIT 1"
    statements[question] = text
    return text
  }

  /// Which objects are asked about: the first parameters are the changed rows.
  private func affected(_ question: Question) -> SQLText? {
    guard let reach = question.reach else { return nil }
    let range: SQLText
    if question.isList {
      let places = Array(repeating: "\(value: .null)" as SQLText, count: Self.listedRows)
      range = "IN (\(SQLText.joined(places, by: ", ")))"
    } else {
      range = "BETWEEN \(value: .null) AND \(value: .null)"
    }
    guard !reach.hops.isEmpty else { return "\(RuleConditions.alias).\"_row\" \(range)" }
    let rows = conditions.subjects(
      of: reach,
      from: "SELECT \"_row\" FROM \(conditions.table(reach.model)) WHERE \"_row\" \(range)")
    return "\(RuleConditions.alias).\"_row\" IN (\(rows))"
  }

  /// The first object of which a condition has no value.
  private func uncomputable(
    _ question: Question, _ rows: [SQLiteValue]
  ) throws -> BrokenRule? {
    guard let first = question.entries.first else { return nil }
    let database = database()
    var text: SQLText = """
      SELECT \(RuleConditions.alias)."_row" FROM \
      \(conditions.table(conditions.entries[first].model)) \(RuleConditions.alias)
      """
    if let affected = affected(question) { text = "\(text) WHERE \(affected)" }
    text.values.replaceSubrange(0..<rows.count, with: rows)
    let entries = question.entries.map { conditions.entries[$0] }
    return try database.withStatement(text) { statement in
      while try statement.step() {
        let row = statement.integer(at: 0)
        if let found = try conditions.violation(of: row, among: entries, in: database) {
          return found
        }
      }
      return nil
    }
  }
}

extension ModelChanges {
  fileprivate var hasInsertions: Bool { isEverything || runs.contains { $0.kind == .insert } }
  fileprivate var hasDeletions: Bool { isEverything || runs.contains { $0.kind == .delete } }
  fileprivate var hasComingsAndGoings: Bool { hasInsertions || hasDeletions }

  fileprivate func hasUpdates(of properties: Set<Int>) -> Bool {
    isEverything
      || runs.contains { run in
        run.kind == .update && properties.contains { run.properties.contains($0) }
      }
  }
}

extension Store {
  /// Reads the rules of the schema, before the first transaction.
  func prepareRules() throws {
    if definition.schema.hasRules, writing.rules == nil { try keepRules(of: definition.schema) }
    writing.hasReadRules = true
  }

  /// - Parameter schema: of the shape of the store's own.
  func keepRules(of schema: Schema) throws {
    let rules = try StoreRules(TableLayout(schema), self)
    sink.preciseModels = rules.readModels
    writing.rules = rules
  }
}
