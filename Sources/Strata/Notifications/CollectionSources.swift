import StrataSQLite
import StrataSchema

/// What has changed in a collection, as ``CollectionChange`` tells it.
struct CollectionDifference<Place: Hashable & Sendable>: Hashable, Sendable {
  var deletions: [Place] = []
  var insertions: [Place] = []
  var modifications: [Place] = []
  var moves: [CollectionMove] = []

  var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
  }
}

typealias CollectionSource<Place: Hashable & Sendable> =
  DifferenceSource<CollectionDifference<Place>>

/// The elements of a list or a set.
final class ElementsSource: CollectionSource<Int> {
  private let core: CollectionCore
  private let read: () -> [Value]
  private let paths: WatchedPaths
  /// What was told last.
  private var elements: [Value] = []
  /// What was there when it looked last without telling; nil where that is told.
  private var looked: [Value]?

  init(_ core: CollectionCore, _ paths: WatchedPaths, _ read: @escaping () -> [Value]) {
    self.core = core
    self.paths = paths
    self.read = read
  }

  override var scope: ObservationScope { core.observationScope }

  override func start() throws { elements = try current() }

  override func skip(_ record: ChangeRecord) throws -> () -> Void {
    guard core.isTouched(by: record) else { return {} }
    let (old, before) = (elements, looked)
    let now = try current()
    if let before {
      looked = now
      elements =
        ShownElements(
          told: old, before: before, after: now, mayRepeat: true, isList: core is ListCore
        ).elements
    } else {
      elements = now
    }
    return { [weak self] in
      self?.elements = old
      self?.looked = before
    }
  }

  override func look(_ record: ChangeRecord) throws {
    looked = core.isTouched(by: record) ? try current() : looked ?? elements
  }

  private func current() throws -> [Value] {
    try core.throwingErrors(of: read)
  }

  override func difference(_ record: ChangeRecord) throws -> CollectionDifference<Int>? {
    let isTouched = core.isTouched(by: record)
    let seen = looked
    looked = nil
    if !isTouched && !core.leadsToChanges(in: record) { return nil }
    let old = elements
    if isTouched { elements = try seen ?? current() }
    var difference =
      isTouched
      ? ArrayDifference(from: old, to: elements, mayRepeat: true)
      : ArrayDifference(from: [Value](), to: [])
    var result = CollectionDifference<Int>()
    let gone = Set(difference.deletions)
    if old.isEmpty {
      // Nothing is in both.
    } else if let target = core.elementAccess {
      let modified = try paths.changedRows(record, of: target)
      if !modified.isEmpty {
        result.modifications = old.indices.filter { index in
          guard case .link(let row) = old[index] else { return false }
          return modified.contains(row) && !gone.contains(index)
        }
      }
    } else {
      let changed = try core.changedObjects(record, paths)
      let modified =
        changed.isEmpty
        ? []
        : old.indices.filter { index in
          guard case .object(let model, let row) = old[index] else { return false }
          return changed[model]?.contains(row) == true && !gone.contains(index)
        }
      if core is ListCore { result.modifications = difference.joinReplacements() }
      if !modified.isEmpty { result.modifications = (result.modifications + modified).sorted() }
    }
    result.deletions = difference.deletions
    result.insertions = difference.insertions
    result.moves = difference.moves
    return result.isEmpty ? nil : result
  }
}

/// The values of a map.
final class MapSource: CollectionSource<String> {
  private let core: MapCore
  private let paths: WatchedPaths
  /// What was told last.
  private var elements: [(key: String, value: Value)] = []
  /// What was there when it looked last without telling; nil where that is told.
  private var looked: [(key: String, value: Value)]?

  init(_ core: MapCore, _ paths: WatchedPaths) {
    self.core = core
    self.paths = paths
  }

  override var scope: ObservationScope { core.observationScope }

  override func start() throws { elements = try current() }

  override func skip(_ record: ChangeRecord) throws -> () -> Void {
    guard core.isTouched(by: record) else { return {} }
    let (old, before) = (elements, looked)
    let now = try current()
    if let before {
      looked = now
      elements = Self.shown(told: old, before: before, after: now)
    } else {
      elements = now
    }
    return { [weak self] in
      self?.elements = old
      self?.looked = before
    }
  }

  override func look(_ record: ChangeRecord) throws {
    looked = core.isTouched(by: record) ? try current() : looked ?? elements
  }

  /// What was told, with the effect of a transaction that is not: see ``ShownElements``.
  private static func shown(
    told: [(key: String, value: Value)], before: [(key: String, value: Value)],
    after: [(key: String, value: Value)]
  ) -> [(key: String, value: Value)] {
    let (old, new) = (values(before), values(after))
    let known = Set(told.map { Array($0.key.utf8) })
    let kept = told.compactMap { key, value -> (key: String, value: Value)? in
      let bytes = Array(key.utf8)
      guard let was = old[bytes] else { return (key, new[bytes] ?? value) }
      guard let now = new[bytes] else { return nil }
      // What was set before and is not told yet is told later.
      return (key, value == was ? now : value)
    }
    let coming = after.filter { key, _ in
      let bytes = Array(key.utf8)
      return !known.contains(bytes) && old[bytes] == nil
    }
    return (kept + coming).sorted { $0.key.precedesInBytes($1.key) }
  }

  /// By the bytes of their keys. Those of another program that are no texts read alike.
  private static func values(_ elements: [(key: String, value: Value)]) -> [[UInt8]: Value] {
    Dictionary(
      elements.map { (Array($0.key.utf8), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  private func current() throws -> [(key: String, value: Value)] {
    try core.throwingErrors { core.storedEntries }
  }

  override func difference(_ record: ChangeRecord) throws -> CollectionDifference<String>? {
    let isTouched = core.isTouched(by: record)
    let seen = looked
    looked = nil
    if !isTouched && !core.leadsToChanges(in: record) { return nil }
    let new = isTouched ? try seen ?? current() : elements
    // Where nothing is in both, nothing is modified.
    let isFresh = elements.isEmpty || new.isEmpty
    let target = isFresh ? nil : core.elementAccess
    let modified = try target.map { try paths.changedRows(record, of: $0) } ?? RowSet()
    let changed = isFresh ? [:] : try core.changedObjects(record, paths)
    // Keys are different when their bytes are.
    let before = Self.values(elements)
    let after = Set(new.map { Array($0.key.utf8) })
    var result = CollectionDifference<String>()
    result.deletions = elements.map(\.key).filter { !after.contains(Array($0.utf8)) }
    for (key, value) in new {
      guard let old = before[Array(key.utf8)] else {
        result.insertions.append(key)
        continue
      }
      var isModified = old != value
      switch value {
      case .link(let row): isModified = isModified || modified.contains(row)
      case .object(let model, let row):
        isModified = isModified || changed[model]?.contains(row) == true
      default: break
      }
      if isModified { result.modifications.append(key) }
    }
    elements = new
    return result.isEmpty ? nil : result
  }
}

extension CollectionCore {
  /// The model of the elements; nil when they are values.
  var elementAccess: ModelAccess? { access?.targets[property] }

  /// What a function reads for an observer, which has to know what cannot be read. What could not be read before is not about it.
  fileprivate func throwingErrors<Result>(of read: () -> Result) throws(StoreError) -> Result {
    guard let store else { return read() }
    return try store.withoutEarlierError { () throws(StoreError) in
      let result = read()
      try store.throwPendingError()
      return result
    }
  }

  /// Whether the collection itself may have changed.
  func isTouched(by record: ChangeRecord) -> Bool {
    guard let access else { return false }
    return record.touches(property, of: owner, in: access.index)
  }

  /// The collection itself, and what its elements lead to.
  fileprivate var observationScope: ObservationScope {
    guard let access else { return .everything }
    if elementAccess == nil, access.anyProperties.contains(property) { return .everything }
    return .object(
      .init(model: access.index, row: owner), andAllOf: elementAccess?.reachableModels ?? [])
  }

  /// Whether a change may concern an object that the collection holds, or what that leads to.
  func leadsToChanges(in record: ChangeRecord) -> Bool {
    guard let access else { return false }
    if let elementAccess {
      return !elementAccess.reachableModels.isDisjoint(with: record.models.keys)
    }
    return access.anyProperties.contains(property)
  }

  /// The objects of each model that were changed, came or went, to which elements of type `any` may lead; empty for elements of other types. An element
  /// stays where another program has deleted its object.
  func changedObjects(_ record: ChangeRecord, _ paths: WatchedPaths) throws -> [String: RowSet] {
    guard let access, access.anyProperties.contains(property) else { return [:] }
    var changed: [String: RowSet] = [:]
    for case let target? in access.store.accesses where !target.isEmbedded {
      var rows = try paths.changedRows(record, of: target)
      if let changes = record.models[target.index] { rows.formUnion(changes.rowsOfOthers) }
      rows.normalize()
      if !rows.isEmpty { changed[target.model.name] = rows }
    }
    return changed
  }
}
