import StrataSchema
import Synchronization

/// The elements of a set that belongs to no store.
struct StandaloneSet {
  /// What an element is looked for by. An object that is added to a store while it is an element gets another one, so that the
  /// instance, which it keeps, is looked for as well.
  private enum Key: Hashable {
    case value(Value)
    case instance(ObjectIdentifier)
    case row(model: String, Int64)
  }

  private(set) var elements: [StandaloneValue] = []
  private var places: [Key: Int] = [:]
  /// The elements that belonged to no store when they were looked at last, which other objects are not found by.
  private(set) var newcomers: Set<ObjectIdentifier> = []
  /// How many additions there were when the newcomers were looked at last.
  private var seenAdditions = Additions.count

  var count: Int { elements.count }

  private static func keys(of element: StandaloneValue) -> [Key] {
    switch element {
    case .value(let value): return [.value(value.setKey)]
    case .object(let object):
      let instance = Key.instance(ObjectIdentifier(object))
      return object.manager == nil ? [instance] : [instance, rowKey(of: object)]
    case .collection: return []
    }
  }

  /// Of the row that the object has or had, by which it is the same as another.
  private static func rowKey(of object: Object) -> Key {
    .row(model: object.model.model.name, object.givenRow)
  }

  mutating func index(of element: StandaloneValue) -> Int? {
    for key in Self.keys(of: element) {
      // Rows of two files may have one number.
      if let index = places[key], holds(element, at: index) { return index }
    }
    guard case .object(let object) = element, object.manager != nil else { return nil }
    findNewRows()
    guard let index = places[Self.rowKey(of: object)] else { return nil }
    return holds(element, at: index)
      ? index : elements.firstIndex { $0.isSameElement(as: element) }
  }

  private func holds(_ element: StandaloneValue, at index: Int) -> Bool {
    index < elements.count && elements[index].isSameElement(as: element)
  }

  /// Has those found by their rows that have become one. Each is looked at once after it did, and the others only when an object
  /// was added meanwhile, whichever it was: else each question about an object that is no element would look through all of them.
  private mutating func findNewRows() {
    let additions = Additions.count
    if additions == seenAdditions { return }
    seenAdditions = additions
    for identifier in newcomers {
      guard let index = places[.instance(identifier)], index < elements.count,
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
    for key in Self.keys(of: element) { note(key, at: index) }
    if case .object(let object) = element, object.manager == nil {
      newcomers.insert(ObjectIdentifier(object))
    }
  }

  private mutating func note(_ key: Key, at index: Int) {
    if places[key] == nil { places[key] = index }
  }

  mutating func insert(_ element: StandaloneValue) {
    note(element, at: elements.count)
    elements.append(element)
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
    for key in Self.keys(of: element) where places[key] == index { places[key] = nil }
    if case .object(let object) = element { newcomers.remove(ObjectIdentifier(object)) }
  }

  mutating func removeAll() { self = StandaloneSet() }
}

/// How often objects of the program have become rows, of whichever store.
enum Additions {
  private static let noted = Atomic<Int>(0)

  static var count: Int { noted.load(ordering: .relaxed) }

  static func note() { noted.wrappingAdd(1, ordering: .relaxed) }
}
