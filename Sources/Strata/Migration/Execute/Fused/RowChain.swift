import StrataExpression
import StrataSQLite
import StrataSchema

/// The rows of one object at every version of a pass; made once and used for one object after the other: by a fused pass, by a
/// workspace that fills its draft, and by an enumeration of the classic form.
final class RowChain {
  /// One version's part in every object.
  private final class Link {
    let transition: Transition
    let mappings: [StepContext.Mapping]
    let old: FrozenRow
    let new: FrozenRow
    /// The properties whose value has to be looked at, because null would be refused there.
    let checkedProperties: [Int]
    /// The properties whose expression may fail: the version refuses that also when a later one does not read them.
    let fallibleProperties: [Int]
    /// Versions whose expressions may wait for the first use. Each one that waits is some calls more on the stack then.
    static let versionsThatWait = 32

    /// - Parameter isRest: whether the version's expressions are worked out at once.
    init(_ stage: ModelPipeline.Stage, old: FrozenRow, new: FrozenRow, isRest: Bool) {
      transition = stage.transition
      mappings = stage.mappings
      self.old = old
      self.new = new
      let mayAssignNull = !stage.mappings.isEmpty
      checkedProperties = stage.model.properties.compactMap { property in
        property.isRequired
          && (property.mayBeNull || (mayAssignNull && property.property.type.isToOne))
          ? stage.model.target.indexOfProperty(named: property.property.name) : nil
      }
      fallibleProperties = stage.model.properties.compactMap { property in
        guard case .expression(let expression) = property.origin,
          case .one(let node) = expression.content, isRest || node.mayFail
        else { return nil }
        return stage.model.target.indexOfProperty(named: property.property.name)
      }
    }

    var hasWork: Bool {
      !mappings.isEmpty || !checkedProperties.isEmpty || !fallibleProperties.isEmpty
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
  /// What keeps them alive.
  private let heldRows: [FrozenRow]
  private let heldLinks: [Link]
  /// The row of the source, and of the last version.
  let first: FrozenRow
  let last: FrozenRow
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
    first = FrozenRow(
      model: reader.model,
      environment: environment ?? StepEnvironment(version: source.version, date: ""),
      source: .stored(reader))
    var rows = [first]
    var links: [Link] = []
    for stage in pipeline.stages {
      let old = rows[rows.count - 1]
      let new = FrozenRow(
        model: stage.model.target, environment: stage.transition.environment,
        source: .transition(old, stage.model))
      old.isReadOnly = true
      rows.append(new)
      let link = Link(
        stage, old: old, new: new, isRest: (rows.count - 1) % Link.versionsThatWait == 0)
      if link.hasWork { links.append(link) }
    }
    heldRows = rows
    heldLinks = links
    self.rows = rows.map(Unmanaged.passUnretained)
    self.links = links.map(Unmanaged.passUnretained)
    last = rows[rows.count - 1]
    var assignable: [(row: Unmanaged<FrozenRow>, index: Int)] = []
    columns = pipeline.target.columnProperties.map {
      Self.column($0, pipeline: pipeline, reader: reader, rows: rows, assignable: &assignable)
    }
    self.assignable = assignable
    finalTransition = pipeline.stages.last?.transition
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

  /// Runs every version's mappings and checks what it would refuse.
  func runStages() throws {
    try links.withUnsafeBufferPointer { links in
      for link in links { try link._withUnsafeGuaranteedRef { try run($0) } }
    }
  }

  private func run(_ link: Link) throws {
    // Before the block, which may assign the property itself.
    for index in link.fallibleProperties {
      _ = try BlockFailure.wrap(link.transition, link.new) { try link.new.read(index) }
    }
    if !link.mappings.isEmpty {
      link.old.isReadOnly = true
      link.new.isReadOnly = false
      try link.mappings.withUnsafeBufferPointer { mappings in
        for position in 0..<mappings.count {
          do {
            try mappings[position].body(link.old, link.new)
          } catch {
            throw BlockFailure.error(error, transition: link.transition, row: link.new)
          }
          if let failure = link.new.takeFailure() {
            throw BlockFailure.error(failure, transition: link.transition, row: link.new)
          }
        }
      }
      // The next version's block finds it as an old object.
      link.new.isReadOnly = true
    }
    for index in link.checkedProperties {
      if try BlockFailure.wrap(link.transition, link.new, { try link.new.isNull(index) }) {
        throw MigrationError.requiredValueMissing(
          model: link.new.model, property: link.new.model.properties[index],
          identity: link.new.identity, version: link.transition.target.version,
          form: link.transition.form)
      }
    }
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
