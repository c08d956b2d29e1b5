import StrataExpression
package import StrataSchema

/// The values of one object at one version while it is being upgraded.
///
/// A row of a newer version knows the row of the version before, and works out a value on first use: what
/// was assigned, else what the step's declaration makes of the older row. So a chain of versions is one pass over an
/// object, and what no step touches is never decoded.
public final class FrozenRow {
  /// Where values come from that were not assigned.
  enum Source {
    /// The row of the version before, and what the step makes of it.
    case transition(FrozenRow, ModelTransition, hasBlock: Bool)
    /// Reads a stored property's value from the file.
    case stored(any StoredRowReader)
    /// A new object: defaults.
    case created
  }

  package let model: Model
  package internal(set) var identity: Int64 {
    get { state.pointee.identity }
    set { state.pointee.identity = newValue }
  }
  let environment: StepEnvironment
  /// The row of the version before, where there is one. The state holds it, and no read counts references to it.
  private let olderRow: Unmanaged<FrozenRow>?
  var older: FrozenRow? { olderRow?.takeUnretainedValue() }
  private let reader: (any StoredRowReader)?
  /// Whether generated values are made of the object's identity: a block makes its key.
  private let generatesByIdentity: Bool
  /// For a row of a transition, by index in `model.properties`: what the step makes of the older row.
  private let transitions: [PropertyTransition?]
  // Memory of the row's own instead of arrays: a read or a write of every property of every object goes through
  // here, and an array costs a reference count, an exclusivity check and a bounds check each time.
  private let width: Int
  /// By index in `model.properties`; nil where nothing was assigned yet.
  private let assigned: UnsafeMutablePointer<Value?>
  /// Where a copied value stands in the older row; -1 where it is no copy.
  private let copiedFrom: UnsafeMutablePointer<Int>
  /// The same for values that are copied as they are.
  private let plainlyCopiedFrom: UnsafeMutablePointer<Int>
  /// What every object has that nothing was assigned to; nil where that has to be worked out.
  private let constants: UnsafeMutablePointer<Value?>
  /// For each property of the model its position among the stored ones; -1 for one that is not stored.
  private let storedPositions: UnsafeMutablePointer<Int>
  private var hasAssignments: Bool {
    get { state.pointee.hasAssignments }
    set { state.pointee.hasAssignments = newValue }
  }
  /// What changes with each object, in memory for the same reason.
  private struct State {
    var identity: Int64 = 0
    var hasAssignments = false
    var heldOlder: FrozenRow?
  }
  private let state: UnsafeMutablePointer<State>
  /// Set for rows that blocks must not write to.
  var isReadOnly = false
  /// What went wrong in an accessor that cannot throw; taken by the code that ran the block.
  var failure: (any Error)?
  /// What expressions follow links with; nil where they may not.
  var links: SourceLinks?
  /// Indexes that were assigned and are not stored yet, in a workspace.
  private var unstored: [Int] = []
  /// What the row's collections are reached through; nil where a block may only see the object itself.
  weak var workspace: (any StepWorkspace)? {
    didSet { isInWorkspace = workspace != nil }
  }
  /// A weak reference is dear to ask.
  private var isInWorkspace = false
  /// Of a new object: the workspace's count of changes when the row was read.
  var readAfter = 0
  /// What a block has made of collections where it may only see the object itself, by index. It is run again then, in a workspace.
  private var trialElements: [Int: [CollectionElement]] = [:]

  init(model: Model, environment: StepEnvironment, source: Source) {
    self.model = model
    self.environment = environment
    width = model.properties.count
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    assigned = .allocate(capacity: width)
    assigned.initialize(repeating: nil, count: width)
    copiedFrom = .allocate(capacity: width)
    copiedFrom.initialize(repeating: -1, count: width)
    plainlyCopiedFrom = .allocate(capacity: width)
    plainlyCopiedFrom.initialize(repeating: -1, count: width)
    storedPositions = .allocate(capacity: width)
    storedPositions.initialize(repeating: -1, count: width)
    constants = .allocate(capacity: width)
    constants.initialize(repeating: nil, count: width)
    switch source {
    case .transition(let older, let transition, _):
      olderRow = .passUnretained(older)
      state.pointee.heldOlder = older
      reader = nil
      transitions = model.properties.map { transition.property(named: $0.name) }
      for (index, property) in transitions.enumerated() {
        if case .constant(let value)? = property?.origin { constants[index] = value }
        guard case .copied(let old, let conversion)? = property?.origin else { continue }
        copiedFrom[index] = older.model.indexOfProperty(named: old.name) ?? -1
        if case .none = conversion { plainlyCopiedFrom[index] = copiedFrom[index] }
      }
    case .stored(let reader):
      olderRow = nil
      self.reader = reader
      transitions = []
    case .created:
      olderRow = nil
      reader = nil
      transitions = []
    }
    switch source {
    case .transition(let older, let transition, let hasBlock):
      generatesByIdentity = hasBlock && !transition.keepsPrimaryKey(of: older.model)
    case .stored: generatesByIdentity = false
    case .created: generatesByIdentity = true
    }
    var position = 0
    for (index, property) in model.properties.enumerated() where property.isStored {
      storedPositions[index] = position
      position += 1
    }
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
    assigned.deinitialize(count: width)
    assigned.deallocate()
    constants.deinitialize(count: width)
    constants.deallocate()
    copiedFrom.deallocate()
    plainlyCopiedFrom.deallocate()
    storedPositions.deallocate()
  }

  /// Makes the row that of another object.
  func reset(to identity: Int64) {
    self.identity = identity
    guard hasAssignments else { return }
    for index in 0..<width { assigned[index] = nil }
    hasAssignments = false
  }

  /// Whether nothing but this row holds the row of the version before.
  func holdsOlderAlone() -> Bool { isKnownUniquelyReferenced(&state.pointee.heldOlder) }

  // MARK: - Values

  /// The value of the property at this index in `model.properties`.
  func read(_ index: Int) throws -> Value {
    checkUse(index >= 0 && index < width, "\(model.name) has no property \(index).")
    if isInWorkspace { refresh() }
    if let value = assigned[index] ?? constants[index] { return value }
    if let olderRow {
      return try olderRow._withUnsafeGuaranteedRef { try read(index, from: $0) }
    }
    if let reader { return try reader.value(at: storedPositions[index]) }
    let property = model.properties[index]
    let value =
      property.generate.map { generate($0, for: property) } ?? property.defaultValue ?? .null
    if property.generate != nil { remember(value, at: index) }
    return value
  }

  /// Whether the property has no value.
  func isNull(_ index: Int) throws -> Bool {
    checkUse(index >= 0 && index < width, "\(model.name) has no property \(index).")
    if isInWorkspace { refresh() }
    // What was assigned is not copied for it.
    switch assigned[index] {
    case .some(.null): return true
    case .some: return false
    case .none: return try read(index).isNull
    }
  }

  /// The text of a property that nothing but copies lie behind, without a `Value` on the way; nil where there is more to it.
  func directText(_ index: Int) -> String? {
    guard index >= 0 && index < width else { return nil }
    if isInWorkspace { refresh() }
    if let value = assigned[index] {
      if case .string(let text) = value { return text }
      return nil
    }
    if let olderRow {
      return olderRow._withUnsafeGuaranteedRef { $0.directText(plainlyCopiedFrom[index]) }
    }
    return reader?.text(at: storedPositions[index])
  }

  private func read(_ index: Int, from older: FrozenRow) throws -> Value {
    let plain = plainlyCopiedFrom[index]
    if plain >= 0 {
      let value = try older.read(plain)
      if !value.isNull { return value }
    }
    guard let property = transitions[index] else { return .null }
    switch property.origin {
    case .copied(_, let conversion):
      // What is copied as it is has been read, and is nil: two reads in each version would be 2ⁿ in n of them.
      var value = plain >= 0 ? .null : try older.read(copiedFrom[index])
      if conversion != .none { value = conversion.converted(value) }
      if value.isNull, property.isRequired, let replacement = property.valueForNull {
        value = replacement
      }
      return value
    case .constant(let value):
      return value
    case .generated(let generator):
      let value = generate(generator, for: property.property)
      // A block may give the object another key.
      remember(value, at: index)
      return value
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
      checkIsOfRunningBlock()
      let property = model.properties[index]
      fail(
        workspace?.refusal(toWrite: property, of: model)
          ?? BlockFailure.oldObject(written: property, of: model))
      return
    }
    checkUse(index >= 0 && index < width, "\(model.name) has no property \(index).")
    remember(value, at: index)
    guard isInWorkspace else { return }
    checkIsOfRunningBlock()
    guard let workspace else { return }
    unstored.append(index)
    do {
      try workspace.wasWritten(self)
    } catch {
      fail(error)
    }
  }

  /// What is done with an object whose block has returned would be lost without a word.
  func checkIsOfRunningBlock() {
    checkUse(
      !isInWorkspace || workspace?.isOver == false,
      "A \(model.name) is changed, or asked for a collection, after the block of version \(environment.version) that it comes from has returned."
    )
  }

  /// Keeps what an accessor cannot throw. Of the objects that a block was not called with only the workspace is asked for it.
  func fail(_ error: any Error) {
    failure = failure ?? error
    if isInWorkspace { workspace?.failed(error, in: self) }
  }

  /// What went wrong in the row of the version before.
  func takeFailureOfOlder() -> (any Error)? {
    olderRow?._withUnsafeGuaranteedRef { older in
      guard let found = older.failure else { return nil }
      older.failure = nil
      return found
    }
  }

  // MARK: - Other views of the same object

  /// Reads the object again where something was stored since: a block may hold several rows of one object.
  private func refresh() {
    guard !isReadOnly, let workspace, workspace.isOutdated(self) else { return }
    do {
      try workspace.refresh(self)
    } catch {
      fail(error)
    }
  }

  /// Takes the values of another row of the object.
  func take(_ other: FrozenRow) throws {
    for index in 0..<width where storedPositions[index] >= 0 {
      remember(try other.read(index), at: index)
    }
  }

  var hasUnstored: Bool { !unstored.isEmpty }

  /// What was assigned since the last call.
  func takeUnstored() -> [(index: Int, value: Value)] {
    defer { unstored = [] }
    return Set(unstored).sorted().map { ($0, assigned[$0] ?? .null) }
  }

  /// Everything that was assigned.
  var assignments: [(index: Int, value: Value)] {
    (0..<width).compactMap { index in assigned[index].map { (index, $0) } }
  }

  /// Whether a block or a declaration has given the property a value of its own.
  func isAssigned(_ index: Int) -> Bool { assigned[index] != nil }

  // MARK: - Collections on trial

  /// The elements of a collection as the file has them, or as a block has set them since. Where a block may only see the object itself it
  /// has to be run again for them, and only goes on with these until it returns.
  func elementsOnTrial(_ index: Int) -> [CollectionElement] {
    if let elements = trialElements[index] { return elements }
    do {
      guard let older else {
        return try reader?.elements(at: storedPositions[index]) ?? []
      }
      guard copiedFrom[index] >= 0,
        case .copied(let old, let conversion)? = transitions[index]?.origin
      else { return [] }
      if old.type.isCollection {
        return older.elementsOnTrial(copiedFrom[index]).map {
          CollectionElement(key: $0.key, value: conversion.converted($0.value))
        }
      }
      let value = try older.read(copiedFrom[index])
      return value.isNull ? [] : [CollectionElement(key: nil, value: value)]
    } catch {
      fail(error)
      return []
    }
  }

  func setOnTrial(_ index: Int, _ elements: [CollectionElement]) {
    guard case .set = model.properties[index].type else {
      trialElements[index] = elements
      return
    }
    var known: Set<Value> = []
    trialElements[index] = elements.filter { known.insert($0.value).inserted }
  }

  // MARK: - In place of chance

  private func generate(_ generator: Property.Generator, for property: Property) -> Value {
    switch generator {
    case .now: .date(environment.date)
    case .uuid:
      .uuid(environment.uuid(model: model.name, key: keyOfGenerated, use: property.name))
    case .objectID:
      .objectID(environment.objectID(model: model.name, key: keyOfGenerated, use: property.name))
    }
  }

  /// What generated values are made of. They are there before a block gives an object its key, which may be anything until then: only a key
  /// that the object has had before counts.
  private var keyOfGenerated: String { generatesByIdentity ? identityAsKey : stableKey }

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
    return identityAsKey
  }

  private var identityAsKey: String { "#\(identity)" }

  private func isGenerated(_ name: String) -> Bool {
    model.property(named: name)?.generate != nil
  }
}

/// Reads the stored properties of the object at which it stands.
protocol StoredRowReader: AnyObject {
  /// - Parameter position: index in `model.storedProperties`.
  func value(at position: Int) throws -> Value
  /// The text that stands there; nil where it is none, or where the property is of another type.
  func text(at position: Int) -> String?
  /// The elements of a collection, where the reader is used for objects of which a block may see no collection.
  func elements(at position: Int) throws -> [CollectionElement]
}

extension StoredRowReader {
  func elements(at position: Int) throws -> [CollectionElement] { [] }
}

extension ModelTransition {
  /// Whether the primary key is the older model's, all of it, copied.
  fileprivate func keepsPrimaryKey(of older: Model) -> Bool {
    let origins = target.primaryKey.map { name -> String? in
      guard case .copied(let old, _)? = property(named: name)?.origin else { return nil }
      return old.name
    }
    return origins == older.primaryKey
  }
}
