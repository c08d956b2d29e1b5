import StrataSQLite

/// When the collections of one property changed last, by owner; and their rows, which all objects of one owner share.
final class CollectionClock {
  /// Owners whose changes are told apart; with more, all collections of the property count as changed.
  static let maximumOwners = 65_536
  /// Elements that are remembered to have left; of these the older half is forgotten.
  static let maximumRemovals = 1024

  private struct Removal {
    var owner: Int64
    var element: SQLiteValue
    var mark: UInt64
  }

  /// The newest change of unknown extent.
  private var everything: UInt64
  private var owners: [Int64: UInt64] = [:]
  private var removals: [Removal] = []
  /// Removals up to this change are not listed.
  private var forgotten: UInt64
  private var kept = KeptRows()

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

  func removed(_ element: SQLiteValue, from owner: Int64, at mark: UInt64) {
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
    kept.rows(of: owner)
  }

  /// Whether a change of an owner's collection that needs no look at its elements is to be written without one.
  func leavesUnread(_ owner: Int64) -> Bool { kept.areCrowded && kept.rows(of: owner) == nil }

  func keep(_ rows: CollectionRows) { kept.keep(rows) }
}

/// The rows of one list, set or map, as they were read or written last.
class CollectionRows {
  let owner: Int64
  /// The store's count of changes when they were current; 0 for never read.
  final var mark: UInt64 = 0

  init(owner: Int64) { self.owner = owner }

  var count: Int { 0 }

  /// Takes out what a deletion took out.
  /// - Parameter element: as it stands in the table: the order key of a list's element, the key of a map's, the value of a set's.
  /// - Returns: false when it is not known.
  func remove(_ element: SQLiteValue) -> Bool { false }
}
