import StrataSchema

extension Object {
  /// A standalone copy of the object, and of what it leads to.
  ///
  /// Objects that are met again, also in a cycle, are one object in the copy, too. The copy belongs to nothing: it can be
  /// changed anywhere, and added to a store again, in the place of the original. Of an object of a cancelled transaction it is
  /// what the object was, with all that it led to.
  ///
  /// Each copy remembers what it was made of and what was set in it. `add(_:update: .modified)` writes only that, so that it
  /// takes nothing back that was written to the originals meanwhile; `.all` writes all values of the copies.
  ///
  /// Copies that lead to each other in a circle hold each other, as all objects of Swift do that belong to no store: of one that
  /// is neither added nor needed any more, a link of the circle is to be set to nil.
  /// - Parameter depth: how many links are followed; links beyond lead to the originals, so that 0 makes the draft of one
  ///   object. Embedded objects belong to their owner and are always copied. Nil for no limit.
  public final func detached(depth: Int? = nil) -> Self {
    unsafeDowncast(
      Detachment(depth: depth, keeps: { _ in false }, remembersOrigin: true).copy(self),
      to: Self.self)
  }
}

/// One copy of an object and of what it leads to: which object has become which.
final class Detachment {
  struct Key: Hashable {
    private let model: ObjectIdentifier
    private let row: Int64
    /// Another process may have given its number to another object.
    private let isOfCancelledWrite: Bool

    init(_ object: Object, isOfCancelledWrite: Bool) {
      model = ObjectIdentifier(object.model)
      row = object.givenRow
      self.isOfCancelledWrite = isOfCancelledWrite
    }

    init(_ object: Object) {
      self.init(object, isOfCancelledWrite: object.isOfCancelledWrite)
    }
  }

  private let depth: Int
  /// Whether links to an object stay.
  private let keeps: (Object) -> Bool
  private let remembersOrigin: Bool
  /// How many links and elements may still be followed; what lies beyond is left out.
  @exclusivity(unchecked) private var budget: Int
  @exclusivity(unchecked) private(set) var managedCopies: [Key: Object] = [:]
  @exclusivity(unchecked) private var standaloneCopies: [ObjectIdentifier: Object] = [:]
  /// The object that is copied, and its copy, until they are entered above.
  @exclusivity(unchecked) private var first: (source: Object, copy: Object)?
  /// Copies whose properties are still to be filled. Breadth first, so that everything is met at its least depth, and
  /// long chains need no deep stack.
  @exclusivity(unchecked) private var waiting: [(source: Object, copy: Object, depth: Int)] = []
  @exclusivity(unchecked) private var next = 0

  init(
    depth: Int?, keeps: @escaping (Object) -> Bool, remembersOrigin: Bool, budget: Int = .max
  ) {
    self.depth = depth ?? .max
    self.keeps = keeps
    self.remembersOrigin = remembersOrigin
    self.budget = budget
  }

  /// To be called once.
  /// - Parameter new: a new object, which becomes the copy.
  func copy(_ object: Object, into new: Object? = nil) -> Object {
    let object = object.lastCopy ?? object
    // Most objects lead to no other one. The first is entered among the copies only where another is met.
    let result = new ?? object.model.newObject()
    first = (object, result)
    fill(result, from: object, at: 0)
    fillWaiting()
    return result
  }

  /// Copies an object besides others, and keeps nothing of it but the copy.
  /// - Returns: false once the budget is used up.
  func include(_ object: Object) -> Bool {
    // Several of the program's objects may be views of one row.
    if object.manager != nil, managedCopies[Key(object)] != nil { return true }
    guard takes(1) else { return false }
    _ = copy(object, at: 0)
    fillWaiting()
    return true
  }

  private func takes(_ count: Int) -> Bool {
    if count > budget { return false }
    budget -= count
    return true
  }

  private func fillWaiting() {
    while next < waiting.count {
      let (source, copy, depth) = waiting[next]
      next += 1
      fill(copy, from: source, at: depth)
    }
    // Another thread may be freeing an object that was only lent: none outlives the call.
    waiting.removeAll(keepingCapacity: true)
    next = 0
  }

  private func copy(_ object: Object, at depth: Int) -> Object {
    if let (source, copy) = first {
      first = nil
      if source.manager != nil {
        managedCopies[Key(source)] = copy
      } else {
        standaloneCopies[ObjectIdentifier(source)] = copy
      }
    }
    let object = object.lastCopy ?? object
    if object.manager != nil {
      let key = Key(object)
      if let copy = managedCopies[key] { return copy }
      let copy = object.model.newObject()
      managedCopies[key] = copy
      waiting.append((object, copy, depth))
      return copy
    }
    if let copy = standaloneCopies[ObjectIdentifier(object)] { return copy }
    let copy = object.model.newObject()
    standaloneCopies[ObjectIdentifier(object)] = copy
    waiting.append((object, copy, depth))
    return copy
  }

  private func linked(_ object: Object, at depth: Int) -> Object {
    if object.model.model.isEmbedded { return copy(object, at: depth) }
    // What was cancelled has no original to lead to.
    if object.isLastCopy || object.lastCopy != nil { return copy(object, at: depth) }
    if keeps(object) { return object }
    return depth < self.depth ? copy(object, at: depth + 1) : object
  }

  /// Of a copy's copy it is the same; without it the copy is a new object, unless its primary key says otherwise.
  private func origin(of source: Object) -> ObjectOrigin? {
    guard let store = source.manager else {
      let isKnown = remembersOrigin || !source.model.model.primaryKey.isEmpty
      return isKnown ? source.standalone?.origin : nil
    }
    guard remembersOrigin else { return nil }
    return ObjectOrigin(file: store.fileIdentity, row: source.row, outcome: source.outcome)
  }

  private func fill(_ copy: Object, from source: Object, at depth: Int) {
    let storage = copy.standaloneStorage
    if source.isWaitingForRow || source.isLastCopy {
      fill(storage, from: source.standaloneStorage, at: depth)
      return
    }
    let isManaged = source.manager != nil
    source.takeStoredValues { index, value in
      switch value {
      case .link, .object: fill(storage, at: index, from: source, at: depth)
      default: storage.values[index] = .value(value)
      }
    }
    let shapes = source.model.shapes
    for index in shapes.indices {
      switch shapes[index].kind {
      case .none: continue
      case .list:
        storage.values[index] = copyElements(
          of: source.passingCollection(at: index, as: ListCore.self), at: depth)
      case .set:
        storage.values[index] = copyElements(
          of: source.passingCollection(at: index, as: SetCore.self), at: depth)
      case .map:
        storage.values[index] = copyElements(
          of: source.passingCollection(at: index, as: MapCore.self), at: depth)
      case .value: if !isManaged { fill(storage, at: index, from: source, at: depth) }
      }
    }
    storage.origin = origin(of: source)
    if !isManaged { storage.setBesidesKey = source.standalone?.setBesidesKey }
  }

  /// Of an object that is being added, whose row may not be there yet, or one that is remembered of a cancelled transaction.
  private func fill(_ copy: StandaloneStorage, from given: StandaloneStorage, at depth: Int) {
    for (index, value) in given.values.enumerated() {
      copy.values[index] =
        switch value {
        case .value: value
        case .object(let object): takes(1) ? .object(linked(object, at: depth)) : .value(.null)
        case .collection(let core): copyElements(of: core, at: depth)
        }
    }
  }

  private func fill(
    _ storage: StandaloneStorage, at index: Int, from source: Object, at depth: Int
  ) {
    switch source.cell(at: index)?.content {
    case .object(let object):
      if takes(1) { storage.values[index] = .object(linked(object, at: depth)) }
    case .value(let value): storage.values[index] = .value(value)
    case nil: break
    }
  }

  private func copyElements(of core: CollectionCore, at depth: Int) -> StandaloneValue {
    guard takes(core.count) else { return .collection(core.sharedEmpty) }
    let copy = core.detached { linked($0, at: depth) }
    // One that was emptied is to be written.
    if copy.isEmptyStandalone && !(core.store == nil && core.isChanged) {
      return .collection(core.sharedEmpty)
    }
    copy.isChanged = core.store == nil && core.isChanged
    copy.hasOwner = true
    return .collection(copy)
  }
}
