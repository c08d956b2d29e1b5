import StrataSQLite
import StrataSchema

/// Writes the objects of a model to their final table as an enumeration goes through them, with one pair of rows for all of
/// them.
///
/// When a body looks further than its two objects, or keeps one of them, the stream ends: the draft takes over.
final class ClassicStream {
  let target: Model
  private let session: ClassicSession
  private let transfer: ModelTransfer
  private let reader: TableReader
  private let writer: TableWriter
  private let chain: RowChain
  private(set) var old: MigrationObject
  private(set) var new: MigrationObject
  private var hasObject = false
  /// False when the draft has taken over, and when all objects are written.
  private(set) var isActive = true
  private(set) var isDone = false
  /// What the body has assigned when the draft takes over.
  private var assigned: [(index: Int, value: Value)] = []
  private var lastWritten: Int64?
  /// The properties whose value is made of the object's key, which the body may change: they are made before it runs.
  private let generated: [Int]
  /// Objects since the last report.
  private var done = 0

  init(_ model: ModelTransition, in session: ClassicSession) throws {
    guard let source = model.source else {
      throw session.problem("\(model.target.name) has no old objects.")
    }
    let transition = session.transition
    let database = session.database
    self.session = session
    target = model.target
    for layout in TableLayout(transition.target).models where layout.model.name == target.name {
      // Collections get their tables, and indexes are built, when all objects are there.
      try database.execute(layout.table.createStatement())
    }
    let objects = try session.watch.begin(
      model: target.name, source: source.name, in: database, known: session.counts[source.name])
    transfer = try ModelTransfer(
      of: source, in: transition.source, to: target, in: transition.target, database: database,
      file: session.file, objects: objects)
    (reader, writer) = (transfer.reader, transfer.writer)
    generated = model.properties.compactMap { property in
      guard case .generated(let generator) = property.origin, generator != .now else { return nil }
      return model.target.indexOfProperty(named: property.property.name)
    }
    chain = RowChain(
      pipeline: ModelPipeline(model, from: source, in: transition, mayAssign: true),
      source: transition.source, reader: reader, environment: transition.environment)
    old = session.object(chain.first, isOld: true)
    new = session.object(chain.last, isOld: false)
  }

  private var oldRow: FrozenRow { chain.first }
  private var newRow: FrozenRow { chain.last }

  /// Writes the object that was gone through and reads the next one; false where there is none, and where the draft has to
  /// take over.
  func advance() throws -> Bool {
    if hasObject {
      // The block has kept the new object, or it lacks a value that a later part of the block may give.
      guard isKnownUniquelyReferenced(&new), try write() else {
        try session.fillDraft()
        return false
      }
      if !isKnownUniquelyReferenced(&old) { try replaceOld() }
      done += 1
      if done == UpgradeWatch.objectsPerReport {
        try session.watch.objectsDone(done)
        done = 0
      }
    }
    guard try reader.next() else {
      try writer.flush()
      transfer.end()
      hasObject = false
      isActive = false
      isDone = true
      session.streamEnded()
      return false
    }
    hasObject = true
    chain.begin(reader.identity)
    old.face.rewind()
    new.face.rewind()
    for index in generated { _ = try newRow.read(index) }
    return true
  }

  /// Writes the object; false where it lacks a value, so that it is not written.
  private func write() throws -> Bool {
    guard try chain.writeIfComplete(to: writer) else { return false }
    lastWritten = newRow.identity
    return true
  }

  /// Lets the block keep an old object.
  private func replaceOld() throws {
    old.row = try loadedOldRow()
    old = session.object(oldRow, isOld: true)
  }

  private func loadedOldRow() throws -> FrozenRow {
    let row = FrozenRow(
      model: reader.model, environment: oldRow.environment, source: .stored(try LoadedRow(reader)))
    row.identity = oldRow.identity
    row.isReadOnly = true
    return row
  }

  private func loadedNewRow() -> FrozenRow {
    let row = FrozenRow(
      model: target, environment: newRow.environment, source: .stored(LoadedRow(copying: newRow)))
    row.identity = newRow.identity
    return row
  }

  // MARK: - Handing over to the draft

  /// Stops reading and writing.
  ///
  /// - Returns: the last object that was written.
  func suspend() throws -> Int64? {
    isActive = false
    if hasObject {
      assigned = newRow.assignments
      old.row = try loadedOldRow()
      // Where the draft cannot be filled, the body goes on with the values that the object had.
      new.row = loadedNewRow()
    }
    try writer.flush()
    transfer.end()
    return lastWritten
  }

  /// Waits until nothing uses the session's connection but the caller.
  func settle() { writer.settle() }

  /// Lets the connections go, whatever is not written yet.
  func abandon() { transfer.end() }

  /// Gives the object that the body is at its place in the draft.
  func resume(in session: ClassicSession) throws {
    guard hasObject else { return }
    guard
      let row = try session.workspace.row(
        of: target.name, version: session.version, identity: newRow.identity)
    else { throw session.problem("\(target.name) \(newRow.stableKey) was lost.") }
    try session.workspace.begin(writing: row)
    for (index, value) in assigned { row.write(index, value) }
    new.row = row
    new.readAfter = session.workspace.changes
  }

  /// The objects behind the one at which the draft has taken over.
  func rest(in session: ClassicSession) throws -> ClassicEnumeration.Objects {
    try session.fillDraft()
    let source = session.transition.source.version
    return .continued(
      try session.workspace.rows(
        of: reader.model.name, version: source, after: hasObject ? oldRow.identity : nil
      ).makeIterator(), new: target.name)
  }
}
