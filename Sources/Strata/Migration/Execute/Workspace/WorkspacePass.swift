import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// Makes one version whose step looks beyond single objects: fills a draft, deletes and merges, runs the block, and checks the
/// result as the version itself would.
///
/// The connection has the draft as its main database and the version before, complete, attached as `source`.
final class WorkspacePass {
  let database: Database
  let transition: Transition
  let watch: UpgradeWatch
  /// The file's row counter; new objects take the next identities.
  var rowCounter: Int64
  var deletion: DraftDeletion {
    DraftDeletion(database: database, schema: transition.target)
  }

  init(database: Database, transition: Transition, rowCounter: Int64, watch: UpgradeWatch) {
    self.database = database
    self.transition = transition
    self.rowCounter = rowCounter
    self.watch = watch
  }

  func run() throws {
    try prepare()
    if let block = transition.block, transition.step.hasBlock {
      let session = WorkspaceSession(
        database: database, transition: transition, deletion: deletion, rowCounter: rowCounter,
        watch: watch)
      try session.run(block)
      rowCounter = session.rowCounter
      try forEachDeduplication { deduplicator, _, model in
        try deduplicator.redirectInAny(to: model.target)
      }
    }
    try finish()
  }

  /// Makes the draft and carries over what continues.
  func prepare() throws {
    try DraftLayout.createTables(for: transition.target, in: database)
    for model in transition.models { try fill(model) }
    try DraftLayout.createIndexes(for: transition.target, in: database)
    try deletion.deleteWaiting()
    try forEachDeduplication { deduplicator, rule, model in
      guard let old = model.source else { return }
      try deduplicator.run(rule, old: old, new: model.target)
    }
  }

  private var deduplicatedModels: Set<String> {
    Set(
      transition.models.filter { model in
        model.source.map { transition.step.deduplicate[$0.name] != nil } ?? false
      }.map(\.target.name))
  }

  private func forEachDeduplication(
    _ body: (Deduplicator, Deduplication, ModelTransition) throws -> Void
  ) throws {
    let deduplicator = Deduplicator(
      database: database, source: transition.source, schema: transition.target,
      step: transition.step, deletion: deletion)
    for model in transition.models {
      guard let old = model.source, let rule = transition.step.deduplicate[old.name] else {
        continue
      }
      try body(deduplicator, rule, model)
    }
  }

  /// Removes embedded objects without an owner and what leads to objects that are gone, repairs what breaks a rule then, and refuses
  /// what the version would.
  func finish() throws {
    try deletion.settle()
    try RuleRepair(database: database, transition: transition, deletion: deletion).run()
    let check = VersionCheck(
      database: database, schema: transition.target, form: transition.form,
      repaired: Set(transition.step.repair.keys), deduplicated: deduplicatedModels,
      after: transition)
    try check.checkObjects()
    try check.checkElements(of: transition.models)
    // Before the rules: a rule that reads behind a link to nothing is broken by the deletion alone, and no value mends that.
    try check.checkLinks()
    try check.checkRules()
  }

  // MARK: - Filling

  /// Carries a model's objects over; those that the step deletes are noted instead.
  ///
  /// - Parameter last: the object behind which to begin; nil for all.
  func fill(_ model: ModelTransition, after last: Int64? = nil) throws {
    guard let old = model.source else { return }
    try watch.begin(model: model.target.name, source: old.name, in: database)
    let condition = try transition.step.delete[old.name].map { expression in
      try StepCondition.resolve(expression, model: old, schema: transition.source, step: transition)
    }
    let links = SourceLinks(database: database, schema: transition.source)
    let reader = try TableReader(
      model: old, schema: transition.source, database: database, in: "source",
      condition: last.map { "_row \(EngineSwitches.current.isBackwards ? "<" : ">") \($0)" })
    let writer = try TableWriter(
      model: model.target, schema: transition.target, database: database)
    let chain = RowChain(
      pipeline: ModelPipeline(model, from: old, in: transition, mayAssign: false),
      source: transition.source, reader: reader, environment: transition.environment)
    chain.first.links = links
    let deletion = deletion
    let owned = condition == nil ? [] : embeddedLinks(of: model, from: old)
    try watch.goThrough(reader) {
      chain.begin(reader.identity)
      if let condition, try isTrue(condition, chain.first) {
        try deletion.mark(model.target.name, reader.identity)
        for link in owned {
          guard case .link(let identity) = try chain.first.read(link.index) else { continue }
          try deletion.abandon(link.target, identity)
        }
        return false
      }
      try chain.write(to: writer)
      return true
    }
    try writer.flush()
    try fillCollections(of: model, from: old, links: links)
  }

  /// The old properties that become links to one embedded object, with the object's model: what deleted objects, which are not written,
  /// leave behind.
  private func embeddedLinks(
    of model: ModelTransition, from old: Model
  ) -> [(index: Int, target: String)] {
    model.properties.compactMap { step in
      guard case .copied(let property, _) = step.origin, !property.type.isCollection,
        let target = step.property.type.linkedModel,
        transition.target.model(named: target)?.isEmbedded == true,
        let index = old.indexOfProperty(named: property.name)
      else { return nil }
      return (index, target)
    }
  }

  func fillCollections(of model: ModelTransition) throws {
    guard let old = model.source else { return }
    try fillCollections(
      of: model, from: old, links: SourceLinks(database: database, schema: transition.source))
  }

  private func isTrue(_ condition: ResolvedExpression, _ row: FrozenRow) throws -> Bool {
    do {
      return try condition.holds(in: StepEvaluation(row: row))
    } catch {
      throw BlockFailure.error(error, transition: transition, row: row)
    }
  }

  private func fillCollections(of model: ModelTransition, from old: Model, links: SourceLinks)
    throws
  {
    for step in model.properties where step.property.type.isCollection {
      if case .expression(let expression) = step.origin {
        var isMap = false
        if case .map = step.property.type { isMap = true }
        try fillCollection(step.property, of: model.target, from: old, links: links) { row in
          let context = StepEvaluation(row: row)
          guard isMap else {
            return try expression.elements(in: context).map {
              CollectionElement(key: nil, value: $0)
            }
          }
          return try expression.entries(in: context).map {
            CollectionElement(key: $0.key, value: $0.value)
          }
        }
      }
      guard case .copied(let oldProperty, let conversion) = step.origin else { continue }
      guard conversion.keepsValues else {
        try fillCollection(step.property, of: model.target, from: old, links: links) { row in
          try self.elements(of: oldProperty, in: row, links: links).map {
            CollectionElement(key: $0.key, value: conversion.converted($0.value))
          }
        }
        continue
      }
      let table = "main.\(SQL.identifier("\(model.target.name).\(step.property.name)"))"
      let columns = DraftLayout.collectionColumns(of: step.property)
      try database.execute(
        "INSERT INTO \(table) (\(columns)) "
          + CollectionCopy.select(
            from: oldProperty, of: old, as: step.property, conversion: conversion))
    }
  }
}

extension WorkspacePass {
  /// Fills a collection with the elements that come of each old object.
  private func fillCollection(
    _ property: Property, of target: Model, from old: Model, links: SourceLinks,
    _ elements: (FrozenRow) throws -> [CollectionElement]
  ) throws {
    // Nothing is asked about objects that the step deletes.
    let condition =
      transition.step.delete[old.name] == nil
      ? nil : "_row IN (SELECT _row FROM main.\(SQL.identifier(target.name)))"
    let reader = try TableReader(
      model: old, schema: transition.source, database: database, in: "source", condition: condition)
    let row = FrozenRow(model: old, environment: transition.environment, source: .stored(reader))
    row.links = links
    let writer = CollectionWriter(property: property, model: target, schema: transition.target)
    while try reader.next() {
      row.reset(to: reader.identity)
      do {
        try writer.append(elements(row), owner: reader.identity, database: database)
      } catch {
        throw BlockFailure.error(error, transition: transition, row: row)
      }
    }
  }

  /// The elements of an old collection, or the one value as an element.
  private func elements(of old: Property, in row: FrozenRow, links: SourceLinks) throws
    -> [CollectionElement]
  {
    guard let index = row.model.indexOfProperty(named: old.name) else { return [] }
    guard old.type.isCollection else {
      let value = try row.read(index)
      return value.isNull ? [] : [CollectionElement(key: nil, value: value)]
    }
    return try links.elements(index, modelNamed: row.model.name, identity: row.identity)
  }
}

/// How the elements of an old property become those of a new collection, as SQL.
enum CollectionCopy {
  static func select(
    from old: Property, of model: Model, as new: Property, conversion: ValueConversion
  ) -> String {
    var isSet = false
    if case .set = new.type { isSet = true }
    switch conversion {
    case .wrapped:
      let column = SQL.identifier(old.name)
      return """
        SELECT _row, \(isSet ? "" : "\(ListCore.gap), ")\(column) \
        FROM source.\(SQL.identifier(model.name)) NOT INDEXED WHERE \(column) IS NOT NULL
        """
    case .recollected where isSet:
      return
        "SELECT DISTINCT _owner, value FROM (\(elements("_owner, value", of: old, of: model)) LIMIT -1)"
    case .recollected:
      return """
        SELECT _owner, \(ListCore.gap) * row_number() OVER (PARTITION BY _owner ORDER BY value), \
        value FROM (\(elements("_owner, value", of: old, of: model)) LIMIT -1)
        """
    case .none, .scalar, .renamedModels, .elements:
      let columns = DraftLayout.collectionColumns(of: new)
      return elements(columns, of: old, of: model)
    }
  }

  /// All elements of an old property, read from its table: an index has the same columns and is smaller, and what is damaged in it
  /// would become the data. Their order makes SQLite do so where the key is the table; there, "NOT INDEXED" has no effect.
  static func elements(_ columns: String, of property: Property, of model: Model) -> String {
    let table = "source.\(SQL.identifier("\(model.name).\(property.name)"))"
    switch property.type {
    case .set(let element) where element.isOptional:
      return "SELECT \(columns) FROM \(table) NOT INDEXED"
    case .set: return "SELECT \(columns) FROM \(table) ORDER BY _owner, value"
    default: return "SELECT \(columns) FROM \(table) ORDER BY _owner, _index"
    }
  }
}

/// Conditions of a step, checked against the version before it.
enum StepCondition {
  static func resolve(
    _ expression: Expression, model: Model, schema: Schema, step: Transition
  ) throws -> ResolvedExpression {
    do {
      return try ResolvedExpression(condition: expression, in: schema, of: model, for: .step)
    } catch {
      throw MigrationError(
        .brokenHistory,
        """
        The step to version \(step.target.version) has an expression over \(model.name) that \
        version \(schema.version) does not fit: \(error.sentence).
        """, version: step.target.version, model: model.name)
    }
  }
}
