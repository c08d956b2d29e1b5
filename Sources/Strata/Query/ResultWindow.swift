/// What a result has found out about its positions, until the store moves on.
final class ResultWindow {
  /// Identities that are read at once the first time; each time after it as many as there are.
  private static let firstRead = 128

  private let query: Query
  private var generation: UInt64 = 0
  private var rows: [Int64] = []
  private var isComplete = false
  private var knownCount: Int?

  init(_ query: Query) { self.query = query }

  var count: Int {
    refresh()
    if isComplete { return rows.count }
    if let knownCount { return knownCount }
    let count = query.count()
    knownCount = count
    return count
  }

  /// The identity at a position; nil behind the end.
  func row(at index: Int) -> Int64? {
    refresh()
    while index >= rows.count && !isComplete { readMore() }
    return index < rows.count ? rows[index] : nil
  }

  /// The position of an identity.
  func index(of row: Int64) -> Int? {
    refresh()
    var start = 0
    while true {
      if let index = rows[start...].firstIndex(of: row) { return index }
      if isComplete { return nil }
      start = rows.count
      readMore()
    }
  }

  private func readMore() {
    let wanted = max(Self.firstRead, rows.count)
    let more = query.rows(from: rows.count, count: wanted)
    rows += more
    isComplete = more.count < wanted
  }

  private func refresh() {
    guard query.store.prepareToRead(), generation != query.store.generation else { return }
    generation = query.store.generation
    rows = []
    isComplete = false
    knownCount = nil
  }
}
