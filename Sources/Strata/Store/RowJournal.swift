/// The newest changes of a model's rows, with which a result that was read is brought up to date.
struct RowJournal {
  enum Change: Hashable {
    case inserted
    case updated(Int)
    case deleted
  }

  struct Entry {
    var row: Int64
    var change: Change
    var mark: UInt64
  }

  /// When there are this many, the older half is forgotten.
  static let maximumEntries = 1024

  private var entries: [Entry] = []
  /// Changes up to this one are not in the journal.
  private var forgotten: UInt64 = 0
  private(set) var isActive = false

  /// Begins to write down changes.
  mutating func activate(at mark: UInt64) {
    if isActive { return }
    isActive = true
    forgotten = mark
    entries.reserveCapacity(Self.maximumEntries)
  }

  mutating func note(_ row: Int64, _ change: Change, at mark: UInt64) {
    if entries.count >= Self.maximumEntries {
      let half = Self.maximumEntries / 2
      forgotten = entries[half - 1].mark
      entries.removeFirst(half)
    }
    entries.append(Entry(row: row, change: change, mark: mark))
  }

  mutating func forget(at mark: UInt64) {
    forgotten = mark
    entries.removeAll(keepingCapacity: true)
  }

  /// What happened after a change, in order; nil when the journal does not reach back that far, or there is more than
  /// `maximum`.
  func entries(after mark: UInt64, maximum: Int) -> ArraySlice<Entry>? {
    guard isActive, mark >= forgotten else { return nil }
    var start = entries.count
    while start > 0, entries[start - 1].mark > mark {
      start -= 1
      if entries.count - start > maximum { return nil }
    }
    return entries[start...]
  }
}
