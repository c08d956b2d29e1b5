package import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One property of an object, or one element of a collection, that belongs to no store.
enum StandaloneValue {
  case value(Value)
  case object(Object)
  case collection(CollectionCore)

  init(_ cell: consuming _GeneratedCell) {
    switch cell.content {
    case .value(let value): self = .value(value)
    case .object(let object): self = .object(object)
    }
  }

  /// Whether nothing is freed with it.
  @inline(__always) var isPlain: Bool {
    guard case .value(let value) = self else { return false }
    return switch value {
    case .null, .bool, .int, .float, .double, .date, .link: true
    default: false
    }
  }

  /// Lets go of the value, and hands out the objects that go with it.
  fileprivate consuming func giveUp(to objects: inout [Object]) {
    switch consume self {
    case .value: break
    case .object(let object): objects.append(object)
    case .collection(var core):
      guard !core.isSharedEmpty, isKnownUniquelyReferenced(&core) else { return }
      objects += core.standaloneObjects
      core.forgetStandaloneElements()
    }
  }

  /// The objects that the value leads to.
  var objects: [Object] {
    switch self {
    case .value: []
    case .object(let object): [object]
    case .collection(let core): core.standaloneObjects
    }
  }

  /// Nil for a collection.
  var cell: _GeneratedCell? {
    switch self {
    case .value(let value): _GeneratedCell(value)
    case .object(let object): _GeneratedCell(object)
    case .collection: nil
    }
  }
}

/// What is known of a standalone object besides its values.
struct StandaloneFacts {
  let propertyCount: Int
  /// Which properties were read since watching began; nil while nothing is watched.
  var reads: Set<Int>?
  /// The properties that tracked reads depend on; nil until there is one, because every property that is set asks.
  fileprivate var tracked: [Int: TrackedPlace]?
  /// Of a copy that `detached()` made.
  var origin: ObjectOrigin?
  /// Of an object of which nothing but the primary key was given, because it names one that stands elsewhere: the properties that were
  /// set since. Nil for all others.
  var setBesidesKey: Set<Int>?
  /// Whether the object is one of `LastCopies`.
  var isLastCopy = false
}

/// The values of a standalone object, by property, in one piece of memory: every object that is made has one.
final class StandaloneStorage: ManagedBuffer<StandaloneFacts, StandaloneValue> {
  /// The declared defaults; generated values are drawn now.
  static func make(_ model: _GeneratedModel) -> StandaloneStorage {
    let count = model.defaults.count
    // `create` makes an instance of the class that it is asked of.
    let storage = unsafeDowncast(
      create(minimumCapacity: count) { _ in StandaloneFacts(propertyCount: count) },
      to: StandaloneStorage.self)
    storage.withUnsafeMutablePointerToElements { values in
      for index in 0..<count { (values + index).initialize(to: .value(.null)) }
      for (index, value) in model.givenDefaults { values[index] = .value(value) }
    }
    if model.hasGenerators { storage.generate(model) }
    return storage
  }

  deinit {
    var objects: [Object] = []
    withUnsafeMutablePointers { facts, values in
      // One by one, because all at once asks the run time how.
      for index in 0..<facts.pointee.propertyCount where !values[index].isPlain {
        (values + index).move().giveUp(to: &objects)
      }
    }
    // One after the other: a long chain of objects would need a deep stack.
    while var object = objects.popLast() {
      if isKnownUniquelyReferenced(&object) { object.standalone?.giveUpObjects(to: &objects) }
    }
  }

  /// Hands out the objects that nothing else leads to.
  private func giveUpObjects(to objects: inout [Object]) {
    for index in values.indices where !values[index].isPlain {
      let place = place(of: index)
      let value = place.move()
      place.initialize(to: .value(.null))
      value.giveUp(to: &objects)
    }
  }

  /// Of each property of the model one.
  var values: UnsafeMutableBufferPointer<StandaloneValue> {
    withUnsafeMutablePointers { facts, values in
      UnsafeMutableBufferPointer(start: values, count: facts.pointee.propertyCount)
    }
  }

  // `header` would ask the run time whether others look at it. Nothing here is ever held `inout` while other code runs.
  private var facts: UnsafeMutablePointer<StandaloneFacts> {
    withUnsafeMutablePointerToHeader { $0 }
  }

  var reads: Set<Int>? {
    get { facts.pointee.reads }
    set { facts.pointee.reads = newValue }
  }

  /// Nil once the transaction is cancelled that added the original: another process may give its number to another object.
  var origin: ObjectOrigin? {
    get { facts.pointee.origin.flatMap { $0.outcome?.isCancelled == true ? nil : $0 } }
    set { facts.pointee.origin = newValue }
  }

  var setBesidesKey: Set<Int>? {
    get { facts.pointee.setBesidesKey }
    set { facts.pointee.setBesidesKey = newValue }
  }

  var isLastCopy: Bool {
    get { facts.pointee.isLastCopy }
    set { facts.pointee.isLastCopy = newValue }
  }

  /// Where a property's value is.
  func place(of property: Int) -> UnsafeMutablePointer<StandaloneValue> {
    withUnsafeMutablePointerToElements { $0 + property }
  }

  /// Whether anything wants to know which properties are set.
  var isFollowed: Bool {
    withUnsafeMutablePointerToHeader {
      $0.pointee.tracked != nil || $0.pointee.origin != nil || $0.pointee.setBesidesKey != nil
    }
  }

  /// Remembers that a property was set.
  func noteSet(_ property: Int) {
    let place = facts.pointee.tracked?.removeValue(forKey: property)
    facts.pointee.origin?.changes.insert(property)
    facts.pointee.setBesidesKey?.insert(property)
    place?.tellOfChange()
  }

  func noteTrackedRead(_ property: Int) {
    let place = facts.pointee.tracked?[property] ?? TrackedPlace()
    facts.pointee.tracked = facts.pointee.tracked ?? [:]
    facts.pointee.tracked?[property] = place
    place.noteRead()
  }

  /// Those who have tracked what was read, when the object becomes one of a store, which knows nothing of these reads.
  func takeTracked() -> [TrackedPlace] {
    defer { facts.pointee.tracked = nil }
    return facts.pointee.tracked.map { Array($0.values) } ?? []
  }

  private func generate(_ model: _GeneratedModel) {
    for (index, property) in model.model.properties.enumerated() {
      guard let generator = property.generate else { continue }
      values[index] = .value(generator.newValue())
    }
  }
}

extension Property.Generator {
  package func newValue() -> Value {
    switch self {
    case .uuid: .uuid(UUID().stored)
    case .objectID: .objectID(ObjectID().stored)
    case .now: .date(Date().timeIntervalSinceReferenceDate)
    }
  }
}
