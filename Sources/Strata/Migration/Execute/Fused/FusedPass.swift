import StrataExpression
import StrataSQLite
import StrataSchema

/// Runs a fused pass: every object of the source goes through all versions of the pass and is written once, by one SQL
/// statement a model where SQL can say what the versions do, else object by object.
///
/// The connection has the result as its main database and the source attached as `source`.
struct FusedPass {
  let database: Database
  let pass: UpgradePass
  /// What the pass's statements call.
  let functions: QueryFunctions
  /// Whether the result is the final layout or a draft for the next pass.
  let isFinal: Bool
  let watch: UpgradeWatch
  /// The source for a connection of its own; nil where everything is to happen on one thread.
  var file: PassSource?
  /// Objects of the source by model, where they were counted already.
  var counts: [String: Int]?
  /// Models whose objects stand in their final tables already; their collections and indexes do not.
  var written: Set<String> = []

  private var target: Schema { pass.target }

  /// - Throws: `SetBasedRefusal` where the pass has to be run again object by object.
  func run() throws {
    try createTables()
    try functions.attach(to: database)
    for model in pass.models { try make(model) }
    for pipeline in pass.dropped { try goThrough(pipeline) }
    watch.describe(.indexes)
    try database.sortingWithLittleMemory(createIndexes)
    if isFinal { try fillFulltexts() }
  }

  private func make(_ model: ModelPass) throws {
    let pipeline = model.pipeline
    let name = pipeline.target.name
    guard let old = pipeline.source else { return }
    guard !written.contains(name) else { return try copyCollections(of: pipeline, from: old) }
    let objects = try watch.begin(
      model: name, source: old.name, in: database, known: counts?[old.name])
    if let statement = model.statement {
      try watch.beginStatement(source: old.name, in: database)
      do {
        try statement.run(in: database)
      } catch is SetBasedRefusal where pipeline.isClassic {
        // A migration block has run and is not run again: this table alone is made anew.
        try database.execute("DELETE FROM main.\(SQL.identifier(name))")
        try stream(pipeline, from: old, objects: objects)
      }
    } else {
      try stream(pipeline, from: old, objects: objects)
    }
    try copyCollections(of: pipeline, from: old)
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
            database: database, schema: target, form: pass.transitions.last?.form ?? .steps,
            after: pass.transitions.last
          ).run()
          throw error
        }
      }
    }
  }

  private func fillFulltexts() throws {
    for fulltext in TableLayout(target).models.flatMap(\.fulltexts) {
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
        (\(columns)) \(CollectionCopy.elements(columns, of: oldProperty, of: old))
        """)
    }
  }

  // MARK: - Object by object

  /// Takes the objects of a model that is dropped up to that version, and keeps none.
  private func goThrough(_ pipeline: ModelPipeline) throws {
    guard let old = pipeline.source else { return }
    try watch.begin(
      model: pipeline.target.name, source: old.name, in: database, known: counts?[old.name])
    let reader = try TableReader(model: old, schema: pass.source, database: database, in: "source")
    defer { reader.statement.reset() }
    let chain = RowChain(pipeline: pipeline, source: pass.source, reader: reader)
    try watch.goThrough(reader) {
      chain.begin(reader.identity)
      try chain.runStages()
      return true
    }
  }

  private func stream(_ pipeline: ModelPipeline, from old: Model, objects: Int) throws {
    let transfer = try ModelTransfer(
      of: old, in: pass.source, to: pipeline.target, in: target, database: database, file: file,
      objects: objects)
    defer { transfer.end() }
    let (reader, writer) = (transfer.reader, transfer.writer)
    let chain = RowChain(pipeline: pipeline, source: pass.source, reader: reader)
    try watch.goThrough(reader) {
      chain.begin(reader.identity)
      try chain.runStages()
      try chain.write(to: writer)
      return true
    }
    try writer.flush()
  }
}
