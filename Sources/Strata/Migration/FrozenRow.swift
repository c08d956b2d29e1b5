import StrataExpression
package import StrataSchema

/// The values of one object at one version while it is being upgraded.
///
/// A row of a newer version knows the row of the version before, and works out a value only when somebody asks: what
/// was assigned, else what the step's declaration makes of the older row. So a chain of versions is one pass over an
/// object, and what no step touches is never decoded.
public final class FrozenRow {
  /// Where values come from that were not assigned.
  enum Source {
    /// The row of the version before, and what the step makes of it.
    case transition(FrozenRow, ModelTransition)
    /// Reads a stored property's value from the file.
    case stored(any StoredRowReader)
    /// A new object: defaults.
    case created
  }

  package let model: Model
  package internal(set) var identity: Int64 = 0
  let environment: StepEnvironment
  private let source: Source
  /// For a row of a transition, by index in `model.properties`: what the step makes of the older row.
  private let transitions: [PropertyTransition?]
  /// And where a copied value stands in the older row.
  private let oldIndexes: [Int]
  /// By index in `model.properties`; nil where nothing was assigned yet.
  private(set) var assigned: [Value?]
  private(set) var hasAssignments = false
  /// For each property of the model its position among the stored ones; -1 for one that is not stored.
  let storedPositions: [Int]
  /// Set for rows that blocks must not write to.
  var isReadOnly = false
  /// What went wrong in an accessor that cannot throw; taken by whoever ran the block.
  var failure: (any Error)?
  /// What expressions follow links with; nil where they may not.
  var links: SourceLinks?
  /// Indexes that were assigned and are not stored yet, in a workspace.
  private var unstored: [Int] = []
  /// What the row's collections are reached through; nil where a block may only see the object itself.
  weak var workspace: (any StepWorkspace)?

  init(model: Model, environment: StepEnvironment, source: Source) {
    self.model = model
    self.environment = environment
    self.source = source
    assigned = Array(repeating: nil, count: model.properties.count)
    if case .transition(let older, let transition) = source {
      transitions = model.properties.map { transition.property(named: $0.name) }
      oldIndexes = transitions.map { property in
        guard case .copied(let old, _)? = property?.origin else { return -1 }
        return older.model.indexOfProperty(named: old.name) ?? -1
      }
    } else {
      transitions = []
      oldIndexes = []
    }
    var position = 0
    storedPositions = model.properties.map { property in
      guard property.isStored else { return -1 }
      defer { position += 1 }
      return position
    }
  }

  /// Makes the row that of another object.
  func reset(to identity: Int64) {
    self.identity = identity
    guard hasAssignments else { return }
    for index in assigned.indices { assigned[index] = nil }
    hasAssignments = false
  }

  // MARK: - Values

  /// The value of the property at this index in `model.properties`.
  func read(_ index: Int) throws -> Value {
    if let value = assigned[index] { return value }
    switch source {
    case .stored(let reader):
      return try reader.value(at: storedPositions[index])
    case .created:
      let property = model.properties[index]
      let value =
        property.generate.map { generate($0, for: property) } ?? property.defaultValue ?? .null
      if property.generate != nil { remember(value, at: index) }
      return value
    case .transition(let older, _):
      return try read(index, from: older)
    }
  }

  private func read(_ index: Int, from older: FrozenRow) throws -> Value {
    guard let property = transitions[index] else { return .null }
    switch property.origin {
    case .copied(_, let conversion):
      var value = try older.read(oldIndexes[index])
      if case .scalar(let type) = conversion { value = Conversion.convert(value, to: type) }
      if value.isNull, property.isRequired, let replacement = property.valueForNull {
        value = replacement
      }
      return value
    case .constant(let value):
      return value
    case .generated(let generator):
      return generate(generator, for: property.property)
    case .expression(let expression):
      var value = try expression.value(in: StepEvaluation(row: older))
      if value.isNull, property.isRequired, let replacement = property.property.defaultValue {
        value = replacement
      }
      remember(value, at: index)
      return value
    }
  }

  private func remember(_ value: Value, at index: Int) {
    assigned[index] = value
    hasAssignments = true
  }

  /// Assigns the property at this index in `model.properties`.
  func write(_ index: Int, _ value: Value) {
    guard !isReadOnly else {
      failure = MigrationError(
        .blockFailed,
        """
        The block writes \(model.name).\(model.properties[index].name) of an old object. Old objects \
        are read only: write to the new one.
        """)
      return
    }
    remember(value, at: index)
    guard let workspace else { return }
    unstored.append(index)
    do {
      try workspace.wasWritten(self)
    } catch {
      failure = failure ?? error
    }
  }

  /// What was assigned since the last call.
  func takeUnstored() -> [(index: Int, value: Value)] {
    defer { unstored = [] }
    return Set(unstored).sorted().map { ($0, assigned[$0] ?? .null) }
  }

  /// The row of the version before, where there is one.
  var older: FrozenRow? {
    if case .transition(let older, _) = source { return older }
    return nil
  }

  /// Whether a block or a declaration has given the property a value of its own.
  func isAssigned(_ index: Int) -> Bool { assigned[index] != nil }

  // MARK: - In place of chance

  private func generate(_ generator: Property.Generator, for property: Property) -> Value {
    switch generator {
    case .now: .date(environment.date)
    case .uuid:
      .uuid(environment.uuid(model: model.name, key: stableKey, use: property.name))
    case .objectID:
      .objectID(environment.objectID(model: model.name, key: stableKey, use: property.name))
    }
  }

  /// What identifies the object whatever path it came: its primary key, else its identity.
  var stableKey: String {
    if !model.primaryKey.isEmpty, !model.primaryKey.contains(where: isGenerated) {
      let key = model.primaryKey.compactMap { name in
        model.indexOfProperty(named: name).flatMap { try? read($0) }
      }
      if key.allSatisfy({ !$0.isNull }) {
        return JSON.array(key.map(\.json)).canonicalText
      }
    }
    return "#\(identity)"
  }

  private func isGenerated(_ name: String) -> Bool {
    model.property(named: name)?.generate != nil
  }
}

/// Reads the stored properties of the object at which it stands.
protocol StoredRowReader: AnyObject {
  /// - Parameter position: index in `model.storedProperties`.
  func value(at position: Int) throws -> Value
}
