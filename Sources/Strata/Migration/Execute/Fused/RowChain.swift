import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

/// The rows of one object at every version of a pass; made once and used for one object after the other: by a fused pass, by a
/// workspace that fills its draft, and by an enumeration of the classic form.
final class RowChain {
  /// One version's part in every object.
  private final class Link {
    let transition: Transition
    /// What the block does to each object; nil where it does not map the model.
    let body: StepContext.Mapping.Body?
    // The chain holds them, each once, so that it shows when a block keeps one.
    let old: Unmanaged<FrozenRow>
    let new: Unmanaged<FrozenRow>
    /// The row that holds `new`; nil where it is the chain's last.
    let next: Unmanaged<FrozenRow>?
    /// The properties whose value has to be looked at, because null would be refused there.
    let checkedProperties: [Int]
    /// The properties that are worked out before a block runs: those whose expression may fail, which the version refuses also when a
    /// later one does not read them, and those that are made of the key, which the block may change.
    let firstProperties: [Int]
    /// Versions whose expressions may wait for the first use. Each one that waits is some calls more on the stack then.
    static let versionsThatWait = 32

    /// - Parameter isRest: whether the version's expressions are worked out at once.
    init(
      _ stage: ModelPipeline.Stage, old: FrozenRow, new: FrozenRow, next: FrozenRow?, isRest: Bool
    ) {
      transition = stage.transition
      body = stage.mapping?.body
      self.old = .passUnretained(old)
      self.new = .passUnretained(new)
      self.next = next.map(Unmanaged.passUnretained)
      let mayAssignNull = stage.mapping != nil
      checkedProperties = stage.model.properties.compactMap { property in
        property.isRequired
          && (property.mayBeNull || (mayAssignNull && property.property.type.isToOne))
          ? stage.model.target.indexOfProperty(named: property.property.name) : nil
      }
      firstProperties = stage.model.properties.compactMap { property in
        let isFirst =
          switch property.origin {
          case .expression(let expression):
            if case .one(let node) = expression.content { isRest || node.mayFail } else { false }
          case .generated(let generator): mayAssignNull && generator != .now
          case .copied, .constant: false
          }
        return isFirst ? stage.model.target.indexOfProperty(named: property.property.name) : nil
      }
    }

    var hasWork: Bool {
      body != nil || !checkedProperties.isEmpty || !firstProperties.isEmpty
    }
  }

  private struct Column {
    /// The index in the last row's model.
    let index: Int
    /// The source's column where nothing but a block could have changed the value; -1 where the value is worked out.
    let sourceColumn: Int
    /// Which of `assignable` are the column's.
    let assignable: Range<Int>
    let isRequired: Bool
  }

  private let reader: TableReader
  /// What keeps the rows alive: each holds the one before it. Memory of its own, because it is asked for each object whether a block has
  /// kept the last row.
  private let heldLast: UnsafeMutablePointer<FrozenRow?>
  private let heldLinks: [Link]
  /// The row of the source, and of the last version.
  var first: FrozenRow { rows[0].takeUnretainedValue() }
  var last: FrozenRow { lastRow.takeUnretainedValue() }
  private let lastRow: Unmanaged<FrozenRow>
  // Without counting references, which came to a third of the time that an object takes.
  private let rows: [Unmanaged<FrozenRow>]
  /// Only those versions that have something to do for each object; values are worked out when they are asked for.
  private let links: [Unmanaged<Link>]
  /// The rows in which a block may have assigned a column, with its index there; all columns' one after the other.
  private let assignable: [(row: Unmanaged<FrozenRow>, index: Int)]
  private let columns: [Column]
  private let finalTransition: Transition?

  /// - Parameter environment: what the source's row is worked out with; nil where nothing but its stored values is asked for.
  init(
    pipeline: ModelPipeline, source: Schema, reader: TableReader,
    environment: StepEnvironment? = nil
  ) {
    self.reader = reader
    var rows = [
      FrozenRow(
        model: reader.model,
        environment: environment ?? StepEnvironment(version: source.version, date: ""),
        source: .stored(reader))
    ]
    for stage in pipeline.stages {
      let old = rows[rows.count - 1]
      old.isReadOnly = true
      rows.append(
        FrozenRow(
          model: stage.model.target, environment: stage.transition.environment,
          source: .transition(
            old, stage.model,
            hasBlock: stage.transition.step.hasBlock || stage.transition.form == .classic)))
    }
    var links: [Link] = []
    for (position, stage) in pipeline.stages.enumerated() {
      let number = position + 1
      let link = Link(
        stage, old: rows[position], new: rows[number],
        next: number + 1 < rows.count ? rows[number + 1] : nil,
        isRest: number % Link.versionsThatWait == 0)
      if link.hasWork { links.append(link) }
    }
    heldLast = .allocate(capacity: 1)
    heldLast.initialize(to: rows[rows.count - 1])
    heldLinks = links
    self.rows = rows.map(Unmanaged.passUnretained)
    self.links = links.map(Unmanaged.passUnretained)
    lastRow = self.rows[rows.count - 1]
    var assignable: [(row: Unmanaged<FrozenRow>, index: Int)] = []
    columns = pipeline.target.columnProperties.map {
      Self.column($0, pipeline: pipeline, reader: reader, rows: rows, assignable: &assignable)
    }
    self.assignable = assignable
    finalTransition = pipeline.stages.last?.transition
  }

  deinit {
    heldLast.deinitialize(count: 1)
    heldLast.deallocate()
  }

  private static func column(
    _ property: Property, pipeline: ModelPipeline, reader: TableReader, rows: [FrozenRow],
    assignable: inout [(row: Unmanaged<FrozenRow>, index: Int)]
  ) -> Column {
    let index = pipeline.target.indexOfProperty(named: property.name) ?? 0
    let first = assignable.count
    var name = property.name
    for (position, stage) in pipeline.stages.enumerated().reversed() {
      if stage.mayAssign, let index = stage.model.target.indexOfProperty(named: name) {
        assignable.append((Unmanaged.passUnretained(rows[position + 1]), index))
      }
      guard let step = stage.model.property(named: name),
        case .copied(let old, .none) = step.origin, !(step.mayBeNull && step.isRequired),
        !step.replacesNil
      else {
        return Column(
          index: index, sourceColumn: -1, assignable: first..<first,
          isRequired: property.isRequiredColumn)
      }
      name = old.name
    }
    return Column(
      index: index, sourceColumn: reader.column(of: name) ?? -1,
      assignable: first..<assignable.count, isRequired: property.isRequiredColumn)
  }

  func begin(_ identity: Int64) {
    rows.withUnsafeBufferPointer { rows in
      for row in rows { row._withUnsafeGuaranteedRef { $0.reset(to: identity) } }
    }
  }

  /// Runs every version's mapping and checks what it would refuse.
  func runStages() throws {
    try links.withUnsafeBufferPointer { links in
      for link in links { try link._withUnsafeGuaranteedRef { try run($0) } }
    }
  }

  private func run(_ link: Link) throws {
    try withRows(of: link) { old, new in
      // Before the block, which may assign the property itself.
      for index in link.firstProperties {
        _ = try BlockFailure.wrap(link.transition, new) { try new.read(index) }
      }
      if let body = link.body { try run(body, of: link, old, new) }
    }
    // The rows are used for the next object, too: what a block keeps has to be a row of its own. Asked where nothing here holds them.
    if link.body != nil {
      guard link.new._withUnsafeGuaranteedRef({ $0.holdsOlderAlone() }), isHeldAlone(link) else {
        throw StepContext.LooksBeyond(version: link.transition.target.version)
      }
    }
    if link.checkedProperties.isEmpty { return }
    try withRows(of: link) { _, new in
      for index in link.checkedProperties {
        if try BlockFailure.wrap(link.transition, new, { try new.isNull(index) }) {
          throw MigrationError.requiredValueMissing(
            model: new.model, property: new.model.properties[index], identity: new.identity,
            version: link.transition.target.version, form: link.transition.form)
        }
      }
    }
  }

  @inline(__always)
  private func withRows(
    of link: Link, _ body: (_ old: FrozenRow, _ new: FrozenRow) throws -> Void
  ) rethrows {
    try link.old._withUnsafeGuaranteedRef { old in
      try link.new._withUnsafeGuaranteedRef { new in try body(old, new) }
    }
  }

  /// Whether nothing but the chain holds the new row.
  private func isHeldAlone(_ link: Link) -> Bool {
    guard let next = link.next else { return isKnownUniquelyReferenced(&heldLast.pointee) }
    return next._withUnsafeGuaranteedRef { $0.holdsOlderAlone() }
  }

  private func run(
    _ body: StepContext.Mapping.Body, of link: Link, _ old: FrozenRow, _ new: FrozenRow
  ) throws {
    old.isReadOnly = true
    new.isReadOnly = false
    do {
      try body(old, new)
    } catch {
      // What an accessor could not throw came first, and may be why the body throws.
      throw BlockFailure.error(new.takeFailure() ?? error, transition: link.transition, row: new)
    }
    if let failure = new.takeFailure() {
      throw BlockFailure.error(failure, transition: link.transition, row: new)
    }
    // The next version's block finds it as an old object.
    new.isReadOnly = true
  }

  func write(to writer: TableWriter) throws { _ = try write(to: writer, takingNull: true) }

  /// Writes the object where it has every value that its version requires.
  ///
  /// - Returns: false where it lacks one; nothing is written then.
  func writeIfComplete(to writer: TableWriter) throws -> Bool {
    try write(to: writer, takingNull: false)
  }

  @inline(__always)
  private func write(to writer: TableWriter, takingNull: Bool) throws -> Bool {
    try lastRow._withUnsafeGuaranteedRef {
      try write($0, to: writer, takingNull: takingNull)
    }
  }

  @inline(__always)
  private func write(_ last: FrozenRow, to writer: TableWriter, takingNull: Bool) throws -> Bool {
    let row = reader.row
    writer.beginRow(last.identity)
    let isComplete = try columns.withUnsafeBufferPointer { columns in
      for position in 0..<columns.count {
        if columns[position].sourceColumn >= 0, !wasAssigned(columns[position]) {
          try writer.copy(from: row, column: columns[position].sourceColumn)
        } else {
          let value: Value
          do {
            value = try last.read(columns[position].index)
          } catch {
            throw BlockFailure.error(error, transition: finalTransition, row: last)
          }
          if !takingNull, columns[position].isRequired, value.isNull { return false }
          try writer.write(value, to: position)
        }
      }
      return true
    }
    if isComplete { try writer.endRow() }
    return isComplete
  }

  @inline(__always)
  private func wasAssigned(_ column: Column) -> Bool {
    assignable.withUnsafeBufferPointer { assignable in
      for position in column.assignable {
        let (row, index) = assignable[position]
        if row._withUnsafeGuaranteedRef({ $0.isAssigned(index) }) { return true }
      }
      return false
    }
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
