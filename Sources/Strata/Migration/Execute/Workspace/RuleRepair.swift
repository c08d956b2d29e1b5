import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// Does in a draft what the step's `repair:` says of objects that break rules of its version: some are deleted, the others get
/// values. Rules are taken in the order of their names; expressions see the objects as they were before their rule's turn.
///
/// What a deletion or a value leaves behind is settled before the next rule is asked, as it is before the first: embedded objects without
/// an owner and links of type `any` to nothing would count otherwise.
struct RuleRepair {
  let database: Database
  let transition: Transition
  let deletion: DraftDeletion

  private static let broken = "temp.strata_repair"
  private static let values = "temp.strata_repair_values"

  private var schema: Schema { transition.target }
  private var version: Int { schema.version }

  func run() throws {
    let repairs = transition.step.repair.sorted { $0.key < $1.key }
    guard !repairs.isEmpty else { return }
    let functions = try QueryFunctions(database)
    let layout = TableLayout(schema)
    let check = try RuleCheck(database, schema: schema, functions: functions)
    for (path, repair) in repairs {
      guard let index = schema.indexOfModel(named: path.model),
        let rule = path.property, schema.models[index].rule(named: rule) != nil
      else {
        throw refusal(path, "that version has no such rule")
      }
      try database.execute("DROP TABLE IF EXISTS \(Self.broken)")
      try database.execute("CREATE TABLE \(Self.broken) (\"row\" INTEGER PRIMARY KEY)")
      try check.forEachBroken(model: path.model, rule: rule) { row in
        try database.execute("INSERT INTO \(Self.broken) VALUES (?)", .integer(row))
      }
      let translation = Translation(
        layout, functions: functions, subject: RuleConditions.alias, subjectModel: index)
      let hasDeleted = try delete(repair, path, schema.models[index], translation)
      try set(repair, path, schema.models[index], translation)
      // What has deleted before it set values is settled. Other values than links leave nothing behind.
      let setsLinks = repair.set.keys.contains { schema.models[index].holdsLinks(in: $0) }
      if setsLinks || hasDeleted && repair.set.isEmpty { try deletion.settle() }
      try database.execute("DROP TABLE \(Self.broken)")
    }
  }

  /// - Returns: whether there was something to delete.
  private func delete(
    _ repair: Repair, _ path: SchemaPath, _ model: Model, _ translation: Translation
  ) throws -> Bool {
    guard let condition = repair.delete else { return false }
    let resolved = try resolve(path) {
      try ResolvedExpression(condition: condition, in: schema, of: model, for: .query)
    }
    guard case .one(let node) = resolved.content else { return false }
    var translation = translation
    let text: SQLText = """
      DELETE FROM \(SQLText(trusted: Self.broken)) WHERE "row" IN (SELECT \(RuleConditions.alias)."_row" \
      FROM \(name: model.name) \(RuleConditions.alias) WHERE \(RuleConditions.alias)."_row" IN \
      (SELECT "row" FROM \(SQLText(trusted: Self.broken))) AND \(translation.condition(node))) \
      RETURNING "row"
      """
    var hasDeleted = false
    try computing(path) {
      try database.withStatement(text) { statement in
        while try statement.step() {
          hasDeleted = true
          try deletion.mark(model.name, statement.integer(at: 0))
        }
      }
    }
    guard hasDeleted else { return false }
    try deletion.deleteWaiting()
    if !repair.set.isEmpty { try deletion.settle() }
    // What a deletion has taken along needs no values.
    try database.execute(
      "DELETE FROM \(Self.broken) WHERE \"row\" NOT IN (SELECT \"_row\" FROM \(SQL.identifier(model.name)))"
    )
    return true
  }

  private func set(
    _ repair: Repair, _ path: SchemaPath, _ model: Model, _ translation: Translation
  ) throws {
    guard !repair.set.isEmpty else { return }
    var translation = translation
    var columns: [String] = []
    var values: [SQLText] = []
    for (name, expression) in repair.set.sorted(by: { $0.key < $1.key }) {
      guard let property = model.property(named: name), property.isStored,
        case .value(let type) = property.type
      else { throw refusal(path, "it sets '\(name)', which is no value or link of that version") }
      let resolved = try resolve(path) {
        try ResolvedExpression(
          expression, in: schema, of: model, for: .query,
          assignedTo: AssignmentTarget(property, in: schema))
      }
      let kind = ColumnCodec(type, in: schema).kind
      guard case .one(let node) = resolved.content, translation.fits(node, kind) else {
        throw refusal(path, "the value of '\(name)' does not fit into \(property.type.spelling)")
      }
      columns.append(name)
      values.append(translation.value(node, as: kind))
    }
    let names = columns.indices.map { "v\($0)" }
    try database.execute("DROP TABLE IF EXISTS \(Self.values)")
    try database.execute(
      """
      CREATE TABLE \(Self.values) ("row" INTEGER PRIMARY KEY, \
      \(names.map { "\($0) ANY" }.joined(separator: ", "))) STRICT
      """)
    let alias = RuleConditions.alias
    let text: SQLText = """
      INSERT INTO \(SQLText(trusted: Self.values)) SELECT \(alias)."_row", \
      \(SQLText.joined(values, by: ", ")) FROM \(name: model.name) \(alias) \
      WHERE \(alias)."_row" IN (SELECT "row" FROM \(SQLText(trusted: Self.broken)))
      """
    try computing(path) { try database.withStatement(text) { try $0.run() } }
    let sets = zip(columns, names).map { "\(SQL.identifier($0)) = \(Self.values).\($1)" }
    try database.execute(
      """
      UPDATE main.\(SQL.identifier(model.name)) SET \(sets.joined(separator: ", ")) \
      FROM \(Self.values) WHERE main.\(SQL.identifier(model.name))."_row" = \(Self.values)."row"
      """)
    try database.execute("DROP TABLE \(Self.values)")
  }

  // MARK: - Errors

  private func refusal(_ path: SchemaPath, _ why: String) -> MigrationError {
    MigrationError(
      .brokenHistory,
      "The step to version \(version) has a repair of \(path), but \(why).", version: version,
      model: path.model)
  }

  private func resolve(
    _ path: SchemaPath, _ body: () throws -> ResolvedExpression
  ) throws -> ResolvedExpression {
    do {
      return try body()
    } catch let error as ExpressionErrors {
      throw refusal(path, "that version does not fit it: \(error.sentence)")
    }
  }

  /// A value that cannot be computed, or that a required property refuses.
  private func computing(_ path: SchemaPath, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError where error.primaryCode == .error {
      throw MigrationError(
        .conversionFailed,
        """
        The repair of \(path) in the step to version \(version) has a value that cannot be computed: \
        \(error.message). The file is as it was.
        """, version: version, model: path.model)
    }
  }
}

extension Model {
  /// Whether a property's values may lead to other objects.
  fileprivate func holdsLinks(in name: String) -> Bool {
    switch property(named: name)?.type.valueType?.base {
    case .scalar(let type): type == .any
    case .enumeration: false
    case .object, nil: true
    }
  }
}
