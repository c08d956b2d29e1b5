/// When the collections of one property changed last, by owner; and their rows, which all objects of one owner share.
final class CollectionClock {
  /// Owners whose changes are told apart; with more, all collections of the property count as changed.
  static let maximumOwners = 65_536
  /// Elements that are remembered to have left; of these the older half is forgotten.
  static let maximumRemovals = 1024
  /// Collections whose rows are kept between two objects of the same owner.
  static let maximumKept = 8
  /// Elements of a collection that is kept.
  static let maximumKeptElements = 65_536

  private struct Removal {
    var owner: Int64
    var element: Int64
    var mark: UInt64
  }

  /// The newest change of unknown extent.
  private var everything: UInt64
  private var owners: [Int64: UInt64] = [:]
  private var removals: [Removal] = []
  /// Removals up to this change are not listed.
  private var forgotten: UInt64
  private var kept: [CollectionRows] = []

  init(since mark: UInt64) {
    everything = mark
    forgotten = mark
  }

  // MARK: - Changes

  func changed(_ owner: Int64, at mark: UInt64) {
    if owners.count >= Self.maximumOwners {
      owners.removeAll(keepingCapacity: true)
      everything = mark
    }
    owners[owner] = mark
  }

  func removed(_ element: Int64, from owner: Int64, at mark: UInt64) {
    if removals.count >= Self.maximumRemovals {
      let half = Self.maximumRemovals / 2
      forgotten = removals[half - 1].mark
      removals.removeFirst(half)
    }
    removals.append(Removal(owner: owner, element: element, mark: mark))
  }

  func changedEverything(at mark: UInt64) {
    everything = mark
    forgotten = mark
    owners.removeAll(keepingCapacity: true)
    removals.removeAll(keepingCapacity: true)
  }

  /// Whether anything but an element's leaving is known to have happened to an owner's collection.
  func isChanged(_ owner: Int64, after mark: UInt64) -> Bool {
    everything > mark || (owners[owner] ?? 0) > mark
  }

  // MARK: - Rows

  /// Brings rows up to date without reading them; false when they have to be read.
  func bringUpToDate(_ rows: CollectionRows) -> Bool {
    let mark = rows.mark
    if mark == 0 || isChanged(rows.owner, after: mark) { return false }
    var start = removals.count
    while start > 0, removals[start - 1].mark > mark { start -= 1 }
    if start == 0, forgotten > mark { return false }
    for removal in removals[start...] where removal.owner == rows.owner {
      if !rows.remove(removal.element) { return false }
    }
    return true
  }

  /// The rows of an owner's collection that were kept.
  func keptRows(of owner: Int64) -> CollectionRows? {
    guard let index = kept.lastIndex(where: { $0.owner == owner }) else { return nil }
    // What is used again is given up last.
    if index != kept.count - 1 { kept.append(kept.remove(at: index)) }
    return kept.last
  }

  func keep(_ rows: CollectionRows) {
    if kept.contains(where: { $0 === rows }) { return }
    kept.removeAll { $0.owner == rows.owner || $0.count > Self.maximumKeptElements }
    if kept.count >= Self.maximumKept { kept.removeFirst() }
    kept.append(rows)
  }
}

/// The rows of one list, set or map, as they were read or written last.
class CollectionRows {
  let owner: Int64
  /// The store's count of changes when they were current; 0 for never read.
  final var mark: UInt64 = 0

  init(owner: Int64) { self.owner = owner }

  var count: Int { 0 }

  /// Takes out what a deletion took out: the element of a list with this order key, of a set with this identity.
  /// - Returns: false when it is not known.
  func remove(_ element: Int64) -> Bool { false }
}
