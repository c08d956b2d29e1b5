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
  private let node: ResolvedNode
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

  /// The keys of the sections, in their order.
  public var allKeys: [Key] { sections.map(\.key) }
}

extension SectionedResults: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }

  public subscript(index: Int) -> ResultsSection<Key, Element> {
    let sections = sections
    checkUse(
      sections.indices.contains(index),
      "The section \(index) is outside of the result, which has \(sections.count) sections.")
    return ResultsSection(key: sections[index].key, objects: results[sections[index].range])
  }

  /// The object at a place.
  public subscript(place: SectionPlace) -> Element { self[place.section][place.item] }
}

/// The objects of one key.
public struct ResultsSection<Key: StoredValue & Hashable, Element: Object>: Identifiable {
  /// What the objects have in common. Texts that Swift takes for equal and whose bytes differ, as an accent in two spellings, are two
  /// sections with equal keys.
  public let key: Key
  fileprivate let objects: LiveSlice<Results<Element>>

  public var id: Key { key }
}

extension ResultsSection: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { objects.count }

  public subscript(index: Int) -> Element { objects[objects.startIndex + index] }

  /// Over the objects that the section had when the walk began, also where their keys are changed meanwhile.
  public func makeIterator() -> Results<Element>.PartIterator { objects.makeIterator() }

  public subscript(bounds: Range<Int>) -> LiveSlice<ResultsSection> {
    LiveSlice(self, bounds, of: count, "objects", in: "section")
  }

  // As in ``LiveSlice``: fewer may be read than there are positions.

  public var underestimatedCount: Int { 0 }

  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    objects._copyToContiguousArray()
  }

  public func map<Value, Failure: Error>(
    _ transform: (Element) throws(Failure) -> Value
  ) throws(Failure) -> [Value] { try objects.map(transform) }
}

extension ResultsSection: LiveCollection {
  public func _walk(over positions: Range<Int>) -> Results<Element>.PartIterator {
    let start = objects.startIndex
    return objects.base._walk(over: start + positions.lowerBound..<start + positions.upperBound)
  }
}

/// Where an object stands in sections.
public struct SectionPlace: Hashable, Sendable {
  public var section: Int
  public var item: Int

  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }
}

/// What observers of sections are told.
public enum SectionedChange<Key: StoredValue & Hashable, Element: Object> {
  /// The sections as they are when the observation begins.
  case initial(SectionedResults<Key, Element>)
  /// What has happened since the last call.
  ///
  /// - `deletions` and `modifications` are places in the old sections, `insertions` in the new ones. What moved is deleted and
  ///   inserted.
  /// - `sectionsToDelete` are positions of old sections, `sectionsToInsert` of new ones; what they hold is not told again.
  case update(
    SectionedResults<Key, Element>, deletions: [SectionPlace], insertions: [SectionPlace],
    modifications: [SectionPlace], sectionsToInsert: [Int], sectionsToDelete: [Int])
  /// The objects cannot be read any more; the observation is over.
  case error(StoreError)
}

extension SectionedResults {
  /// Calls a function now with `.initial`, and with `.update` whenever the sections or their objects have changed; otherwise as
  /// ``ObservedCollection/observe(keyPaths:isolation:_:)-([String]?,_,_)``.
  ///
  /// - Returns: a token; the observation ends with it.
  /// - Throws: `StoreError.cannotObserve`, `.invalidQuery` for a key path
  public func observe(
    keyPaths: [String]? = nil, isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping (SectionedChange<Key, Element>) -> Void
  ) throws(StoreError) -> NotificationToken {
    var old = sections
    // What changes an object's key takes it to another section.
    let observed = keyPaths.map { $0 + [keyName] }
    return try results.observe(keyPaths: observed, isolation: isolation) { change in
      switch change {
      case .initial: block(.initial(self))
      case .error(let error): block(.error(error))
      case .update(_, let deletions, let insertions, let modifications, let moves):
        let new = sections
        let (oldGroups, newGroups) = (Set(old.map(\.group)), Set(new.map(\.group)))
        let gone = old.indices.filter { !newGroups.contains(old[$0].group) }
        let come = new.indices.filter { !oldGroups.contains(new[$0].group) }
        let (isGone, isNew) = (Set(gone), Set(come))
        func places(
          _ positions: [Int], _ sections: [Sections.Section], except skipped: Set<Int>
        ) -> [SectionPlace] {
          positions.sorted().compactMap { position in
            let section = sections.partitioningIndex { $0.range.upperBound > position }
            guard section < sections.count, !skipped.contains(section) else { return nil }
            return SectionPlace(
              section: section, item: position - sections[section].range.lowerBound)
          }
        }
        let told = old
        old = new
        var leaving = Set(moves.map(\.from))
        var coming = Set(moves.map(\.to))
        for (from, to) in zip(modifications, change.modificationsInNew)
        where Self.group(at: from, told) != Self.group(at: to, new) {
          leaving.insert(from)
          coming.insert(to)
        }
        block(
          .update(
            self, deletions: places(deletions + leaving, told, except: isGone),
            insertions: places(insertions + coming, new, except: isNew),
            modifications: places(
              modifications.filter { !leaving.contains($0) }, told, except: isGone),
            sectionsToInsert: come, sectionsToDelete: gone))
      }
    }
  }
}

extension SectionedResults {
  /// Which section a position is in.
  private static func group(at position: Int, _ sections: [Sections.Section]) -> Value? {
    let section = sections.partitioningIndex { $0.range.upperBound > position }
    return section < sections.count ? sections[section].group : nil
  }

  private var keyName: String {
    guard case .property(_, let property) = node else { return "" }
    return results.query.access.model.properties[property].name
  }
}

extension Array {
  /// The first index from which on a condition holds, which holds for all that follow.
  fileprivate func partitioningIndex(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
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
