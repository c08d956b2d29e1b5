/// What a result has found out about its positions. It is kept until something changes that the query depends on, and where
/// one row at a time can be told to come or go, the window follows.
final class ResultWindow {
  /// Identities that are read at once the first time where they are sorted for it, or may be impossible to work out; each time after it
  /// ``growth`` times as many.
  private static let firstSorted = 8
  private static let growth = 8
  /// The reading that this growth leads to at most; what is asked for beyond is read all the same.
  private static let maximumRead = 1 << 40
  /// Where answers were counted so often, they are remembered.
  private static let maximumCounted = 2
  /// More answers than these are counted anew each time.
  private static let maximumMembers = 65_536
  /// With more changes the window is read again.
  private static let maximumFollowed = 128

  private let query: Query
  /// The store's count of changes when the window was current; 0 for never.
  private var mark: UInt64 = 0
  private var rows = PiecedArray<Int64>()
  private var isComplete = false
  private var nextRead: Int
  private var knownCount: Int?
  /// How often all were counted since rows are followed, and it was not to be told whether one that has changed was among them.
  private var counted = 0
  /// All of them, where they are counted time and again.
  private var members: Set<Int64>?
  /// The places of the rows, once they are asked for.
  private var places: [Int64: Int]?
  /// Where the window was looked at last.
  private var lastIndex = 0
  /// Whether the identities ascend.
  private let isInOrderOfRows: Bool
  /// Identities that are read at once the first time: often only the first of them is wanted, and where nothing is sorted it is found
  /// without the others.
  private let firstRead: Int

  init(_ query: Query) {
    self.query = query
    // What may be impossible to work out is said of more objects than the first.
    let isPlain = query.sorts.isEmpty && query.distinct.isEmpty && query.base == nil
    firstRead =
      isPlain && query.filters.allSatisfy { !$0.measure.mayFail } ? 1 : Self.firstSorted
    nextRead = firstRead
    isInOrderOfRows = query.isInOrderOfRows
  }

  var count: Int {
    query.noteRead()
    query.store.lockIfShared()
    defer { query.store.unlockIfShared() }
    refresh()
    if isComplete { return rows.count }
    if let knownCount { return knownCount }
    if let members { return members.count }
    knownCount = query.count()
    guard let count = knownCount else {
      forget()
      return 0
    }
    counted += 1
    if counted > Self.maximumCounted, count <= Self.maximumMembers,
      query.dependencies.followsRows
    {
      members = query.rows(from: 0, count: count).map(Set.init)
      knownCount = nil
    }
    return count
  }

  /// How many objects there are, at most so many; none where the database has no answer.
  func count(upTo maximum: Int) -> Int {
    query.store.lockIfShared()
    defer { query.store.unlockIfShared() }
    if maximum == 0 || row(at: maximum - 1) != nil { return maximum }
    return isComplete ? rows.count : 0
  }

  /// The identity at a position; nil behind the end.
  func row(at index: Int) -> Int64? {
    query.noteRead()
    query.store.lockIfShared()
    defer { query.store.unlockIfShared() }
    refresh()
    // Each reading sorts anew where no index has the order: one of them is enough.
    while index >= rows.count && !isComplete {
      guard readMore(to: index) else { return nil }
    }
    guard index < rows.count else { return nil }
    lastIndex = index
    return rows[index]
  }

  /// The identities at these positions, as far as there are any.
  func rows(at positions: Range<Int>) -> [Int64] {
    query.noteRead()
    query.store.lockIfShared()
    defer { query.store.unlockIfShared() }
    refresh()
    while positions.upperBound > rows.count && !isComplete {
      guard readMore(to: positions.upperBound - 1) else { return [] }
    }
    let end = min(positions.upperBound, rows.count)
    return (min(positions.lowerBound, end)..<end).map { rows[$0] }
  }

  /// The position of an identity.
  func index(of row: Int64) -> Int? {
    query.noteRead()
    query.store.lockIfShared()
    defer { query.store.unlockIfShared() }
    refresh()
    while true {
      if let index = place(of: row) { return index }
      if isComplete || !readMore() { return nil }
    }
  }

  /// Whether an identity is among the answers.
  func contains(_ row: Int64) -> Bool {
    query.noteRead()
    return query.limit == nil && query.distinct.isEmpty
      ? query.matches(row) ?? false : index(of: row) != nil
  }

  /// - Parameter index: the position that is looked for, where there is one.
  /// - Returns: false where the database has no answer: nothing is known then, and the next look asks again.
  private func readMore(to index: Int = 0) -> Bool {
    let wanted = max(nextRead, (index - rows.count) &+ 1)
    nextRead = max(nextRead, min(wanted, Self.maximumRead / Self.growth)) * Self.growth
    guard let more = query.rows(from: rows.count, count: wanted) else {
      forget()
      return false
    }
    if var places {
      self.places = nil
      for (offset, row) in more.enumerated() { places[row] = rows.count + offset }
      self.places = places
    }
    if rows.isEmpty { rows = PiecedArray(more) } else { rows.append(contentsOf: more) }
    isComplete = more.count < wanted
    return true
  }

  /// The place of a row in the part that was read.
  private func place(of row: Int64) -> Int? {
    if isInOrderOfRows {
      let index = rows.firstIndex(sortedBy: { $0 >= row })
      return index < rows.count && rows[index] == row ? index : nil
    }
    if lastIndex < rows.count, rows[lastIndex] == row { return lastIndex }
    if places == nil {
      places = Dictionary(
        zip(rows, rows.indices), uniquingKeysWith: { first, _ in first })
    }
    return places?[row]
  }

  // MARK: - Staying current

  private func refresh() {
    let store = query.store
    guard store.prepareToRead() else { return }
    let now = store.generation
    if mark == now { return }
    defer { mark = now }
    let dependencies = query.dependencies
    if mark != 0 {
      if dependencies.newestChange <= mark { return }
      if dependencies.isByRow(since: mark), follow(dependencies) { return }
    }
    if dependencies.followsRows { query.access.clock.journal.activate(at: now) }
    forget()
  }

  private func forget() {
    mark = 0
    rows.removeAll()
    isComplete = false
    nextRead = firstRead
    knownCount = nil
    counted = 0
    members = nil
    places = nil
  }

  /// Takes over what happened row by row.
  /// - Returns: false when the window has to be read again.
  private func follow(_ dependencies: QueryDependencies) -> Bool {
    guard
      let entries = query.access.clock.journal.entries(
        after: mark, maximum: Self.maximumFollowed)
    else { return false }
    // Most often one object was changed between two looks.
    if entries.count == 1, let entry = entries.first, case .updated(let property) = entry.change {
      if dependencies.sorting.contains(property) { return false }
      if !dependencies.filtering.contains(property) { return true }
      return query.matches(entry.row).map { place(entry.row, isMember: $0) } ?? false
    }
    var changes: [Int64: (isNew: Bool, isDeleted: Bool)] = [:]
    var order: [Int64] = []
    for entry in entries {
      if case .updated(let property) = entry.change {
        if dependencies.sorting.contains(property) { return false }
        if !dependencies.filtering.contains(property) { continue }
      }
      if changes[entry.row] == nil {
        order.append(entry.row)
        changes[entry.row] = (entry.change == .inserted, false)
      }
      changes[entry.row]?.isDeleted = entry.change == .deleted
    }
    for row in order {
      guard let (isNew, isDeleted) = changes[row] else { continue }
      // It came and went.
      if isNew && isDeleted { continue }
      guard let isMember = isDeleted ? false : query.matches(row),
        place(row, isMember: isMember, isNew: isNew)
      else { return false }
    }
    return true
  }

  /// Lets one row come, go or stay.
  ///
  /// - Parameter isNew: whether its object was added since.
  private func place(_ row: Int64, isMember: Bool, isNew: Bool = false) -> Bool {
    if members != nil {
      if isMember { members?.insert(row) } else { members?.remove(row) }
      if let count = members?.count, count > Self.maximumMembers { members = nil }
    }
    // The place that was looked at last is most often that of the object that was changed.
    let isThere = lastIndex < rows.count && rows[lastIndex] == row
    if let index = isThere ? lastIndex : position(of: row) {
      if isMember { return true }
      rows.remove(at: index)
      places = nil
      knownCount = knownCount.map { $0 - 1 }
      return true
    }
    if isComplete || isInOrderOfRows && row <= rows.last ?? .min {
      // It was not among the answers.
      if !isMember { return true }
      guard isInOrderOfRows else { return false }
      rows.insert(row, at: rows.firstIndex(sortedBy: { $0 > row }))
      places = nil
      knownCount = knownCount.map { $0 + 1 }
      return true
    }
    // Behind what was read, or perhaps nowhere.
    if isMember && !isInOrderOfRows { return false }
    if isNew {
      knownCount = knownCount.map { isMember ? $0 + 1 : $0 }
    } else {
      knownCount = query.isWholeTable ? knownCount.map { $0 + (isMember ? 1 : -1) } : nil
    }
    return true
  }

  private func position(of row: Int64) -> Int? {
    if isInOrderOfRows { return place(of: row) }
    if let places { return places[row] }
    return rows.firstIndex(of: row)
  }
}
