import StrataExpression
import StrataSQLite
import StrataSchema

/// Runs a fused pass: every object of the source goes through all versions of the pass and is written once, by one SQL
/// statement a model where SQL can say what the versions do, else object by object.
///
/// The connection has the result as its main database and the source attached as `source`.
struct FusedPass {
  let database: Database
  let fused: [FusedTransition]
  /// The schema of the source, and of the result.
  let source: Schema
  let target: Schema
  /// Whether the result is the final layout or a draft for the next pass.
  let isFinal: Bool
  /// False after a statement has met an object that a version refuses: going object by object tells which.
  let isSetBased: Bool
  let watch: UpgradeWatch
  /// The source for a connection of its own; nil where everything is to happen on one thread.
  var file: PassSource?
  /// Objects of the source by model, where they were counted already.
  var counts: [String: Int]?
  /// Models whose objects stand in their final tables already; their collections and indexes do not.
  var written: Set<String> = []

  /// - Throws: `SetBasedRefusal` where the pass has to be run again object by object.
  func run() throws {
    try createTables()
    let functions = try QueryFunctions(database)
    for model in target.storedModels {
      let pipeline = ModelPipeline(target: model, fused: fused)
      guard let old = pipeline.source else { continue }
      guard !written.contains(model.name) else {
        try copyCollections(of: pipeline, from: old)
        continue
      }
      let objects = try watch.begin(
        model: model.name, source: old.name, in: database, known: counts?[old.name])
      if isSetBased, let composed = try? ComposedModel(pipeline),
        let statement = SetBasedStatement(
          composed, pipeline: pipeline, source: source, target: target, functions: functions)
      {
        try watch.beginStatement(source: old.name, in: database)
        do {
          try statement.run(in: database)
        } catch is SetBasedRefusal where pipeline.isClassic {
          // A migration block has run and is not run again: this table alone is made anew.
          try database.execute("DELETE FROM main.\(SQL.identifier(model.name))")
          try stream(pipeline, from: old, objects: objects)
        }
      } else {
        try stream(pipeline, from: old, objects: objects)
      }
      try copyCollections(of: pipeline, from: old)
    }
    watch.describe(.indexes)
    try createIndexes()
  }

  private func createTables() throws {
    guard isFinal else { return try DraftLayout.createTables(for: target, in: database) }
    for model in TableLayout(target).models {
      let isThere = written.contains(model.model.name)
      for statement in model.statements(.tables).dropFirst(isThere ? 1 : 0) {
        try database.execute(statement)
      }
    }
  }

  private func createIndexes() throws {
    guard isFinal else { return try DraftLayout.createIndexes(for: target, in: database) }
    let models = TableLayout(target).models
    for part in [TableLayout.Part.indexes, .triggers] {
      for statement in models.flatMap({ $0.statements(part) }) {
        do {
          try database.execute(statement)
        } catch let error as SQLiteError where error.constraint == .unique {
          // SQLite names the index; people want to know the objects.
          try VersionCheck(
            database: database, schema: target, form: fused.last?.transition.form ?? .steps
          ).run()
          throw error
        }
      }
    }
    for fulltext in models.flatMap(\.fulltexts) {
      try database.execute(fulltext.fillStatement())
    }
  }

  // MARK: - Set-based

  private func copyCollections(of pipeline: ModelPipeline, from old: Model) throws {
    for property in pipeline.target.collectionProperties {
      guard let oldProperty = pipeline.sourceCollection(for: property) else { continue }
      let columns = DraftLayout.collectionColumns(of: property)
      try database.execute(
        """
        INSERT INTO main.\(SQL.identifier("\(pipeline.target.name).\(property.name)")) \
        (\(columns)) SELECT \(columns) \
        FROM source.\(SQL.identifier("\(old.name).\(oldProperty.name)"))
        """)
    }
  }

  // MARK: - Object by object

  private func stream(_ pipeline: ModelPipeline, from old: Model, objects: Int) throws {
    let transfer = try ModelTransfer(
      of: old, in: source, to: pipeline.target, in: target, database: database, file: file,
      objects: objects)
    defer { transfer.end() }
    let (reader, writer) = (transfer.reader, transfer.writer)
    let chain = RowChain(pipeline: pipeline, source: source, reader: reader)
    var done = 0
    while try reader.next() {
      chain.begin(reader.identity)
      try chain.runStages()
      try chain.write(to: writer)
      done += 1
      if done == UpgradeWatch.objectsPerReport {
        try watch.objectsDone(done)
        done = 0
      }
    }
    try writer.flush()
  }
}
