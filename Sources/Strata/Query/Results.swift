/// Objects of one model, as they are whenever they are looked at.
///
/// A result is a question, not an answer: nothing is read before it is used, each use reads the store's current
/// view, and filtering and sorting a result only asks a narrower question. Walking over a result takes memory that
/// does not depend on the number of objects; its elements are read one after the other.
public struct Results<Element: Object> {
  let query: Query
  let window: ResultWindow

  init(_ access: ModelAccess) { self.init(Query(access)) }

  init(_ query: Query) { self.init(query, ResultWindow(query)) }

  init(_ query: Query, _ window: ResultWindow) {
    self.query = query
    self.window = window
  }

  /// The store that the objects belong to.
  public var store: Store? { query.store }
}

extension Results: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { window.count }

  /// The number of objects; counted by the database.
  public var count: Int { window.count }

  public var isEmpty: Bool { window.row(at: 0) == nil }

  public var first: Element? { window.row(at: 0).flatMap { query.access.object($0) as? Element } }

  public var last: Element? {
    let count = count
    return count == 0
      ? nil : window.row(at: count - 1).flatMap { query.access.object($0) as? Element }
  }

  public subscript(index: Int) -> Element {
    guard index >= 0, let row = window.row(at: index) else {
      // What cannot be read stops no program: the store's next call that can throws why.
      if index >= 0, query.store.cannotRead { return missingElement }
      misuse(
        "The index \(index) is outside of the result, which has \(count) objects.")
    }
    return unsafeDowncast(query.access.object(row), to: Element.self)
  }

  /// What stands at a position that cannot be read: an object that is not there.
  var missingElement: Element {
    unsafeDowncast(query.access.object(WriteOutcome.noRow), to: Element.self)
  }

  // The library's own steps from one position to another compare each with the end, and finding the end is counting all.
  public func index(after index: Int) -> Int { index + 1 }
  public func index(before index: Int) -> Int { index - 1 }
  public func index(_ index: Int, offsetBy distance: Int) -> Int { index + distance }
  public func distance(from start: Int, to end: Int) -> Int { end - start }

  public subscript(bounds: Range<Int>) -> LiveSlice<Results> {
    check(bounds)
    return LiveSlice(self, bounds)
  }

  func check(_ bounds: Range<Int>) {
    // As of a position, what cannot be read stops no program.
    checkUse(
      bounds.lowerBound >= 0
        && (bounds.isEmpty || window.row(at: bounds.upperBound - 1) != nil
          || query.store.cannotRead),
      "The range \(bounds) is outside of the result, which has \(count) objects.")
  }

  /// The first so many objects at most; no more of them are read, nor counted.
  public func prefix(_ maximum: Int) -> LiveSlice<Results> {
    checkUse(maximum >= 0, "A result has no first \(maximum) objects.")
    return LiveSlice(self, 0..<window.count(upTo: maximum))
  }

  public func makeIterator() -> Iterator { Iterator(query.makeCursor()) }

  // The library's own take as many objects as were counted, and stop the program where fewer can be read: of a damaged file, or of a
  // store that was closed.

  public var underestimatedCount: Int { 0 }

  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    var objects: ContiguousArray<Element> = []
    let iterator = makeIterator()
    while let object = iterator.next() { objects.append(object) }
    return objects
  }

  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    var values: [Value] = []
    let iterator = makeIterator()
    while let object = iterator.next() { values.append(try transform(object)) }
    return values
  }

  /// Walks over the objects of a result.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let cursor: RowCursor?

    init(_ cursor: RowCursor?) { self.cursor = cursor }

    @inlinable public func next() -> Element? {
      guard let object = cursor?.next() else { return nil }
      return unsafeDowncast(object, to: Element.self)
    }
  }
}

extension Results: LiveCollection {
  public func _walk(over positions: Range<Int>) -> PartIterator {
    PartIterator(window.rows(at: positions), of: query)
  }

  /// Walks over the objects that stood at some positions; one that was deleted meanwhile is passed over.
  public struct PartIterator: IteratorProtocol {
    private let query: Query?
    private let rows: [Int64]
    private var index = 0

    init(_ rows: [Int64], of query: Query) {
      self.query = query
      self.rows = rows
    }

    /// Over nothing.
    init() {
      query = nil
      rows = []
    }

    public mutating func next() -> Element? {
      guard let query else { return nil }
      while index < rows.count, query.store.prepareToRead() {
        let object = query.access.object(rows[index], isRead: true)
        index += 1
        object.readRow(of: query.store)
        if !object.isMissing { return unsafeDowncast(object, to: Element.self) }
      }
      return nil
    }
  }
}

extension Results {
  /// How SQLite finds the objects, a line a step.
  package func explanation() throws -> [String] { try query.explanation() }

  /// How SQLite counts them.
  package func explanationOfCount() throws -> [String] { try query.explanation(ofCount: true) }
}
