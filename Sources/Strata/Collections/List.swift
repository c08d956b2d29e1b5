/// An ordered collection of values or objects that a property holds. It may repeat.
///
/// A list is a reference: `person.dogs` is the same list each time, though not always the same instance, and changing it changes
/// the person.
/// A managed list is changed inside of `Store.write(_:)`; inserting and moving write one row, however long the list
/// is. An object that belongs to no store is added to it when it comes into a managed list.
///
/// ```swift
/// try store.write {
///   person.dogs.append(rex)
///   person.dogs.move(from: 2, to: 0)
/// }
/// ```
public final class List<Element: StoredElement> {
  let core: ListCore

  init(core: ListCore) { self.core = core }

  /// A list that belongs to nothing.
  public init() { core = ListCore() }

  /// A list that belongs to nothing, of these elements.
  public convenience init(_ elements: some Sequence<Element>) {
    self.init()
    append(contentsOf: elements)
  }

  /// The same of an array, which is what initialisers of objects take, and most often an empty one.
  public convenience init(_ elements: [Element]) {
    self.init()
    if !elements.isEmpty { append(contentsOf: elements) }
  }

  /// Whether the list's owner was deleted, or its store closed.
  public var isInvalidated: Bool { core.isInvalidated }

  /// The store that the list belongs to, nil for a standalone one.
  public var store: Store? { core.store }
}

extension List: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { core.count }

  public subscript(index: Int) -> Element {
    get {
      checkUse(
        index >= 0 && index < core.count,
        "The index \(index) is outside of the list, which has \(core.count) elements.")
      return Element._generatedValue(of: core.element(at: index)) ?? Element._generatedFallback
    }
    set { core.set(StandaloneValue(newValue._generatedCell), at: index) }
  }

  public func makeIterator() -> ElementIterator<Element> { ElementIterator(core.snapshot) }

  public subscript(bounds: Range<Int>) -> LiveSlice<List> {
    get { LiveSlice(self, bounds, of: core.count, "elements", in: "list") }
    set {
      // What was changed through a slice of the list is in it already.
      if newValue.base === self, newValue.bounds == bounds { return }
      replaceSubrange(bounds, with: Array(newValue))
    }
  }
}

extension List: LiveCollection {
  public func _walk(over positions: Range<Int>) -> ElementIterator<Element> {
    ElementIterator(core.snapshot, over: positions)
  }
}

extension List {
  public func append(_ element: Element) {
    core.append(StandaloneValue(element._generatedCell))
  }

  public func append(contentsOf elements: some Sequence<Element>) {
    core.willAdd(atLeast: elements.underestimatedCount)
    for element in elements { append(element) }
  }

  public func insert(_ element: Element, at index: Int) {
    core.insert(StandaloneValue(element._generatedCell), at: index)
  }

  public func insert(contentsOf elements: some Collection<Element>, at index: Int) {
    // They may be a part of this list, which would move on while they are read.
    for (offset, element) in Array(elements).enumerated() { insert(element, at: index + offset) }
  }

  /// Puts another element in this place.
  public func replace(at index: Int, with element: Element) { self[index] = element }

  /// Puts other elements in the place of these.
  public func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Element>) {
    guard let new = core.withoutPlaces(elements.map { StandaloneValue($0._generatedCell) }) else {
      return
    }
    removeSubrange(range)
    for (offset, element) in new.enumerated() {
      core.insert(element, at: range.lowerBound + offset)
    }
  }

  /// Takes an element out of the list; an object stays in the store, an embedded one is deleted.
  public func remove(at index: Int) { core.remove(at: index) }

  public func remove(atOffsets offsets: some Sequence<Int>) {
    for index in Set(offsets).sorted(by: >) { remove(at: index) }
  }

  public func removeFirst(_ count: Int = 1) {
    for _ in 0..<count { remove(at: 0) }
  }

  public func removeLast(_ count: Int = 1) {
    for _ in 0..<count { remove(at: endIndex - 1) }
  }

  public func removeSubrange(_ range: Range<Int>) {
    for index in range.reversed() { remove(at: index) }
  }

  public func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    for index in try indices.filter({ try shouldBeRemoved(self[$0]) }).reversed() {
      remove(at: index)
    }
  }

  public func removeAll() { core.removeAll() }

  /// Takes the element at `source` to where it has the index `target` in the end.
  public func move(from source: Int, to target: Int) { core.move(from: source, to: target) }

  public func swapAt(_ first: Int, _ second: Int) { core.swapAt(first, second) }

  /// Brings the elements into an order; those that are equal in it stay as they stand. Elements change their places alone, so that embedded objects stay
  /// the objects that they are.
  public func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    for (first, second) in try Array(self).swaps(sortingBy: areInIncreasingOrder) {
      swapAt(first, second)
    }
  }
}

extension List where Element: Comparable {
  /// Brings the elements into their order.
  public func sort() { sort(by: <) }
}

extension List where Element: Equatable {
  /// The first place of an element, compared as objects and values are.
  public func index(of element: Element) -> Int? { firstIndex(of: element) }

  /// The first place of an element. A stored list remembers where its numbers, texts and identifiers are.
  public func firstIndex(of element: Element) -> Int? {
    if let value = core.findableValue(element._generatedCell) { return core.index(of: value) }
    return firstIndex { $0 == element }
  }

  /// Whether an element is in the list.
  public func contains(_ element: Element) -> Bool {
    if let value = core.findableValue(element._generatedCell) { return core.contains(value) }
    return contains { $0 == element }
  }
}

extension List where Element: Object {
  /// The first place of an object.
  public func index(of object: Element) -> Int? { core.index(of: object) }

  /// The first place of an object.
  public func firstIndex(of object: Element) -> Int? { core.index(of: object) }

  public func contains(_ object: Element) -> Bool { core.index(of: object) != nil }
}

extension List: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension List: CustomStringConvertible {
  public var description: String { "[\(map { "\($0)" }.joined(separator: ", "))]" }
}

extension Object: StoredElement {
  public var _generatedCell: _GeneratedCell { _GeneratedCell(self) }

  public static func _generatedValue(of cell: _GeneratedCell) -> Self? { cell.object as? Self }

  public static var _generatedFallback: Self { self.init() }
}
