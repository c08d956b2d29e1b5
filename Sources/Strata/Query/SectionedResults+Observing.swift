import StrataExpression
import StrataSchema

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
    let observation = results._generatedObservation
    let store = try Store.observed(observation.store, observation.name)
    // What changes an object's key takes it to another section.
    let paths = try keyPaths.map { paths throws(StoreError) in
      try WatchedPaths(
        paths + [keyName], of: results.query.access.model, in: store.definition.schema)
    }
    let source = ResultsSource(results.query, paths ?? WatchedPaths())
    let state = ObservationState(of: store.following.identity)
    let observer = try store.observe(
      SectionsSource(self, source), state,
      tell: { block(self.change($0)) },
      fail: { block(.error($0)) })
    store.claim(isolation)
    store.followOthers(isolation: isolation)
    store.beginCalls(of: observer) { block(.initial(self)) }
    return NotificationToken(state, keeping: observer)
  }

  /// What observers are told of a difference of the objects.
  private func change(
    _ difference: SectionsDifference<Key, Element>
  ) -> SectionedChange<Key, Element> {
    let (told, new) = (difference.old, difference.new)
    let (oldGroups, newGroups) = (Set(told.map(\.group)), Set(new.map(\.group)))
    let gone = told.indices.filter { !newGroups.contains(told[$0].group) }
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
    let objects = difference.objects
    var leaving = Set(objects.moves.map(\.from))
    var coming = Set(objects.moves.map(\.to))
    let modifiedInNew = NewPositions.places(
      of: objects.modifications, deletions: objects.deletions, insertions: objects.insertions,
      moves: objects.moves)
    for (from, to) in zip(objects.modifications, modifiedInNew)
    where Self.group(at: from, told) != Self.group(at: to, new) {
      leaving.insert(from)
      coming.insert(to)
    }
    return .update(
      self, deletions: places(objects.deletions + leaving, told, except: isGone),
      insertions: places(objects.insertions + coming, new, except: isNew),
      modifications: places(
        objects.modifications.filter { !leaving.contains($0) }, told, except: isGone),
      sectionsToInsert: come, sectionsToDelete: gone)
  }
}

/// How objects have changed, and the sections before and behind it.
struct SectionsDifference<Key: StoredValue & Hashable, Element: Object> {
  let objects: CollectionDifference<Int>
  let old: [SectionedResults<Key, Element>.Sections.Section]
  let new: [SectionedResults<Key, Element>.Sections.Section]
}

/// Sections: what their observer compares is their objects, and the sections are those of the same moment.
private final class SectionsSource<Key: StoredValue & Hashable, Element: Object>:
  DifferenceSource<SectionsDifference<Key, Element>>
{
  private let sectioned: SectionedResults<Key, Element>
  typealias Section = SectionedResults<Key, Element>.Sections.Section

  private let objects: ResultsSource
  /// What was told last.
  private var sections: [Section] = []
  /// What was there when it looked last without telling; nil where that is told.
  private var looked: [Section]?

  init(_ sectioned: SectionedResults<Key, Element>, _ objects: ResultsSource) {
    self.sectioned = sectioned
    self.objects = objects
  }

  override func start() throws {
    try objects.start()
    sections = try sectioned.currentSections()
  }

  override func difference(
    _ record: ChangeRecord
  ) throws -> SectionsDifference<Key, Element>? {
    looked = nil
    guard let difference = try objects.difference(record) else { return nil }
    let old = sections
    sections = try sectioned.currentSections()
    return SectionsDifference(objects: difference, old: old, new: sections)
  }

  override func look(_ record: ChangeRecord) throws {
    try objects.look(record)
    looked = try sectioned.currentSections()
  }

  override func skip(_ record: ChangeRecord) throws -> () -> Void {
    let (old, before) = (sections, looked)
    let (told, seen) = (objects.toldRows, objects.seenRows)
    let undo = try objects.skip(record)
    let now: [Section]
    do {
      now = try sectioned.currentSections()
    } catch {
      undo()
      throw error
    }
    if let before {
      looked = now
      show(Self.byRow(told, old), Self.byRow(seen, before), Self.byRow(objects.seenRows, now))
    } else {
      sections = now
    }
    return { [weak self] in
      undo()
      self?.sections = old
      self?.looked = before
    }
  }

  private static func byRow(_ rows: [Int64], _ sections: [Section]) -> [Int64: Section] {
    var found: [Int64: Section] = [:]
    for section in sections where section.range.upperBound <= rows.count {
      for row in rows[section.range] { found[row] = section }
    }
    return found
  }

  /// Makes sections of the rows that the observer shows: each is where it was told, or where the observer has taken it itself.
  private func show(
    _ told: [Int64: Section], _ before: [Int64: Section], _ after: [Int64: Section]
  ) {
    var order: [Section] = []
    var rows: [Value: [Int64]] = [:]
    for row in objects.toldRows {
      let hasStayed = before[row]?.group == after[row]?.group
      guard let section = hasStayed ? told[row] : after[row] ?? told[row] else { continue }
      if rows[section.group] == nil { order.append(section) }
      rows[section.group, default: []].append(row)
    }
    var start = 0
    sections = order.map { section in
      defer { start += rows[section.group]?.count ?? 0 }
      let end = start + (rows[section.group]?.count ?? 0)
      return Section(key: section.key, group: section.group, range: start..<end)
    }
    // The rows of a section stand beside each other.
    objects.show(order.flatMap { rows[$0.group] ?? [] })
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
