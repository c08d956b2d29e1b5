import StrataSchema

/// Runs what a block says with `step.back` for one object: the newer object can be read, the older one is written.
final class BackBlock: StepWorkspace {
  private let object: BackObject
  private let level: Int
  private let step: BackLevel
  private var assigned: [Int: BackCell] = [:]
  /// Whether the body has asked for what a way back has not, which is no matter of this object.
  private(set) var looksBeyond = false

  init(_ object: BackObject, _ level: Int, _ step: BackLevel) {
    self.object = object
    self.level = level
    self.step = step
  }

  /// What it has assigned, by stored property of the older model.
  func assignments(of mapping: StepContext.Mapping) throws -> [Int: BackCell] {
    let new = row(step.newer, level + 1, isOld: true)
    let old = row(step.model, level, isOld: false)
    do {
      try BlockFailure.wrap(step.transition, old, of: .downgrade) {
        do {
          try mapping.body(old, new)
        } catch is StepContext.LooksBeyond {
          throw beyond
        }
      }
      if let failure = new.takeFailure() {
        throw BlockFailure.error(failure, transition: step.transition, row: new, .downgrade)
      }
    }
    for (index, value) in old.assignments {
      let property = step.model.properties[index]
      guard let position = position(of: property, in: step.model) else { continue }
      assigned[position] =
        value.isNull && property.isRequiredColumn ? .misfit : .value(value)
    }
    return assigned
  }

  private func row(_ model: Model, _ level: Int, isOld: Bool) -> FrozenRow {
    let row = FrozenRow(
      model: model, environment: step.environment,
      source: .stored(BackReader(object, level, model, isNewer: isOld)))
    row.reset(to: object.identity)
    row.workspace = self
    row.isReadOnly = isOld
    return row
  }

  private func position(of property: Property, in model: Model) -> Int? {
    model.storedProperties.firstIndex { $0.name == property.name }
  }

  // MARK: - Collections

  func elements(of property: Property, in row: FrozenRow) throws -> [CollectionElement] {
    let level = row.isReadOnly ? self.level + 1 : self.level
    guard let position = position(of: property, in: row.model) else { return [] }
    let cell =
      row.isReadOnly
      ? try object.cell(level, position)
      : try assigned[position] ?? object.unassigned(level, position)
    return try object.readable(cell, property, of: row.model, at: level).elements
  }

  func replaceElements(
    of property: Property, in row: FrozenRow, with elements: [CollectionElement]
  ) throws {
    guard let position = position(of: property, in: row.model) else { return }
    guard !row.isReadOnly else {
      throw refusal(toWrite: property, of: row.model)
    }
    assigned[position] = .elements(elements)
  }

  func wasWritten(_ row: FrozenRow) throws {}

  func refusal(toWrite property: Property, of model: Model) -> MigrationError {
    MigrationError(
      .blockFailed,
      "it writes \(model.name).\(property.name) of the newer object, which is read only on the way back."
    )
  }

  // There is one row of the object, and it is asked what went wrong when the body has returned.

  var isOver: Bool { false }
  func isOutdated(_ row: FrozenRow) -> Bool { false }
  func refresh(_ row: FrozenRow) throws {}
  func failed(_ error: any Error, in row: FrozenRow) {}

  // MARK: - What a way back has not

  func run(_ mapping: StepContext.Mapping) throws { throw beyond }
  func rows(of model: String, version: Int) throws -> AnySequence<FrozenRow> { throw beyond }
  func row(of model: String, version: Int, identity: Int64) throws -> FrozenRow? { throw beyond }
  func row(of model: String, version: Int, primaryKey: [Value]) throws -> FrozenRow? {
    throw beyond
  }
  func create(_ model: String, version: Int, _ body: (FrozenRow) throws -> Void) throws
    -> FrozenRow
  { throw beyond }
  func delete(_ row: FrozenRow) throws { throw beyond }

  private var beyond: MigrationError {
    looksBeyond = true
    return MigrationError(
      .blockFailed,
      "`step.back` of version \(step.newerVersion) looks beyond its object: only the object itself is known on the way back.",
      version: step.newerVersion, model: step.newer.name)
  }
}

/// What a row of a way back reads.
private final class BackReader: StoredRowReader {
  private let object: BackObject
  private let level: Int
  private let model: Model
  private let isNewer: Bool

  init(_ object: BackObject, _ level: Int, _ model: Model, isNewer: Bool) {
    self.object = object
    self.level = level
    self.model = model
    self.isNewer = isNewer
  }

  func value(at position: Int) throws -> Value {
    let property = model.storedProperties[position]
    let cell =
      isNewer ? try object.cell(level, position) : try object.unassigned(level, position)
    return try object.readable(cell, property, of: model, at: level).value(or: property)
  }

  func text(at position: Int) -> String? { nil }
}
