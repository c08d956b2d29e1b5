import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// What an upgrade will say of the rules of the versions on its way, as far as that can be asked of the old file.
///
/// The tables of a version are made as temporary ones of the connection, from the expressions that the upgrade's statements
/// have, and only those that rules read. What a Swift block, a deletion or a repair makes is known when the upgrade runs.
package struct RuleForecast: Sendable, Hashable {
  /// Rules that objects would break when a version is made.
  package struct Broken: Sendable, Hashable {
    package let version: Int
    package let rules: [RuleViolations]
  }

  /// By version. What a repair of the step decides is not among them.
  package private(set) var broken: [Broken] = []
  /// Rules that are looked at when the upgrade runs, and not before: `Person.adult`, by version.
  package private(set) var unknown: [Int: [String]] = [:]

  init() {}

  /// - Parameter database: the old file, which nothing is written to.
  init(_ route: UpgradeRoute, database: Database) throws {
    guard route.transitions.contains(where: { $0.target.hasRules }) else { return }
    var way: [FusedTransition]? = route.migrationBlock == nil ? [] : nil
    let forecasts = route.passes.flatMap(\.forecast)
    // Rules that a version on the way was asked for.
    var asked: Set<SchemaPath> = []
    for (index, fused) in forecasts.enumerated() {
      if !fused.isKnown { way = nil }
      way?.append(fused.transition)
      let next = index + 1 < forecasts.count ? forecasts[index + 1].transition : nil
      try look(
        at: fused.transition, behind: way, before: next, &asked, database, route.functions)
      // What a repair makes of objects is not worked out here.
      if !fused.transition.transition.step.repair.isEmpty { way = nil }
    }
  }

  private mutating func look(
    at fused: FusedTransition, behind way: [FusedTransition]?, before next: FusedTransition?,
    _ asked: inout Set<SchemaPath>, _ database: Database, _ functions: QueryFunctions
  ) throws {
    let transition = fused.transition
    let schema = transition.target
    var wanted: Set<SchemaPath> = []
    var models: Set<Int> = []
    for (index, model) in schema.models.enumerated() where !model.isAbstract {
      for rule in model.rules {
        let path = SchemaPath(model.name, rule.name)
        guard let condition = rule.resolved(in: schema, of: model) else { continue }
        let reads = RuleReads(condition, in: schema, ofModel: index).models
        // Whether a repair is enough, and breaks no other rule, is known when it has run.
        if transition.mayRepairDecide(path, reading: reads.map { schema.models[$0].name }) {
          unknown[schema.version, default: []].append(path.description)
          asked.insert(path)
          continue
        }
        // A rule that stays is looked at once: by the last version, or where it ends if no version was asked for it yet.
        let isAskedLater = next.map {
          asked.contains(path) || $0.transition.continues(rule, of: model, $0.mapping)
        }
        if isAskedLater ?? false, transition.isKept(rule, of: model, fused.mapping) { continue }
        asked.insert(path)
        guard let way, reads.allSatisfy({ DraftedModel(schema.models[$0], way) != nil }) else {
          unknown[schema.version, default: []].append(path.description)
          continue
        }
        wanted.insert(path)
        models.formUnion(reads)
      }
    }
    guard !wanted.isEmpty, let way, let source = way.first?.transition.source else { return }
    try functions.attach(to: database)
    var tables: [String] = []
    defer { for table in tables { try? database.execute("DROP TABLE temp.\(table)") } }
    let layout = TableLayout(source)
    let lookups = RuleReads.lookups(in: schema)
    do {
      for index in models.sorted() {
        guard let model = DraftedModel(schema.models[index], way) else { continue }
        try model.make(
          in: database, source: layout, target: schema, lookups: lookups, functions, &tables)
      }
    } catch is Unsayable {
      unknown[schema.version, default: []] += wanted.map(\.description).sorted()
      return
    }
    let found = try RuleCheck(database, schema: schema, functions: functions).run {
      wanted.contains(SchemaPath($0, $1.name))
    }
    if !found.isEmpty { broken.append(Broken(version: schema.version, rules: found)) }
  }
}

extension UpgradePass {
  fileprivate struct Forecast {
    var transition: FusedTransition
    /// Whether what the version makes can be said by expressions.
    var isKnown: Bool
  }

  /// The versions of the pass, one by one.
  fileprivate var forecast: [Forecast] {
    switch kind {
    case .fused(let fused): fused.map { Forecast(transition: $0, isKnown: true) }
    case .workspace(let transition):
      [
        Forecast(
          transition: FusedTransition(transition),
          isKnown: !transition.step.hasBlock && transition.isLocalButForRepairs)
      ]
    }
  }
}

extension ModelPipeline.Stage {
  /// Whether the version's step names the model as one that its block makes or sets.
  fileprivate var mayBeOfBlock: Bool {
    transition.step.swiftModels.contains(model.target.name)
  }
}

/// A value that stands in its column in no way that SQL can say.
private struct Unsayable: Error {}

/// A model of a version as its tables would be.
private struct DraftedModel {
  let pipeline: ModelPipeline
  /// Nil for a model without objects.
  let composed: ComposedModel?

  /// Nil where expressions cannot say it.
  init?(_ model: Model, _ way: [FusedTransition]) {
    pipeline = ModelPipeline(target: model, fused: way)
    // Also where the block was found to map objects of another model: its body, which was not run, may look beyond them.
    guard !pipeline.stages.contains(where: \.mayBeOfBlock) else { return nil }
    guard let source = pipeline.source else {
      composed = nil
      return
    }
    guard let composed = try? ComposedModel(pipeline) else { return nil }
    for property in model.collectionProperties {
      guard let old = pipeline.sourceCollection(for: property) else { continue }
      guard old.type == property.type, source.property(named: old.name) != nil else { return nil }
    }
    self.composed = composed
  }

  /// - Parameter tables: the quoted names of the temporary tables; none are made where the file's own are the same.
  func make(
    in database: Database, source: TableLayout, target: Schema, lookups: [String: Set<String>],
    _ functions: QueryFunctions, _ tables: inout [String]
  ) throws {
    if pipeline.isUntouched { return }
    let model = pipeline.target
    let columns = model.columnProperties
    let name = SQL.identifier(model.name)
    // As in a file, because conditions compare them with columns of its own tables, too: without a type by no index.
    let isInteger = { (property: Property) in property.codec(in: target).columnType == .integer }
    try database.execute(
      "CREATE TABLE temp.\(name) (\(DraftLayout.columns(of: model, isInteger: isInteger)))")
    tables.append(name)
    if let old = pipeline.source, let composed,
      let index = source.schema.indexOfModel(named: old.name)
    {
      var translation = Translation(
        source, functions: functions, subject: "s", subjectModel: index)
      let values = try zip(columns, composed.columns).map { property, node in
        let kind = property.codec(in: target).kind
        guard translation.fits(node, kind) else { throw Unsayable() }
        return translation.value(node, as: kind)
      }
      if translation.work.isTooMuch { throw Unsayable() }
      let text: SQLText = """
        INSERT INTO temp.\(name: model.name) SELECT \
        \(SQLText.joined(["s.\"_row\""] + values, by: ", ")) FROM main.\(name: old.name) AS s
        """
      try database.execute(text.sql, text.values)
    }
    for property in model.collectionProperties {
      let table = SQL.identifier(LayoutNames.collection(model.name, property.name))
      let columns = DraftLayout.collectionColumns(of: property)
      let definitions = DraftLayout.columns(ofCollection: property, isInteger: isInteger)
      try database.execute("CREATE TABLE temp.\(table) (\(definitions))")
      tables.append(table)
      if let old = pipeline.source, let before = pipeline.sourceCollection(for: property) {
        let source = SQL.identifier(LayoutNames.collection(old.name, before.name))
        try database.execute("INSERT INTO temp.\(table) SELECT \(columns) FROM main.\(source)")
      }
    }
    for index in DraftLayout.indexes(of: model, in: target, lookups: lookups) {
      try database.execute(index.createStatement(in: "temp"))
    }
  }
}
