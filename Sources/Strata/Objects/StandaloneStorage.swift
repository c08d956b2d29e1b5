import StrataSchema

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

  /// Nil for a collection.
  var cell: _GeneratedCell? {
    switch self {
    case .value(let value): _GeneratedCell(value)
    case .object(let object): _GeneratedCell(object)
    case .collection: nil
    }
  }
}

/// The values of a standalone object, by property.
final class StandaloneStorage {
  /// Which properties were read since watching began; nil while nothing is watched.
  @exclusivity(unchecked) var reads: Set<Int>?
  @exclusivity(unchecked) var values: [StandaloneValue]
  /// The properties that tracked reads depend on; nil until there is one, because every property that is set asks.
  @exclusivity(unchecked) private var tracked: [Int: TrackedPlace]?
  /// Of a copy that `detached()` made.
  @exclusivity(unchecked) var origin: ObjectOrigin?

  /// Sets a property, and remembers that it was.
  func set(_ property: Int, to value: consuming StandaloneValue) {
    // Exchanged, because an assignment copies the value and its references.
    swap(&values[property], &value)
    if tracked != nil {
      let place = tracked?.removeValue(forKey: property)
      place?.tellOfChange()
    }
    if origin != nil { origin?.changes.insert(property) }
  }

  func noteTrackedRead(_ property: Int) {
    let place = tracked?[property] ?? TrackedPlace()
    tracked = tracked ?? [:]
    tracked?[property] = place
    place.noteRead()
  }

  /// When the object becomes one of a store, which knows nothing of these reads.
  func tellOfStore() {
    guard let places = tracked?.values else { return }
    tracked = nil
    for place in places { place.tellOfChange() }
  }

  /// The declared defaults; generated values are drawn now.
  init(_ model: _GeneratedModel) {
    values = model.defaults.map(StandaloneValue.value)
    guard model.hasGenerators else { return }
    for (index, property) in model.model.properties.enumerated() {
      guard let generator = property.generate else { continue }
      values[index] = .value(generator.newValue())
    }
  }
}

extension Property.Generator {
  func newValue() -> Value {
    switch self {
    case .uuid: .uuid(UUID().stored)
    case .objectID: .objectID(ObjectID().stored)
    case .now: .date(Date().timeIntervalSinceReferenceDate)
    }
  }
}
