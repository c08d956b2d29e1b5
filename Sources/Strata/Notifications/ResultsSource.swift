import StrataSchema

/// The objects of a query: what an observer of results compares.
///
/// It keeps the identities that were told last. A change of what the query reads of other objects makes it ask the whole query again;
/// otherwise each changed row is looked at alone: whether it is among the answers, and where. What it has looked at without telling it is compared
/// as a whole.
final class ResultsSource: CollectionSource<Int> {
  /// With more changed rows the query is asked again.
  private static let maximumFollowed = 32
  /// One more for so many answers, because asking again costs more then.
  private static let answersPerFollowed = 2_000
  /// Up to this many answers are compared as a whole, which finds the fewest moves.
  private static let maximumCompared = 1_024
  /// Runs of modified rows that are looked up one by one.
  private static let maximumLookups = 4

  private let query: Query
  private let paths: WatchedPaths
  /// What was told last.
  private var answers = Answers([])
  /// What was there when it looked last without telling; nil where that is told.
  private var looked: Answers?
  private var shared = SharedAnswers()
  /// Models that the question or its objects lead to.
  private let models: Set<Int>

  init(_ query: Query, _ paths: WatchedPaths) {
    self.query = query
    self.paths = paths
    models = query.access.reachableModels.union(query.dependencies.readModels)
  }

  override func start() throws {
    if let observers = query.store.following.observers {
      shared = observers.sharedAnswers(of: query)
    }
    answers = try answersOfNow()
  }

  /// The rows that were told last.
  var toldRows: [Int64] { answers.rows }
  /// The rows that were there when it looked last.
  var seenRows: [Int64] { (looked ?? answers).rows }

  override func look(_ record: ChangeRecord) throws {
    looked = try step(from: looked ?? answers, record).answers
  }

  override func skip(_ record: ChangeRecord) throws -> () -> Void {
    let (old, before) = (answers, looked)
    let now = try step(from: before ?? old, record).answers
    if let before {
      looked = now
      show(
        ShownElements(
          told: old.rows, before: before.rows, after: now.rows, mayRepeat: false, isList: false
        ).elements)
    } else {
      answers = now
    }
    return { [weak self] in
      self?.answers = old
      self?.looked = before
    }
  }

  /// Takes rows for told, in any order.
  func show(_ rows: [Int64]) { answers = Answers(rows, isMixed: true) }

  private func answersOfNow() throws -> Answers {
    // First the store moves on, so that the moment is that of what is read.
    try query.checkReadable()
    return try shared.answers(at: query.dependencies.newestChange) { try query.identities() }
  }

  override func difference(_ record: ChangeRecord) throws -> CollectionDifference<Int>? {
    if looked == nil, models.isDisjoint(with: record.models.keys) { return nil }
    let old = answers
    // Where there were no answers, none is modified.
    let modified =
      old.rows.isEmpty ? RowSet() : try paths.changedRows(record, of: query.access)
    var result: CollectionDifference<Int>
    if let now = looked {
      result = CollectionDifference(ArrayDifference(from: old.rows, to: now.rows))
      (answers, looked) = (now, nil)
    } else {
      (answers, result) = try step(from: old, record)
    }
    if !modified.isEmpty {
      let gone = Set(result.deletions)
      result.modifications = shared.places(of: modified, in: old) {
        places(of: modified, in: old)
      }
      if !gone.isEmpty { result.modifications.removeAll(where: gone.contains) }
    }
    return result.isEmpty ? nil : result
  }

  /// The answers of now, and what leads to them.
  /// - Parameter record: what has happened since the old ones.
  private func step(
    from old: Answers, _ record: ChangeRecord
  ) throws -> (answers: Answers, difference: CollectionDifference<Int>) {
    guard query.dependencies.isTouched(by: record) else { return (old, CollectionDifference()) }
    try query.checkReadable()
    return try shared.step(
      from: old, at: query.dependencies.newestChange
    ) { try change(&$0, record) }
  }

  /// Makes these rows those of now.
  private func change(
    _ rows: inout [Int64], _ record: ChangeRecord
  ) throws -> CollectionDifference<Int> {
    let dependencies = query.dependencies
    guard dependencies.followsRows, query.outcome == nil,
      !dependencies.isTouchedElsewhere(by: record),
      let changes = record.models[query.access.index], !changes.hasUnknown
    else { return try askAgain(&rows) }
    var changed = RowSet()
    var reordered = RowSet()
    for rows in changes.others { changed.insert(rows) }
    for update in changes.updates where dependencies.decides(update.properties) {
      changed.insert(update.rows)
      if dependencies.decidesOrder(update.properties) { reordered.insert(update.rows) }
    }
    changed.normalize()
    reordered.normalize()
    let maximum = Self.maximumFollowed + rows.count / Self.answersPerFollowed
    guard changed.count <= maximum else { return try askAgain(&rows) }
    return try follow(&rows, changed, reordered)
  }

  private func askAgain(_ rows: inout [Int64]) throws -> CollectionDifference<Int> {
    let old = rows
    rows = try query.identities()
    return CollectionDifference(ArrayDifference(from: old, to: rows))
  }

  // MARK: - Row by row

  /// A row that comes, goes or may stand elsewhere.
  private struct Candidate {
    let row: Int64
    let old: Int?
    /// Its place among the rows that stay; nil when it is no answer any more.
    var gap: Int?
  }

  private func follow(
    _ rows: inout [Int64], _ changed: RowSet, _ reordered: RowSet
  ) throws -> CollectionDifference<Int> {
    var candidates: [Candidate] = []
    for row in changed.ranges.joined() {
      let old = place(of: row, in: rows)
      let isAnswer = try query.isAnswer(row)
      if isAnswer == (old != nil), !isAnswer || !reordered.contains(row) { continue }
      candidates.append(Candidate(row: row, old: old, gap: isAnswer ? 0 : nil))
    }
    if candidates.isEmpty { return CollectionDifference() }
    let compared = rows.count <= Self.maximumCompared ? rows : nil
    for index in candidates.compactMap(\.old).sorted(by: >) { rows.remove(at: index) }
    let coming = try query.withOrder { precedes in
      try placed(candidates, among: rows, by: precedes)
    }
    for (number, candidate) in coming.enumerated() {
      rows.insert(candidate.row, at: (candidate.gap ?? 0) + number)
    }
    if let compared { return CollectionDifference(ArrayDifference(from: compared, to: rows)) }
    return difference(candidates, coming)
  }

  /// Those that are answers, in their order, each with its place among the rows that stay.
  private func placed(
    _ candidates: [Candidate], among rows: [Int64], by precedes: (Int64, Int64) throws -> Bool
  ) throws -> [Candidate] {
    var coming: [Candidate] = []
    for var candidate in candidates where candidate.gap != nil {
      var (low, high) = (0, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if try precedes(rows[middle], candidate.row) { low = middle + 1 } else { high = middle }
      }
      candidate.gap = low
      // Few: in their order by insertion.
      var index = coming.count
      while index > 0 {
        let other = coming[index - 1]
        let isBefore =
          try other.gap == low ? precedes(candidate.row, other.row) : low < (other.gap ?? 0)
        if !isBefore { break }
        index -= 1
      }
      coming.insert(candidate, at: index)
    }
    return coming
  }

  private func difference(
    _ candidates: [Candidate], _ coming: [Candidate]
  ) -> CollectionDifference<Int> {
    let leaving = candidates.compactMap(\.old).sorted()
    var result = CollectionDifference<Int>()
    result.deletions = candidates.filter { $0.gap == nil }.compactMap(\.old).sorted()
    // Those between the same neighbours as before stay, as far as they keep their order.
    var steady: [(old: Int, new: Int)] = []
    for (number, candidate) in coming.enumerated() {
      let (gap, new) = (candidate.gap ?? 0, (candidate.gap ?? 0) + number)
      guard let old = candidate.old else {
        result.insertions.append(new)
        continue
      }
      if old - leaving.countBelow(old) == gap {
        steady.append((old, new))
      } else {
        result.moves.append(CollectionMove(from: old, to: new))
      }
    }
    for (place, stays) in zip(steady, ArrayDifference.longestIncreasing(steady.map(\.old)))
    where !stays {
      result.moves.append(CollectionMove(from: place.old, to: place.new))
    }
    result.moves.sort { $0.to < $1.to }
    return result
  }

  // MARK: - Places

  private func place(of row: Int64, in rows: [Int64]) -> Int? {
    guard query.isInOrderOfRows else { return rows.firstIndex(of: row) }
    let index = rows.countBelow(row)
    return index < rows.count && rows[index] == row ? index : nil
  }

  /// The positions of the rows of a set, in order.
  private func places(of set: RowSet, in answers: Answers) -> [Int] {
    let rows = answers.rows
    if set.isEverything { return Array(rows.indices) }
    if query.isInOrderOfRows, !answers.isMixed {
      return set.ranges.flatMap { range -> Range<Int> in
        let first = rows.countBelow(range.lowerBound)
        var end = first
        while end < rows.count, rows[end] <= range.upperBound { end += 1 }
        return first..<end
      }
    }
    if !answers.isMixed, set.ranges.count <= Self.maximumLookups, set.count == set.ranges.count {
      return set.ranges.compactMap { rows.firstIndex(of: $0.lowerBound) }.sorted()
    }
    return rows.indices.filter { set.contains(rows[$0]) }
  }
}

extension CollectionDifference where Place == Int {
  init(_ difference: ArrayDifference) {
    deletions = difference.deletions
    insertions = difference.insertions
    moves = difference.moves
  }
}

extension [Int64] {
  /// How many elements of an ascending array are less.
  fileprivate func countBelow(_ element: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension [Int] {
  /// The same for positions.
  func countBelow(_ element: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
