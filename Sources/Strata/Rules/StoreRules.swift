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
    var form = Form.range
  }

  private enum Form: Hashable {
    /// Names the ends of a run.
    case range
    /// As `range`, and finds the first object.
    case firstOfRange
    /// Names rows one by one.
    case list
  }

  /// What a rule reads, so that it is held against a change without looking anything up.
  private struct Reading {
    struct End {
      let reach: RuleReads.Reach
      let properties: PropertySet
      /// A new object comes onto a way by a link, which is a change of its holder; by an inverse it comes itself.
      let isReachedByComing: Bool
    }
    let model: Int
    let ends: [End]
    /// By model, the properties that may matter to any object.
    let anywhere: [(model: Int, properties: PropertySet)]
    let members: [Int]
    /// The links of inverses on the way.
    let links: [(model: Int, properties: PropertySet)]
    let isOfOwnProperties: Bool

    init(_ reads: RuleReads, ofModel model: Int, in schema: Schema) {
      self.model = model
      ends = reads.reached.map { reach, properties in
        End(
          reach: reach, properties: PropertySet(properties),
          isReachedByComing: reach.hops.last.map {
            RuleReads.link(ofInverse: $0, in: schema) != nil
          } ?? true)
      }
      anywhere = reads.anywhere.map { ($0, PropertySet($1)) }
      members = Array(reads.members)
      links = reads.reached.keys.flatMap(\.hops).compactMap { hop in
        RuleReads.link(ofInverse: hop, in: schema).map { ($0.model, PropertySet($0.property)) }
      }
      isOfOwnProperties = reads.reached[RuleReads.Reach(model: model)] != nil
    }
  }

  /// Rows that a question names one by one.
  private static let listedRows = 64
  /// From so many short runs on they are asked about together.
  private static let manyRuns = 4
  /// Rows of a run that is taken apart.
  private static let shortRun = 2
  /// So far apart are runs that are asked about as one: what lies between is walked over faster than each is looked up.
  private static let gap: Int64 = 8

  private let conditions: RuleConditions
  private let readings: [Reading]
  private let database: () -> Database
  /// By model and property, what a value has to fulfil that is not asked about; nil where all are.
  private let settling: [[[SettlingCondition]?]]
  private var statements: [Question: SQLText] = [:]
  /// More different transactions than an app has.
  private static let maximumStatements = 256

  /// - Parameter layout: that of the store, with the rules.
  init(_ layout: TableLayout, _ store: Store) throws {
    let conditions = try RuleConditions(layout, functions: store.queryFunctions)
    self.conditions = conditions
    let readings = conditions.entries.map {
      Reading($0.reads, ofModel: $0.model, in: conditions.schema)
    }
    self.readings = readings
    settling = conditions.schema.models.indices.map { model in
      conditions.schema.models[model].properties.indices.map { property in
        Self.settling(model, property, conditions, readings)
      }
    }
    database = { [unowned store] in store.database }
  }

  /// The models of which changed rows have to be known, and the properties.
  var readProperties: [Int: PropertySet] {
    var result: [Int: PropertySet] = [:]
    for entry in conditions.entries {
      let properties = entry.reads.properties
      for model in entry.reads.models {
        result[model, default: PropertySet()].formUnion(PropertySet(properties[model] ?? []))
      }
    }
    return result
  }

  /// Whether no rule can be broken by a property that has this value, whatever else the objects have.
  ///
  /// The last change of all that a rule reads of an object decides: where that one was settled, the rule holds.
  func settles(_ model: Int, _ property: Int, _ value: Value) -> Bool {
    guard let conditions = settling[model][property] else { return false }
    for condition in conditions where condition.holds(value) != true { return false }
    return true
  }

  private static func settling(
    _ model: Int, _ property: Int, _ conditions: RuleConditions, _ readings: [Reading]
  ) -> [SettlingCondition]? {
    var result: [SettlingCondition] = []
    for (entry, reading) in zip(conditions.entries, readings) {
      let others = reading.anywhere + reading.links
      if others.contains(where: { $0.model == model && $0.properties.contains(property) }) {
        return nil
      }
      for end in reading.ends where end.reach.model == model && end.properties.contains(property) {
        guard
          let condition = SettlingCondition(
            entry.node, ofModel: entry.model, knowing: property, at: end.reach,
            in: conditions.schema)
        else { return nil }
        result.append(condition)
      }
    }
    return result
  }

  /// - Parameter changes: by model, those that are not settled.
  /// - Throws: `StoreError.ruleBroken` for the first object that breaks a rule, by model and identity.
  func check(_ changes: [ModelChanges]) throws {
    var first = 0
    let entries = conditions.entries
    let summaries = changes.map(ChangeSummary.init)
    while first < entries.count {
      var end = first + 1
      while end < entries.count, entries[end].model == entries[first].model { end += 1 }
      try check(first..<end, changes, summaries)
      first = end
    }
  }

  /// The rules of one model.
  private func check(
    _ indexes: Range<Int>, _ changes: [ModelChanges], _ summaries: [ChangeSummary]
  ) throws {
    var wide: [Int] = []
    /// By reach, the rules that a change there may break, and what they read.
    var narrow: [RuleReads.Reach: (entries: [Int], properties: PropertySet, byComing: Bool)] = [:]
    for index in indexes {
      let reading = readings[index]
      if isWide(reading, summaries) {
        wide.append(index)
        continue
      }
      for end in reading.ends {
        let summary = summaries[end.reach.model]
        guard
          (end.isReachedByComing && summary.hasInsertions)
            || summary.updated.intersects(end.properties)
        else { continue }
        narrow[end.reach, default: ([], PropertySet(), end.isReachedByComing)].entries.append(index)
        narrow[end.reach]?.properties.formUnion(end.properties)
      }
      // What a rule without a property says holds or not for each new object.
      if !reading.isOfOwnProperties, summaries[reading.model].hasInsertions {
        let own = RuleReads.Reach(model: reading.model)
        narrow[own, default: ([], PropertySet(), true)].entries.append(index)
      }
    }
    if !wide.isEmpty {
      try ask(Question(reach: nil, entries: wide, form: .firstOfRange), [SQLiteValue]())
    }
    for (reach, asked) in narrow.sorted(by: { $0.key.hops.count < $1.key.hops.count }) {
      let runs = changes[reach.model].rows(
        updating: asked.properties, orInserted: asked.byComing)
      let question = Question(reach: reach, entries: asked.entries)
      guard try mayBreak(question, runs) else { continue }
      // What was found may have been broken before, beside what was changed.
      var first = question
      first.form = .firstOfRange
      for run in runs { try ask(first, [.integer(run.lowerBound), .integer(run.upperBound)]) }
    }
  }

  private func isWide(_ reading: Reading, _ changes: [ChangeSummary]) -> Bool {
    if changes[reading.model].isEverything { return true }
    if reading.members.contains(where: { changes[$0].hasComingsAndGoings }) { return true }
    if reading.anywhere.contains(where: { changes[$0.model].hasUpdates(of: $0.properties) }) {
      return true
    }
    if reading.ends.contains(where: { changes[$0.reach.model].isEverything }) { return true }
    return reading.links.contains {
      changes[$0.model].hasDeletions || changes[$0.model].hasUpdates(of: $0.properties)
    }
  }

  // MARK: - Several runs at once

  /// Whether an object may break a rule of those that runs lead to, or that stand close beside one: few statements, whatever the number
  /// of runs.
  ///
  /// - Parameter runs: by their beginnings.
  private func mayBreak(_ question: Question, _ runs: [ClosedRange<Int64>]) throws -> Bool {
    var short: [ClosedRange<Int64>] = []
    var next = 0
    while next < runs.count {
      var whole = runs[next]
      next += 1
      while next < runs.count, runs[next].lowerBound &- whole.upperBound <= Self.gap {
        whole = whole.lowerBound...max(whole.upperBound, runs[next].upperBound)
        next += 1
      }
      if whole.count <= Self.shortRun {
        short.append(whole)
      } else if try finds(question, [.integer(whole.lowerBound), .integer(whole.upperBound)]) {
        return true
      }
    }
    guard short.count >= Self.manyRuns else {
      return try short.contains {
        try finds(question, [.integer($0.lowerBound), .integer($0.upperBound)])
      }
    }
    var listed = question
    listed.form = .list
    var rows: [SQLiteValue] = []
    rows.reserveCapacity(Self.listedRows)
    for row in short.joined() {
      rows.append(.integer(row))
      guard rows.count == Self.listedRows else { continue }
      if try finds(listed, rows) { return true }
      rows.removeAll(keepingCapacity: true)
    }
    guard let last = rows.last else { return false }
    // The statement has as many parameters each time.
    rows += Array(repeating: last, count: Self.listedRows - rows.count)
    return try finds(listed, rows)
  }

  /// Whether an object breaks a rule, or a condition has no value of it.
  private func finds(_ question: Question, _ rows: [SQLiteValue]) throws -> Bool {
    do {
      return try found(question, rows) != nil
    } catch let error as SQLiteError where error.primaryCode == .error {
      return true
    }
  }

  // MARK: - Asking

  /// - Parameter rows: the values of the statement's first parameters.
  private func ask(_ question: Question, _ rows: [SQLiteValue]) throws {
    let row: Int64?
    do {
      row = try found(question, rows)
    } catch let error as SQLiteError where error.primaryCode == .error {
      guard let violation = try uncomputable(question, rows) else { throw error }
      throw StoreError.ruleBroken(violation)
    }
    guard let row else { return }
    let entries = question.entries.map { conditions.entries[$0] }
    if let violation = try conditions.violation(of: row, among: entries, in: database()) {
      throw StoreError.ruleBroken(violation)
    }
  }

  private func found(_ question: Question, _ rows: [SQLiteValue]) throws -> Int64? {
    var text = statement(question)
    text.values.replaceSubrange(0..<rows.count, with: rows)
    return try database().withStatement(text) { statement in
      try statement.step() ? statement.integer(at: 0) : nil
    }
  }

  private func statement(_ question: Question) -> SQLText {
    if let known = statements[question] { return known }
    if statements.count >= Self.maximumStatements { statements = [:] }
    let entries = question.entries.map { conditions.entries[$0] }
    let order: SQLText =
      question.form == .firstOfRange ? "ORDER BY \(RuleConditions.alias).\"_row\" " : ""
    let text: SQLText = "\(conditions.broken(entries, among: affected(question))) \(order)LIMIT 1"
    statements[question] = text
    return text
  }

  /// Which objects are asked about: the first parameters are the changed rows.
  private func affected(_ question: Question) -> SQLText? {
    guard let reach = question.reach else { return nil }
    guard question.form == .list else {
      return conditions.subjects(
        of: reach, to: "BETWEEN \(value: .null) AND \(value: .null)")
    }
    let places = Array(repeating: "\(value: .null)" as SQLText, count: Self.listedRows)
    return conditions.subjects(of: reach, to: "IN (\(SQLText.joined(places, by: ", ")))")
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
    text = "\(text) ORDER BY \(RuleConditions.alias).\"_row\""
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
  /// The runs in which one of these properties was set, by their beginnings.
  ///
  /// - Parameter orInserted: whether those of new objects are asked for, too.
  fileprivate func rows(
    updating properties: PropertySet, orInserted: Bool
  ) -> [ClosedRange<Int64>] {
    var result: [ClosedRange<Int64>] = []
    result.reserveCapacity(runs.count)
    var isSorted = true
    for index in runs.indices {
      switch runs[index].kind {
      case .insert: guard orInserted else { continue }
      case .update: guard runs[index].properties.intersects(properties) else { continue }
      case .delete, .all: continue
      }
      let rows = runs[index].rows
      if let last = result.last, last.lowerBound > rows.lowerBound { isSorted = false }
      result.append(rows)
    }
    return isSorted ? result : result.sorted { $0.lowerBound < $1.lowerBound }
  }
}

/// What a transaction did to the objects of one model, all runs together.
private struct ChangeSummary {
  let isEverything: Bool
  private(set) var hasInsertions = false
  private(set) var hasDeletions = false
  /// Properties that were set of some object.
  private(set) var updated = PropertySet()

  init(_ changes: ModelChanges) {
    isEverything = changes.isEverything
    for index in changes.runs.indices {
      switch changes.runs[index].kind {
      case .insert: hasInsertions = true
      case .delete: hasDeletions = true
      case .update: updated.formUnion(changes.runs[index].properties)
      case .all: break
      }
    }
    if isEverything { (hasInsertions, hasDeletions) = (true, true) }
  }

  var hasComingsAndGoings: Bool { hasInsertions || hasDeletions }

  func hasUpdates(of properties: PropertySet) -> Bool {
    isEverything || updated.intersects(properties)
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
    let read = rules.readProperties
    sink.readByRules = schema.models.indices.map { read[$0] }
    writing.rules = rules
  }
}
