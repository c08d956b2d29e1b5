import StrataSchema

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
  /// Whether an object belonged to no store when it became an element.
  private var hasNewObjects = false

  var count: Int { elements.count }

  private static func keys(of element: StandaloneValue) -> [Key] {
    switch element {
    case .value(let value): return [.value(value.setKey)]
    case .object(let object):
      let instance = Key.instance(ObjectIdentifier(object))
      if object.manager == nil { return [instance] }
      return [instance, .row(model: object.model.model.name, object.row)]
    case .collection: return []
    }
  }

  func index(of element: StandaloneValue) -> Int? {
    for key in Self.keys(of: element) {
      // Rows of two files may have one number.
      if let index = places[key], elements[index].isSameElement(as: element) { return index }
    }
    guard case .object(let object) = element, object.manager != nil else { return nil }
    // Another instance of a row, which may have become one since, or share its number with one of another file.
    if !hasNewObjects, places[.row(model: object.model.model.name, object.row)] == nil {
      return nil
    }
    return elements.firstIndex { $0.isSameElement(as: element) }
  }

  mutating func insert(_ element: StandaloneValue) {
    for key in Self.keys(of: element) where places[key] == nil { places[key] = elements.count }
    if case .object(let object) = element, object.manager == nil { hasNewObjects = true }
    elements.append(element)
  }

  /// The last element takes the place, because the order of a set says nothing.
  mutating func remove(at index: Int) {
    forget(elements[index], index)
    let last = elements.removeLast()
    if index < elements.count {
      forget(last, elements.count)
      elements[index] = last
      for key in Self.keys(of: last) where places[key] == nil { places[key] = index }
    }
  }

  private mutating func forget(_ element: StandaloneValue, _ index: Int) {
    for key in Self.keys(of: element) where places[key] == index { places[key] = nil }
  }

  mutating func removeAll() { self = StandaloneSet() }
}
