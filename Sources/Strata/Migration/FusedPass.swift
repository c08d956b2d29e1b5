import StrataExpression
import StrataSQLite
import StrataSchema

/// Runs a fused pass: every object of the source goes through all versions of the pass and is written once.
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
  let watch: UpgradeWatch

  func run() throws {
    try createTables()
    for model in target.storedModels {
      let pipeline = ModelPipeline(target: model, fused: fused)
      guard let old = pipeline.source else { continue }
      try watch.begin(model: model.name, source: old.name, in: database)
      if pipeline.isCopy {
        try copy(pipeline, from: old)
      } else {
        try stream(pipeline, from: old)
      }
      try copyCollections(of: pipeline, from: old)
    }
    watch.describe(.indexes)
    try createIndexes()
  }

  private func createTables() throws {
    guard isFinal else { return try DraftLayout.createTables(for: target, in: database) }
    for model in TableLayout(target).models {
      for statement in model.statements(.tables) { try database.execute(statement) }
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
          try VersionCheck(database: database, schema: target).run()
          throw error
        }
      }
    }
    for fulltext in models.flatMap(\.fulltexts) {
      try database.execute(fulltext.fillStatement())
    }
  }

  // MARK: - Set-based

  private func copy(_ pipeline: ModelPipeline, from old: Model) throws {
    var values: [SQLiteValue] = []
    let columns = pipeline.target.columnProperties
    let expressions = try columns.map { property -> String in
      switch pipeline.column(for: property) {
      case .copied(let source): return SQL.identifier(source.name)
      case .constant(let value):
        values.append(try property.codec(in: target).sqliteValue(of: value))
        return "?"
      case .computed: preconditionFailure("a computed column is no part of a copy")
      }
    }
    try database.execute(
      """
      INSERT INTO main.\(SQL.identifier(pipeline.target.name)) \
      (\(SQL.identifiers(["_row"] + columns.map(\.name)))) \
      SELECT \((["_row"] + expressions).joined(separator: ", ")) \
      FROM source.\(SQL.identifier(old.name)) ORDER BY _row
      """, values)
  }

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

  private func stream(_ pipeline: ModelPipeline, from old: Model) throws {
    let reader = try TableReader(model: old, schema: source, database: database, in: "source")
    let writer = try TableWriter(model: pipeline.target, schema: target, database: database)
    let chain = RowChain(pipeline: pipeline, source: source, reader: reader)
    while try reader.next() {
      try chain.begin(reader.identity)
      try chain.runStages()
      try chain.write(to: writer)
      try watch.objectDone()
    }
    try writer.flush()
  }
}

/// The rows of one object at every version of a pass; made once and used for one object after the other.
final class RowChain {
  private let pipeline: ModelPipeline
  private let reader: TableReader
  /// The source's row first, then one for each stage.
  private let rows: [FrozenRow]
  /// For each stage the properties whose value has to be looked at, because null would be refused there.
  private let checkedProperties: [[Int]]
  /// For each column of the result: its index in the last row's model.
  private let columns: [Column]

  private struct Column {
    let property: Property
    let index: Int
    /// The source's column where nothing but a block could have changed the value.
    let sourceColumn: Int?
    /// The property's index in each row, from the source's on; used with `sourceColumn`.
    let indexes: [Int]
  }

  init(pipeline: ModelPipeline, source: Schema, reader: TableReader) {
    self.pipeline = pipeline
    self.reader = reader
    let first = FrozenRow(
      model: reader.model, environment: StepEnvironment(version: source.version, date: ""),
      source: .stored(reader))
    first.isReadOnly = true
    var rows = [first]
    for stage in pipeline.stages {
      rows.append(
        FrozenRow(
          model: stage.model.target, environment: stage.transition.environment,
          source: .transition(rows[rows.count - 1], stage.model)))
    }
    self.rows = rows
    checkedProperties = pipeline.stages.map { stage in
      stage.model.properties.compactMap { property in
        property.mayBeNull && property.isRequired
          ? stage.model.target.indexOfProperty(named: property.property.name) : nil
      }
    }
    columns = pipeline.target.columnProperties.map {
      Self.column($0, pipeline: pipeline, reader: reader)
    }
  }

  private static func column(
    _ property: Property, pipeline: ModelPipeline, reader: TableReader
  ) -> Column {
    let index = pipeline.target.indexOfProperty(named: property.name) ?? 0
    var indexes = [index]
    var name = property.name
    for stage in pipeline.stages.reversed() {
      guard let step = stage.model.properties.first(where: { $0.property.name == name }),
        case .copied(let old, .none) = step.origin, !(step.mayBeNull && step.isRequired),
        let oldIndex = stage.model.source?.indexOfProperty(named: old.name)
      else { return Column(property: property, index: index, sourceColumn: nil, indexes: []) }
      name = old.name
      indexes.append(oldIndex)
    }
    return Column(
      property: property, index: index, sourceColumn: reader.column(of: name),
      indexes: indexes.reversed())
  }

  func begin(_ identity: Int64) throws {
    for row in rows { row.reset(to: identity) }
  }

  /// Runs every stage's mappings and checks what its version would refuse.
  func runStages() throws {
    for (position, stage) in pipeline.stages.enumerated() {
      let (old, new) = (rows[position], rows[position + 1])
      if !stage.mappings.isEmpty {
        old.isReadOnly = true
        new.isReadOnly = false
        for mapping in stage.mappings {
          try BlockFailure.wrap(stage.transition, new) { try mapping.body(old, new) }
        }
      }
      for index in checkedProperties[position] {
        let value = try BlockFailure.wrap(stage.transition, new) { try new.read(index) }
        if value.isNull {
          throw MigrationError.requiredValueMissing(
            model: new.model, property: new.model.properties[index], identity: new.identity,
            version: stage.transition.target.version)
        }
      }
    }
  }

  func write(to writer: TableWriter) throws {
    let last = rows[rows.count - 1]
    try writer.beginRow(last.identity)
    for (position, column) in columns.enumerated() {
      if let sourceColumn = column.sourceColumn, !wasAssigned(column) {
        try writer.copy(from: reader.statement, column: sourceColumn, to: position)
      } else {
        let value: Value
        do {
          value = try last.read(column.index)
        } catch {
          throw BlockFailure.error(
            error, transition: pipeline.stages.last?.transition, row: last)
        }
        try writer.write(value, to: position)
      }
    }
    try writer.endRow()
  }

  private func wasAssigned(_ column: Column) -> Bool {
    for (row, index) in zip(rows, column.indexes) where row.isAssigned(index) { return true }
    return false
  }
}

extension PropertyTransition {
  /// Whether the value can be null after the step without a block's doing.
  var mayBeNull: Bool {
    switch origin {
    case .copied(let old, .none): !old.isRequiredColumn && valueForNull == nil
    case .copied(let old, .scalar): !old.isRequiredColumn || property.isRequiredColumn
    case .copied: false
    case .constant(let value): value.isNull
    case .generated: false
    case .expression(let expression): expression.type.isOptional
    }
  }
}
