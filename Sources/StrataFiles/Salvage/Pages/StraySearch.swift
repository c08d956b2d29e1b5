import Strata
import StrataSQLite
import StrataSchema

/// Goes through a damaged file's pages, once, when the first table is read.
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
  /// Whether SQLite finds the file's pages and indexes as they should be.
  private let isSound: Bool
  private let isCancelled: () -> Bool
  private var result: Result<StrayPages, PageMap.Obstacle>?

  init(
    _ file: UntouchedDatabase, layout: TableLayout, _ way: Way, isSound: Bool,
    isCancelled: @escaping () -> Bool
  ) {
    (self.file, self.layout, self.way) = (file, layout, way)
    (self.isSound, self.isCancelled) = (isSound, isCancelled)
  }

  /// A table of which some pages are damaged.
  struct DamagedTable {
    let rows: StrayRows
    /// Where rows of a keyed table may be missing.
    let holes: [PageMap.Gap]

    /// The numbers that rows on damaged pages, and below them, can have.
    var numbers: [ClosedRange<Int64>] {
      DamagedRows.joined(rows.found.gaps.compactMap(\.numbers))
    }

    /// Whether SQLite finds all rows of it that are in their order, and none else: a damaged pointer leads it past rows, or to what is none, and
    /// no error tells.
    var isReadBySQLite: Bool { rows.found.gaps.allSatisfy(\.isOfMisplacedRows) }
  }

  /// What the pages of a table say; nil where none of them is damaged, and where that is not known.
  ///
  /// - Parameter target: the new file.
  func damagedTable(_ name: String, through target: Database) throws -> DamagedTable? {
    guard !isSound, case .success(let pages) = try search(), let found = pages.found(of: name)
    else { return nil }
    let rows = StrayRows(
      target: target, map: pages.map, found: found, isComplete: pages.isComplete,
      isCancelled: isCancelled)
    return DamagedTable(rows: rows, holes: pages.holes(of: name) ?? [])
  }

  /// What is told of ranges that SQLite cannot read in a table without damaged pages: not the parts in which no row was found.
  func told(_ unreadable: DamagedRows.Unreadable, of table: String) throws -> [ClosedRange<Int64>] {
    guard !isSound, !unreadable.empty.isEmpty, case .success(let pages) = try search(),
      pages.holes(of: table)?.isEmpty == true
    else { return unreadable.ranges }
    return DamagedRows.subtracting(unreadable.empty, from: unreadable.ranges)
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
    case .failure(let obstacle): tell(obstacle, &report)
    case .success(let pages):
      if let obstacle = pages.map.obstacle,
        zip(pages.map.trees, pages.map.gaps).contains(where: {
          $0.isRead && !$1.isEmpty
        })
      {
        tell(obstacle, &report)
      }
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

  private func tell(_ obstacle: PageMap.Obstacle, _ report: inout Salvage.Report) {
    report.lose(
      "rows on pages that no readable page names, which were not looked for because \(obstacle.reason)"
    )
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
