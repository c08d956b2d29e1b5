import Strata
import StrataSQLite
import StrataSchema

/// Looks for a file's stray pages once the first rows of it cannot be read.
final class StraySearch {
  /// How pages are read past SQLite, which sees those of a log that are newer.
  enum Way {
    /// The file itself, if all its pages stand in it.
    case file
    case copyWithoutLog
    /// The log cannot be brought into a copy.
    case none
  }

  /// The file has to be read anew by a copy without a log.
  struct LogIsInTheWay: Error {}

  let layout: TableLayout
  private let file: UntouchedDatabase
  private let way: Way
  private let isCancelled: () -> Bool
  private var result: Result<StrayPages, PageMap.Obstacle>?

  init(
    _ file: UntouchedDatabase, layout: TableLayout, _ way: Way,
    isCancelled: @escaping () -> Bool
  ) {
    (self.file, self.layout, self.way, self.isCancelled) = (file, layout, way, isCancelled)
  }

  /// The rows on stray pages of a table of which something cannot be read; nil where there are none.
  ///
  /// - Parameter target: the new file.
  func rows(of table: String, through target: Database) throws -> StrayRows? {
    try rows(through: target) { $0.found(of: table) }
  }

  /// What is told of ranges that cannot be read: not the parts in which no row was found, where the table's tree has no gap.
  func told(_ unreadable: DamagedRows.Unreadable, of table: String) throws -> [ClosedRange<Int64>] {
    guard !unreadable.empty.isEmpty, case .success(let pages) = try search(),
      let gaps = pages.map.gaps(of: table)
    else { return unreadable.ranges }
    return DamagedRows.subtracting(
      DamagedRows.subtracting(gaps, from: unreadable.empty), from: unreadable.ranges)
  }

  /// The rows on inner pages of a keyed table of which something cannot be read; nil where there are none. SQLite comes to them only from
  /// a page beside them, and both may be damaged.
  func innerRows(of table: String, through target: Database) throws -> StrayRows? {
    try rows(through: target) { $0.inner(of: table) }
  }

  private func rows(
    through target: Database, _ find: (StrayPages) -> StrayPages.Found?
  ) throws -> StrayRows? {
    guard case .success(let pages) = try search(), let found = find(pages) else { return nil }
    return StrayRows(
      target: target, map: pages.map, found: found, isComplete: pages.isComplete,
      isCancelled: isCancelled)
  }

  private func search() throws -> Result<StrayPages, PageMap.Obstacle> {
    if let result { return result }
    if way != .none, !file.holdsAllPages { throw LogIsInTheWay() }
    let found: Result<StrayPages, PageMap.Obstacle>
    do {
      guard way != .none else { throw PageMap.Obstacle.log }
      found = .success(
        try StrayPages(of: file.database, layout: layout, isCancelled: isCancelled))
    } catch let obstacle as PageMap.Obstacle {
      found = .failure(obstacle)
    }
    result = found
    return found
  }

  /// Adds why pages were not looked for, or were not taken.
  func tell(_ report: inout Salvage.Report) {
    switch result {
    case nil: break
    case .failure(let obstacle):
      report.lose(
        "rows on pages that no readable page names, which were not looked for because \(obstacle.reason)"
      )
    case .success(let pages):
      for (names, count) in pages.ambiguous.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
      {
        report.lose(
          "\(counted(count, "page")) of rows that may be those of \(Self.listed(names)): none is saved, because no readable page says which"
        )
      }
      for (name, count) in pages.sharing.sorted(by: { $0.key < $1.key }) {
        report.lose(
          "\(counted(count, "page")) of rows of \(name) with a value that goes on where that of another page does: none is saved, because nothing says which is newer"
        )
      }
      for (name, count) in pages.contradicting.sorted(by: { $0.key < $1.key }) {
        report.lose(
          "\(counted(count, "page")) of rows of \(name) that seem to hold the same keys: none is saved, because nothing says which is newer"
        )
      }
    }
  }

  /// Names that a sentence lists.
  private static let maximumNames = 4

  private static func listed(_ names: [String]) -> String {
    let more = names.count - maximumNames
    return names.prefix(maximumNames).joined(separator: " or of ")
      + (more > 0 ? " or of \(more) more" : "")
  }
}

extension Salvage {
  /// Ranges that a table's stray pages leave and that are told one by one.
  private static let maximumRanges = 10

  /// What is told of ranges that cannot be read, when a part of them was saved from stray pages.
  ///
  /// - Returns: what is left of them; where that would be many small ranges, the ranges themselves.
  static func left(
    of unreadable: DamagedRows.Unreadable, without rows: StrayRows
  ) -> (ranges: [ClosedRange<Int64>], areWhole: Bool) {
    let (ranges, rest) = (unreadable.ranges, rows.rest(of: unreadable))
    return rest.count <= max(maximumRanges, ranges.count) ? (rest, false) : (ranges, true)
  }

  /// What follows a range of which rows were saved.
  static func exception(_ count: Int, _ noun: String) -> String {
    ", but for \(counted(count, noun)) saved from pages that were read one by one"
  }
}
