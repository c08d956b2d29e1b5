import StrataSchema
import Synchronization

/// The elements of a set that belongs to no store.
struct StandaloneSet {
  /// What an object is looked for by. One that is added to a store while it is an element gets another key, so that the
  /// instance, which it keeps, is looked for as well.
  private enum ObjectKey: Hashable {
    case instance(ObjectIdentifier)
    case row(model: String, Int64)
  }

  private(set) var elements: [StandaloneValue] = []
  /// Where each value is, by what a set takes for equal.
  private var placesOfValues: [Value: Int] = [:]
  private var placesOfObjects: [ObjectKey: Int] = [:]
  /// The elements that belonged to no store when they were looked at last, which other objects are not found by.
  private(set) var newcomers: Set<ObjectIdentifier> = []
  /// How many additions there were when the newcomers were looked at last.
  private var seenAdditions = Additions.count

  var count: Int { elements.count }

  private static func keys(of object: Object) -> [ObjectKey] {
    let instance = ObjectKey.instance(ObjectIdentifier(object))
    return object.manager == nil ? [instance] : [instance, rowKey(of: object)]
  }

  /// Of the row that the object has or had, by which it is the same as another.
  private static func rowKey(of object: Object) -> ObjectKey {
    .row(model: object.model.model.name, object.givenRow)
  }

  mutating func index(of element: StandaloneValue) -> Int? {
    switch element {
    case .value(let value): placesOfValues[value.setKey]
    case .object(let object): index(of: object)
    case .collection: nil
    }
  }

  private mutating func index(of object: Object) -> Int? {
    for key in Self.keys(of: object) {
      // Rows of two files may have one number.
      if let index = placesOfObjects[key], holds(object, at: index) { return index }
    }
    if object.manager == nil { return nil }
    findNewRows()
    guard let index = placesOfObjects[Self.rowKey(of: object)] else { return nil }
    return holds(object, at: index)
      ? index : elements.firstIndex { $0.isSameElement(as: .object(object)) }
  }

  private func holds(_ object: Object, at index: Int) -> Bool {
    index < elements.count && elements[index].isSameElement(as: .object(object))
  }

  /// Has those found by their rows that have become one. Each is looked at once after it did, and the others only when an object
  /// was added meanwhile, whichever it was: else each question about an object that is no element would look through all of them.
  private mutating func findNewRows() {
    let additions = Additions.count
    if additions == seenAdditions { return }
    seenAdditions = additions
    for identifier in newcomers {
      guard let index = placesOfObjects[.instance(identifier)], index < elements.count,
        case .object(let object) = elements[index]
      else {
        newcomers.remove(identifier)
        continue
      }
      if object.manager == nil { continue }
      newcomers.remove(identifier)
      note(Self.rowKey(of: object), at: index)
    }
  }

  private mutating func note(_ element: StandaloneValue, at index: Int) {
    switch element {
    case .value(let value): placesOfValues[value.setKey] = index
    case .object(let object):
      for key in Self.keys(of: object) { note(key, at: index) }
      if object.manager == nil { newcomers.insert(ObjectIdentifier(object)) }
    case .collection: break
    }
  }

  private mutating func note(_ key: ObjectKey, at index: Int) {
    if placesOfObjects[key] == nil { placesOfObjects[key] = index }
  }

  /// - Returns: whether it was not there before.
  @discardableResult
  mutating func insert(_ element: StandaloneValue) -> Bool {
    if case .value(let value) = element {
      // A value is looked for once, and most often it is new.
      if let index = placesOfValues.updateValue(elements.count, forKey: value.setKey) {
        placesOfValues[value.setKey] = index
        return false
      }
    } else {
      if index(of: element) != nil { return false }
      note(element, at: elements.count)
    }
    elements.append(element)
    return true
  }

  /// The last element takes the place, because the order of a set says nothing.
  mutating func remove(at index: Int) {
    forget(elements[index], index)
    let last = elements.removeLast()
    if index < elements.count {
      forget(last, elements.count)
      elements[index] = last
      note(last, at: index)
    }
  }

  private mutating func forget(_ element: StandaloneValue, _ index: Int) {
    switch element {
    case .value(let value): placesOfValues[value.setKey] = nil
    case .object(let object):
      for key in Self.keys(of: object) where placesOfObjects[key] == index {
        placesOfObjects[key] = nil
      }
      newcomers.remove(ObjectIdentifier(object))
    case .collection: break
    }
  }

  mutating func removeAll() { self = StandaloneSet() }
}

/// How often objects of the program have become rows, of whichever store.
enum Additions {
  private static let noted = Atomic<Int>(0)

  static var count: Int { noted.load(ordering: .relaxed) }

  static func note() { noted.wrappingAdd(1, ordering: .relaxed) }
}
