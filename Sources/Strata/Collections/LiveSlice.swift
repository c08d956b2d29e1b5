/// A collection that may change while it is walked over. A walk over a part of it goes over the elements that the part had when
/// the walk began, as a walk over all of it does.
public protocol LiveCollection<Element>: RandomAccessCollection where Index == Int {
  /// Walks over a part.
  associatedtype PartIterator: IteratorProtocol<Element>

  /// For Strata's own use: slices begin their walks with it.
  func _walk(over positions: Range<Int>) -> PartIterator
}

/// A part of a live collection, as `prefix`, `dropFirst`, `suffix` and `collection[1..<5]` give it: positions, whose elements are
/// those of the collection whenever they are looked at.
///
/// A walk goes over the elements that stood there when it began, whatever is changed meanwhile:
///
/// ```swift
/// let waiting = store.objects(Job.self).where { $0.state == .waiting }
/// try store.write { for job in waiting.prefix(10) { job.state = .running } }
/// ```
public struct LiveSlice<Base: LiveCollection>: RandomAccessCollection {
  public typealias Element = Base.Element
  public typealias SubSequence = LiveSlice

  public internal(set) var base: Base
  let bounds: Range<Int>

  init(_ base: Base, _ bounds: Range<Int>) {
    self.base = base
    self.bounds = bounds
  }

  /// A part of a collection that has so many elements.
  /// - Parameters:
  ///   - kind: what the collection is called where there is no such part.
  ///   - elements: what is in it.
  init(_ base: Base, _ bounds: Range<Int>, of count: Int, _ elements: String, in kind: String) {
    checkUse(
      bounds.lowerBound >= 0 && bounds.upperBound <= count,
      "The range \(bounds) is outside of the \(kind), which has \(count) \(elements).")
    self.init(base, bounds)
  }

  public var startIndex: Int { bounds.lowerBound }
  public var endIndex: Int { bounds.upperBound }

  // The library's own steps from one position to another compare each with both ends.
  public func index(after index: Int) -> Int { index + 1 }
  public func index(before index: Int) -> Int { index - 1 }
  public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }
  public func distance(from start: Int, to end: Int) -> Int { end - start }

  public subscript(index: Int) -> Base.Element {
    check(index)
    return base[index]
  }

  public subscript(bounds: Range<Int>) -> LiveSlice {
    checkUse(
      bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex,
      "The range \(bounds) is outside of the slice, which has the positions \(self.bounds).")
    return LiveSlice(base, bounds)
  }

  public func makeIterator() -> Base.PartIterator { base._walk(over: bounds) }

  // The library's own take as many elements as there are positions, and stop the program where fewer can be read: of a damaged
  // file, of a store that was closed, or where objects were deleted meanwhile.

  public var underestimatedCount: Int { 0 }

  public func _copyToContiguousArray() -> ContiguousArray<Base.Element> {
    var elements: ContiguousArray<Base.Element> = []
    var iterator = makeIterator()
    while let element = iterator.next() { elements.append(element) }
    return elements
  }

  public func map<Value, Failure: Error>(
    _ transform: (Base.Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    var values: [Value] = []
    var iterator = makeIterator()
    while let element = iterator.next() { values.append(try transform(element)) }
    return values
  }

  fileprivate func check(_ index: Int) {
    checkUse(
      bounds.contains(index),
      "The index \(index) is outside of the slice, which has the positions \(bounds).")
  }
}

extension LiveSlice: MutableCollection where Base: MutableCollection {
  /// Elements change their places, as in the collection itself.
  public mutating func swapAt(_ first: Int, _ second: Int) {
    check(first)
    check(second)
    base.swapAt(first, second)
  }

  public subscript(index: Int) -> Base.Element {
    get {
      check(index)
      return base[index]
    }
    set {
      check(index)
      base[index] = newValue
    }
  }

  public subscript(bounds: Range<Int>) -> LiveSlice {
    get {
      checkUse(
        bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex,
        "The range \(bounds) is outside of the slice, which has the positions \(self.bounds).")
      return LiveSlice(base, bounds)
    }
    set {
      // What was changed through a slice of it is in the collection already.
      if newValue.bounds == bounds, newValue.base as AnyObject === base as AnyObject { return }
      let elements = Array(newValue)
      checkUse(
        elements.count == bounds.count,
        "\(elements.count) elements are given for the \(bounds.count) positions \(bounds).")
      for (index, element) in zip(bounds, elements) { self[index] = element }
    }
  }
}

extension LiveSlice where Base: MutableCollection {
  /// Brings the elements of the part into an order; those that are equal in it stay as they stand.
  public mutating func sort(
    by areInIncreasingOrder: (Base.Element, Base.Element) throws -> Bool
  ) rethrows {
    for (first, second) in try Array(self).swaps(sortingBy: areInIncreasingOrder) {
      swapAt(startIndex + first, startIndex + second)
    }
  }
}

extension LiveSlice where Base: MutableCollection, Base.Element: Comparable {
  /// Brings the elements of the part into their order.
  public mutating func sort() { sort(by: <) }
}

extension Array {
  /// Which positions are exchanged, one pair after the other, to bring the elements into an order; those that are equal in it stay as they stand.
  func swaps(
    sortingBy areInIncreasingOrder: (Element, Element) throws -> Bool
  ) rethrows -> [(Int, Int)] {
    let order = try indices.sorted { try areInIncreasingOrder(self[$0], self[$1]) }
    // Which of the elements stands at each place by then, and where each stands.
    var (standing, places) = ([Int](indices), [Int](indices))
    var swaps: [(Int, Int)] = []
    for (place, element) in order.enumerated() where standing[place] != element {
      let other = places[element]
      swaps.append((place, other))
      standing.swapAt(place, other)
      places[standing[other]] = other
      places[element] = place
    }
    return swaps
  }
}
