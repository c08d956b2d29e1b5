import StrataExpression
import StrataSQLite
import StrataSchema

/// The rules of a schema as SQL over the layout.
struct RuleConditions {
  /// One rule of one stored model.
  struct Entry {
    let model: Int
    let rule: ModelRule
    let node: ResolvedNode
    let reads: RuleReads
  }

  static let alias: SQLText = "t"

  let schema: Schema
  let layout: TableLayout
  let functions: QueryFunctions
  /// By model, then by name.
  let entries: [Entry]

  /// - Throws: `MigrationError` where a rule does not fit its schema, which its reader would have reported.
  init(_ layout: TableLayout, functions: QueryFunctions) throws {
    schema = layout.schema
    self.layout = layout
    self.functions = functions
    var entries: [Entry] = []
    for (index, model) in layout.schema.models.enumerated() where !model.isAbstract {
      for rule in model.rules {
        guard let condition = rule.resolved(in: layout.schema, of: model),
          case .one(let node) = condition.content
        else {
          throw MigrationError(
            .brokenHistory,
            """
            The rule \(model.name).\(rule.name) of version \(layout.schema.version) cannot be read: \
            \(rule.condition).
            """, version: layout.schema.version, model: model.name)
        }
        entries.append(
          Entry(
            model: index, rule: rule, node: node,
            reads: RuleReads(condition, in: layout.schema, ofModel: index)))
      }
    }
    self.entries = entries
  }

  /// Whether an object of the model breaks any of the rules.
  ///
  /// - Parameter isOfFew: whether few objects are asked about, so that what they link to is looked up one by one and not listed before.
  func isBroken(_ entries: [Entry], isOfFew: Bool = false) -> SQLText {
    guard let first = entries.first else { return "0" }
    var translation = Translation(
      layout, functions: functions, subject: Self.alias, subjectModel: first.model)
    translation.isOfOneRow = isOfFew
    return translation.condition(.any(entries.map { .not($0.node) }))
  }

  func table(_ model: Int) -> SQLText { "\(name: schema.models[model].name)" }

  /// The rows that break any of the rules, one model's.
  ///
  /// - Parameter condition: which objects are asked about; nil for all.
  func broken(_ entries: [Entry], among condition: SQLText? = nil) -> SQLText {
    let model = entries.first?.model ?? 0
    let filter: SQLText = condition.map { "\($0) AND " } ?? ""
    return """
      SELECT \(Self.alias)."_row" FROM \(table(model)) \(Self.alias) WHERE \(filter)\(isBroken(entries, isOfFew: condition != nil))
      """
  }

  /// Which objects lead to rows of a reach.
  ///
  /// - Parameter rows: what holds of the identities at its end: `BETWEEN … AND …` or `IN (…)`.
  func subjects(of reach: RuleReads.Reach, to rows: SQLText) -> SQLText {
    var rows = rows
    for (number, hop) in reach.hops.enumerated().reversed() {
      let model = schema.models[hop.model]
      let property = model.properties[hop.property]
      let found: SQLText
      if let link = RuleReads.link(ofInverse: hop, in: schema) {
        let source = schema.models[link.model]
        let name = source.properties[link.property].name
        found =
          source.properties[link.property].type.isCollection
          ? """
          SELECT "value" FROM \(name: LayoutNames.collection(source.name, name)) \
          WHERE "_owner" \(rows)
          """
          : "SELECT \(name: name) FROM \(name: source.name) WHERE \"_row\" \(rows)"
      } else if property.type.isCollection {
        found = """
          SELECT "_owner" FROM \(name: LayoutNames.collection(model.name, property.name)) \
          WHERE "value" \(rows)
          """
      } else if number == 0 {
        // The object's own link is compared itself: each list that is made anew costs more than what is looked up in it.
        return "\(Self.alias).\(name: property.name) \(rows)"
      } else {
        found = "SELECT \"_row\" FROM \(name: model.name) WHERE \(name: property.name) \(rows)"
      }
      rows = "IN (\(found))"
    }
    return "\(Self.alias).\"_row\" \(rows)"
  }

  // MARK: - One object

  /// What an object breaks first, by the names of the rules; nil for nothing.
  func violation(
    of row: Int64, among entries: [Entry], in database: Database
  ) throws -> BrokenRule? {
    for entry in entries {
      let text = broken([entry], among: "\(Self.alias).\"_row\" = \(value: .integer(row))")
      var problem: String?
      do {
        guard try database.withStatement(text, { try $0.step() }) else { continue }
      } catch let error as SQLiteError where error.primaryCode == .error {
        problem = SQLText.problem(of: error)
      }
      return try violation(of: row, entry, problem: problem, in: database)
    }
    return nil
  }

  func violation(
    of row: Int64, _ entry: Entry, problem: String?, in database: Database
  ) throws -> BrokenRule {
    let model = schema.models[entry.model]
    return BrokenRule(
      model: model.name, rule: entry.rule.name, sentence: entry.rule.sentence,
      condition: entry.rule.condition, identity: row,
      primaryKey: try primaryKey(of: row, model, in: database), problem: problem)
  }

  private func primaryKey(
    of row: Int64, _ model: Model, in database: Database
  ) throws -> String? {
    guard !model.primaryKey.isEmpty else { return nil }
    let text: SQLText = """
      SELECT \(SQLText(trusted: SQL.identifiers(model.primaryKey))) FROM \(name: model.name) \
      WHERE "_row" = \(value: .integer(row))
      """
    return try database.withStatement(text) { (statement) -> String? in
      guard try statement.step() else { return nil }
      var parts: [String] = []
      for (place, name) in model.primaryKey.enumerated() {
        guard let type = model.property(named: name)?.type.valueType else { continue }
        let value = try ColumnCodec(type, in: schema).read(statement, at: place)
        parts.append("\(name) \(value.expressionText)")
      }
      return parts.joined(separator: ", ")
    }
  }
}
