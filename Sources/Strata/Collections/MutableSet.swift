/// An unordered collection of values or objects that a property holds, each once.
///
/// A set is a reference: `person.tags` gives the same set each time, and changing it changes the person.
public final class MutableSet<Element: StoredElement> {
  let core: SetCore

  init(core: SetCore) { self.core = core }

  /// A set that belongs to nothing.
  public init() { core = SetCore() }

  /// A set that belongs to nothing, of these elements.
  public convenience init(_ elements: some Sequence<Element>) {
    self.init()
    formUnion(elements)
  }

  /// Whether the set's owner was deleted, or its store closed.
  public var isInvalidated: Bool { core.isInvalidated }

  /// The store that the set belongs to, nil for a standalone one.
  public var store: Store? { core.store }
}

extension MutableSet: RandomAccessCollection {
  // The order says nothing; positions make the set a collection that SwiftUI and others can show.
  public var startIndex: Int { 0 }
  public var endIndex: Int { core.count }

  public subscript(index: Int) -> Element {
    checkUse(
      index >= 0 && index < core.count,
      "The index \(index) is outside of the set, which has \(core.count) elements.")
    return Element._generatedValue(of: core.element(at: index)) ?? Element._generatedFallback
  }

  public func makeIterator() -> ElementIterator<Element> { ElementIterator(core.snapshot) }

  public subscript(bounds: Range<Int>) -> LiveSlice<MutableSet> {
    LiveSlice(self, bounds, of: core.count, "elements", in: "set")
  }
}

extension MutableSet: LiveCollection {
  public func _walk(over positions: Range<Int>) -> ElementIterator<Element> {
    ElementIterator(core.snapshot, over: positions)
  }
}

extension MutableSet {
  public func contains(_ element: Element) -> Bool {
    core.index(of: StandaloneValue(element._generatedCell)) != nil
  }

  /// - Returns: whether the element was not there before.
  @discardableResult
  public func insert(_ element: Element) -> Bool {
    core.insert(StandaloneValue(element._generatedCell))
  }

  public func insert(contentsOf elements: some Sequence<Element>) { formUnion(elements) }

  /// - Returns: whether the element was there.
  @discardableResult
  public func remove(_ element: Element) -> Bool {
    core.remove(StandaloneValue(element._generatedCell))
  }

  public func removeAll() { core.removeAll() }

  public func formUnion(_ other: some Sequence<Element>) {
    core.willAdd(atLeast: other.underestimatedCount)
    for element in other { insert(element) }
  }

  public func subtract(_ other: some Sequence<Element>) {
    for element in Array(other) { remove(element) }
  }

  public func formIntersection(_ other: some Sequence<Element>) {
    let kept = MutableSet(other)
    for element in Array(self) where !kept.contains(element) { remove(element) }
  }

  public func isSubset(of other: MutableSet) -> Bool { allSatisfy(other.contains) }

  public func intersects(_ other: MutableSet) -> Bool { contains(where: other.contains) }
}

extension MutableSet: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension MutableSet: CustomStringConvertible {
  public var description: String { "{\(map { "\($0)" }.joined(separator: ", "))}" }
}
