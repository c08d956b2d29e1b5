/// The rows of collections that were read, kept between two objects of the same owner: those that were used last, within bounds.
struct KeptRows {
  /// Collections whose rows are kept.
  static let maximumOwners = 4096
  /// Elements of all of them together, as they are counted from time to time.
  static let maximumElements = 1 << 19
  /// Those that were used last stay, however many elements they have.
  private static let maximumOfAnySize = 2

  private struct Entry {
    let rows: CollectionRows
    /// When it was used last.
    var use: UInt64
    /// Its elements as they were counted last.
    var count = 0
  }

  private var entries: [Int64: Entry] = [:]
  private var uses: UInt64 = 0
  /// The counts of all entries.
  private var elements = 0
  /// Whether rows were given up: what is changed without being looked at is not read any more to be kept.
  private(set) var areCrowded = false
  /// The owner of the rows that were used last, which most often are those that grow.
  private var last: Int64?

  mutating func rows(of owner: Int64) -> CollectionRows? {
    guard let rows = entries[owner]?.rows else { return nil }
    use(owner)
    return rows
  }

  mutating func keep(_ rows: CollectionRows) {
    if let old = entries[rows.owner] {
      if old.rows === rows { return }
      elements -= old.count
    }
    entries[rows.owner] = Entry(rows: rows, use: 0)
    use(rows.owner)
  }

  private mutating func use(_ owner: Int64) {
    if let last, last != owner { recount(last) }
    last = owner
    uses += 1
    entries[owner]?.use = uses
    // Objects that hold the rows themselves let them grow without a use.
    let isToBeCounted = uses.isMultiple(of: UInt64(Self.maximumOwners))
    guard isToBeCounted || elements > Self.maximumElements || entries.count > Self.maximumOwners
    else { return }
    for owner in Array(entries.keys) { recount(owner) }
    guard entries.count > Self.maximumOfAnySize,
      elements > Self.maximumElements || entries.count > Self.maximumOwners
    else { return }
    giveUpHalf()
  }

  private mutating func recount(_ owner: Int64) {
    guard let entry = entries[owner] else { return }
    let count = entry.rows.count
    if count == entry.count { return }
    elements += count - entry.count
    entries[owner]?.count = count
  }

  /// Half, so that the next ones need no look at all of them.
  private mutating func giveUpHalf() {
    areCrowded = true
    let newestFirst = entries.values.sorted { $0.use > $1.use }
    entries.removeAll(keepingCapacity: true)
    elements = 0
    for entry in newestFirst {
      let isFull =
        elements + entry.count > Self.maximumElements / 2
        || entries.count >= Self.maximumOwners / 2
      if isFull, entries.count >= Self.maximumOfAnySize { continue }
      elements += entry.count
      entries[entry.rows.owner] = entry
    }
  }
}
