import StrataExpression
import StrataSchema

/// Objects in sections by the value of a property: live, as results are.
///
/// ```swift
/// let people = store.objects(Person.self).sorted(by: \.name).sectioned(by: \.city)
/// for section in people { print(section.key, section.map(\.name)) }
/// ```
/// The sections stand in the order of their keys, nil first. In a section the objects keep the order that they had. The sections are counted by
/// the database, and counted anew when something changes that decides about them.
public struct SectionedResults<Key: StoredValue & Hashable, Element: Object> {
  /// All objects, section by section.
  public let results: Results<Element>
  let node: ResolvedNode
  private let isAscending: Bool
  private let cache = Cache()

  private final class Cache {
    var sections: [Sections.Section] = []
    /// The store's count of changes when they were counted; 0 for never.
    var mark: UInt64 = 0
  }

  /// Which keys there are, and how many objects each has.
  struct Sections {
    struct Section {
      let key: Key
      /// The key as the database tells keys apart: texts by their bytes, which Swift may take for equal.
      let group: Value
      let range: Range<Int>
    }
  }

  init(_ results: Results<Element>, _ node: ResolvedNode, isAscending: Bool) {
    self.node = node
    self.isAscending = isAscending
    self.results = Results(
      results.query.sorted(by: [Query.Sort(node: node, isAscending: isAscending)]))
  }

  var sections: [Sections.Section] {
    let query = results.query
    query.noteRead()
    query.store.lockIfShared()
    defer { query.store.unlockIfShared() }
    guard query.store.prepareToRead() else { return [] }
    if cache.mark != 0, query.dependencies.newestChange <= cache.mark { return cache.sections }
    do {
      var start = 0
      let kind = query.translation().kind(of: node)
      cache.sections = try query.groups(by: node, isAscending: isAscending).map { value, count in
        defer { start += count }
        let key = value.isNull ? nil : Key._generatedValue(of: _GeneratedCell(value))
        return Sections.Section(
          key: key ?? Key._generatedFallback, group: value.sectionKey(as: kind),
          range: start..<start + count)
      }
      cache.mark = query.store.generation
    } catch {
      query.store.fail(error)
    }
    return cache.sections
  }

  /// The same for an observer, which has to know what cannot be read. What could not be read before is not about it.
  func currentSections() throws(StoreError) -> [Sections.Section] {
    let store = results.query.store
    return try store.withoutEarlierError { () throws(StoreError) in
      let counted = sections
      try store.throwPendingError()
      return counted
    }
  }

  /// The keys of the sections, in their order.
  public var allKeys: [Key] { sections.map(\.key) }
}

extension SectionedResults: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }

  public subscript(index: Int) -> ResultsSection<Key, Element> {
    let sections = sections
    guard sections.indices.contains(index) else {
      // As of a result, what cannot be read stops no program.
      if index >= 0, results.query.store.cannotRead {
        return ResultsSection(key: Key._generatedFallback, objects: LiveSlice(results, 0..<0))
      }
      misuse("The section \(index) is outside of the result, which has \(sections.count) sections.")
    }
    return ResultsSection(key: sections[index].key, objects: results[sections[index].range])
  }

  /// The object at a place.
  public subscript(place: SectionPlace) -> Element { self[place.section][place.item] }

  /// Over the sections and the objects that were there when the walk began, whatever is changed meanwhile. It reads the identities of all objects; where
  /// keys and counts are enough, ``allKeys`` and positions read none.
  public func makeIterator() -> Iterator { Iterator(self) }

  // As in ``LiveSlice``: there may be fewer sections by the end than there were.

  public var underestimatedCount: Int { 0 }

  public func _copyToContiguousArray() -> ContiguousArray<ResultsSection<Key, Element>> {
    ContiguousArray(IteratorSequence(makeIterator()))
  }

  public func map<Value, Failure: Error>(
    _ transform: (ResultsSection<Key, Element>) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    var values: [Value] = []
    var iterator = makeIterator()
    while let section = iterator.next() { values.append(try transform(section)) }
    return values
  }

  /// Walks over sections.
  public struct Iterator: IteratorProtocol {
    private let results: Results<Element>
    private var sections: ArraySlice<Sections.Section>
    private let rows: [Int64]

    fileprivate init(_ sectioned: SectionedResults) {
      results = sectioned.results
      sections = sectioned.sections[...]
      rows = results.window.rows(at: 0..<(sections.last?.range.upperBound ?? 0))
    }

    public mutating func next() -> ResultsSection<Key, Element>? {
      guard let section = sections.popFirst() else { return nil }
      return ResultsSection(
        key: section.key, objects: LiveSlice(results, section.range),
        rows: rows[section.range.clamped(to: rows.indices)])
    }
  }
}

/// The objects of one key.
public struct ResultsSection<Key: StoredValue & Hashable, Element: Object>: Identifiable {
  /// What the objects have in common. Texts that Swift takes for equal and whose bytes differ, as an accent in two spellings, are two
  /// sections with equal keys.
  public let key: Key
  fileprivate let objects: LiveSlice<Results<Element>>
  /// The identities of the objects that a walk over the sections began with.
  fileprivate var rows: ArraySlice<Int64>?

  public var id: Key { key }
}

extension ResultsSection: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { rows?.count ?? objects.count }

  /// In a walk over sections the object that stood there when the walk began; it may be deleted by then.
  public subscript(index: Int) -> Element {
    guard let rows else {
      let results = objects.base
      if index >= objects.count, results.query.store.cannotRead { return results.missingElement }
      return objects[objects.startIndex + index]
    }
    checkUse(
      rows.indices.contains(rows.startIndex + index) && index >= 0,
      "The index \(index) is outside of the section, which has \(rows.count) objects.")
    return unsafeDowncast(
      objects.base.query.access.object(rows[rows.startIndex + index]), to: Element.self)
  }

  /// Over the objects that the section had when the walk began, or the walk over the sections in which it was met, also where their keys are changed
  /// meanwhile.
  public func makeIterator() -> Results<Element>.PartIterator {
    rows.map { Results<Element>.PartIterator(Array($0), of: objects.base.query) }
      ?? objects.makeIterator()
  }

  public subscript(bounds: Range<Int>) -> LiveSlice<ResultsSection> {
    LiveSlice(self, bounds, of: count, "objects", in: "section")
  }

  // As in ``LiveSlice``: fewer may be read than there are positions.

  public var underestimatedCount: Int { 0 }

  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    ContiguousArray(IteratorSequence(makeIterator()))
  }

  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] {
    var values: [Value] = []
    var iterator = makeIterator()
    while let object = iterator.next() { values.append(try transform(object)) }
    return values
  }
}

extension ResultsSection: LiveCollection {
  public func _walk(over positions: Range<Int>) -> Results<Element>.PartIterator {
    if let rows {
      let (start, end) = (
        rows.startIndex + positions.lowerBound, rows.startIndex + positions.upperBound
      )
      return Results<Element>.PartIterator(
        Array(rows[(start..<end).clamped(to: rows.startIndex..<rows.endIndex)]),
        of: objects.base.query)
    }
    let start = objects.startIndex
    return objects.base._walk(over: start + positions.lowerBound..<start + positions.upperBound)
  }
}

extension Results {
  /// The objects in sections by the value of a property.
  public func sectioned<Key: StoredValue & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    SectionedResults(self, query.access.node(of: keyPath), isAscending: ascending)
  }
}

extension ObjectCollection {
  /// The objects in sections by the value of a property.
  ///
  /// - Throws: `StoreError.notManaged` where the collection belongs to no store
  public func sectioned<Key: StoredValue & Hashable>(
    by keyPath: KeyPath<QueriedObject, Key>, ascending: Bool = true
  ) throws(StoreError) -> SectionedResults<Key, QueriedObject> {
    try results().sectioned(by: keyPath, ascending: ascending)
  }
}
