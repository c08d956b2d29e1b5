import Strata
import StrataSQLite

/// Which pages of a file are reached, from the roots of its trees and from the list of free pages, and where trees have gaps.
///
/// Each page is read once at most, and each byte of it looked at a fixed number of times.
struct PageMap {
  /// Why pages that are not reached say nothing.
  struct Obstacle: Error {
    /// A clause.
    let reason: String

    static let log = Obstacle(reason: "the log beside the file cannot be brought into a copy of it")
    static let form = Obstacle(reason: "the file has a form that Strata does not write")
    static let definitions = Obstacle(reason: "the table of definitions cannot be read as a whole")
    static let freePages = Obstacle(reason: "the list of free pages is damaged")
    static let twice = Obstacle(reason: "a page is named in two places of the file")
  }

  /// Keys of one tree that stand on pages which cannot be read: above the one, up to the other.
  struct Gap {
    /// Nil where the tree begins.
    let lower: PageKey?
    /// Nil where the tree ends.
    let upper: PageKey?
    /// Whether it is of a page of which some rows can be read.
    var isReadInPart = false
    /// Whether it is of a whole page of rows whose numbers are not those that should stand there: SQLite finds no row there that is none.
    var isOfMisplacedRows = false
  }

  /// With fewer pages, the first byte of a page on which a value goes on is less than that of any page of a tree: neither is taken for the
  /// other. Such a page begins with the number of the next one.
  static let maximumPages = Int(BTreePage.Kind.indexInterior.rawValue) << 24

  let reader: PageReader
  let trees: [StoredTree]
  /// Pages of trees, of long values, and free ones.
  var reached: PageSet
  /// By the number of the tree; in the order of their keys, once all is read.
  private(set) var gaps: [[Gap]]
  /// By the number of the tree, of those that are read.
  var damagedPages: [[RowsOfDamagedPage]]
  /// Pages on which values of their rows go on. A stray page may say so of its own rows, too.
  var restsOfDamagedPages: [Int] = []
  /// What damaged inner pages of trees that are read name.
  private(set) var namedPages: [NamedPage] = []
  /// By the number of the tree, of those that are read: whole pages with rows that whole pages name.
  private(set) var wholePages: [[Int]]
  /// Why pages that no page names are not to be taken.
  private(set) var obstacle: Obstacle?
  /// Pages that the header counts and that the file does not have.
  private let missingPages: Int
  /// Whether the file has all pages that it had when it was written.
  let isWhole: Bool

  private let isCancelled: () -> Bool
  private var page: [UInt8] = []
  private var visited = 0

  /// Pages between two questions whether to go on.
  private static let pagesBetweenQuestions = 64

  /// - Throws: `Obstacle`
  init(
    of source: Database, layout: TableLayout, isCancelled: @escaping () -> Bool
  ) throws {
    guard let reader = PageReader(source), reader.pageCount < Self.maximumPages,
      // Texts are UTF-8, and no page says where others are.
      BTreePage.number(reader.header, 56) == 1, BTreePage.number(reader.header, 52) == 0
    else { throw Obstacle.form }
    let areAllKnown: Bool
    do {
      (trees, areAllKnown) = try StoredTree.all(in: source, layout: layout)
    } catch let error as SQLiteError where error.isOfDamage {
      throw Obstacle.definitions
    }
    self.reader = reader
    self.isCancelled = isCancelled
    reached = PageSet(upTo: reader.pageCount)
    gaps = trees.map { _ in [] }
    damagedPages = trees.map { _ in [] }
    wholePages = trees.map { _ in [] }
    // The header's number counts where the program that wrote last has kept it.
    let isCounted = BTreePage.number(reader.header, 24) == BTreePage.number(reader.header, 92)
    missingPages =
      isCounted ? max(0, BTreePage.number(reader.header, 28) - reader.pageCount) : 0
    isWhole = isCounted && missingPages == 0
    reached.insert(0)
    if reader.lockPage <= reader.pageCount { reached.insert(reader.lockPage) }
    do {
      try walkFreePages()
    } catch let damage as Obstacle {
      // A page of a tree that seems to be free counts as the tree's.
      obstacle = damage
      reached = PageSet(upTo: reader.pageCount)
      reached.insert(0)
      if reader.lockPage <= reader.pageCount { reached.insert(reader.lockPage) }
    }
    for (number, tree) in trees.enumerated() {
      try walk(tree, number)
      if number == 0, !areAllKnown || !gaps[0].isEmpty { obstacle = .definitions }
      gaps[number].sort { Self.isBefore($0, $1) }
      if gaps[number].isEmpty { wholePages[number] = [] }
    }
    try findRestsOfDamagedPages()
  }

  /// - Returns: whether the number is that of a page, be it one that is missing at the file's end.
  func isPage(_ number: Int) -> Bool {
    number >= 2 && number <= reader.pageCount + missingPages
  }

  private mutating func reach(_ number: Int) throws {
    guard reached.insert(number) else { throw Obstacle.twice }
    try askWhetherToGoOn()
  }

  mutating func askWhetherToGoOn() throws {
    visited += 1
    if visited % Self.pagesBetweenQuestions == 0, isCancelled() { throw SQLiteError.interrupted }
  }

  // MARK: - Free pages

  /// <https://www.sqlite.org/fileformat2.html#the_freelist>
  private mutating func walkFreePages() throws {
    var trunk = BTreePage.number(reader.header, 32)
    let named = BTreePage.number(reader.header, 36)
    var count = 0
    while trunk != 0 {
      // A page that comes again ends it.
      guard trunk >= 2, trunk <= reader.pageCount, reached.insert(trunk),
        reader.read(trunk, into: &page)
      else { throw Obstacle.freePages }
      try askWhetherToGoOn()
      let leaves = BTreePage.number(page, 4)
      guard leaves <= reader.usableSize / 4 - 2 else { throw Obstacle.freePages }
      for index in 0..<leaves {
        let leaf = BTreePage.number(page, 8 + 4 * index)
        guard isPage(leaf), leaf > reader.pageCount || reached.insert(leaf) else {
          throw Obstacle.freePages
        }
      }
      count += leaves + 1
      guard count <= named else { throw Obstacle.freePages }
      trunk = BTreePage.number(page, 0)
    }
    guard count == named else { throw Obstacle.freePages }
  }

  // MARK: - Trees

  private mutating func walk(_ tree: StoredTree, _ number: Int) throws {
    var places: [(page: Int, gap: Gap)] = [(tree.root, Gap(lower: nil, upper: nil))]
    while let place = places.popLast() {
      guard place.page >= 1, place.page <= reader.pageCount else {
        gaps[number].append(place.gap)
        continue
      }
      try reach(place.page)
      guard reader.read(place.page, into: &page) else {
        gaps[number].append(place.gap)
        continue
      }
      guard
        let found = BTreePage(
          page, usableSize: reader.usableSize, isFirst: place.page == 1),
        found.kind.isOfTable == tree.hasRows,
        let bounds = bounds(in: found, page, of: tree, place.gap)
      else {
        noteDamage(place.page, of: tree, number, place.gap)
        continue
      }
      for cell in found.cells where cell.overflow != 0 { try reachRest(of: cell) }
      if tree.isRead, found.kind != .tableInterior { wholePages[number].append(place.page) }
      for (child, gap) in zip(found.children, bounds) { places.append((child, gap)) }
    }
    // The last child was looked at first.
    wholePages[number].reverse()
  }

  /// Notes that a page of a tree is damaged, and what it says all the same.
  private mutating func noteDamage(
    _ place: Int, of tree: StoredTree, _ number: Int, _ gap: Gap
  ) {
    var gap = gap
    defer { gaps[number].append(gap) }
    let whole = BTreePage(page, usableSize: reader.usableSize)
    gap.isOfMisplacedRows = whole?.kind == .tableLeaf && tree.hasRows
    guard place > 1, tree.isRead, let damaged = cellsOfDamagedPage(page, of: tree, gap) else {
      return
    }
    namedPages += pagesNamed(by: damaged, of: number, gap)
    guard let rows = rows(of: damaged, on: place, gap) else { return }
    damagedPages[number].append(rows)
    gap.isReadInPart = true
  }

  /// Between which keys each child's are, nothing for a leaf; nil where the page is damaged.
  func bounds(in found: BTreePage, _ page: [UInt8], of tree: StoredTree, _ gap: Gap) -> [Gap]? {
    guard found.children.allSatisfy(isPage) else { return nil }
    guard tree.hasRows || tree.keyCount > 0 else {
      return found.children.map { _ in gap }
    }
    var bounds: [Gap] = []
    var lower = gap.lower
    for cell in found.cells {
      guard let key = key(of: cell, in: page, tree), gap.mayHold(key),
        lower?.mayStand(before: key) ?? true
      else { return nil }
      if !found.kind.isLeaf { bounds.append(Gap(lower: lower, upper: key)) }
      lower = key
    }
    return found.kind.isLeaf ? [] : bounds + [Gap(lower: lower, upper: gap.upper)]
  }

  /// The key of a cell in a tree whose keys are known.
  func key(of cell: BTreePage.Cell, in page: [UInt8], _ tree: StoredTree) -> PageKey? {
    if tree.hasRows { return .row(cell.row) }
    return StoredRecord(page, cell.local, payloadSize: cell.payloadSize).flatMap {
      PageKey(page, cell, $0, count: tree.keyCount)
    }
  }

  /// Goes along the pages on which a value goes on, as far as they are there.
  private mutating func reachRest(of cell: BTreePage.Cell) throws {
    var number = cell.overflow
    var rest: [UInt8] = []
    for _ in 0..<restPages(of: cell) {
      guard number >= 2, number <= reader.pageCount else { return }
      try reach(number)
      guard reader.read(number, into: &rest) else { return }
      number = BTreePage.number(rest, 0)
    }
  }

  /// How many pages a value takes behind that of its cell.
  func restPages(of cell: BTreePage.Cell) -> Int {
    let room = reader.usableSize - 4
    return (cell.payloadSize - cell.local.count + room - 1) / room
  }

  private static func isBefore(_ one: Gap, _ other: Gap) -> Bool {
    guard let second = other.lower else { return false }
    return one.lower.map { $0.order(to: second) == .before } ?? true
  }
}

extension PageMap.Gap {
  /// Those that a row in it can have; nil where rows have none.
  var numbers: ClosedRange<Int64>? {
    var (lowest, highest) = (Int64.min, Int64.max)
    if let lower {
      guard case .row(let number) = lower, number < .max else { return nil }
      lowest = number + 1
    }
    if let upper {
      guard case .row(let number) = upper else { return nil }
      highest = number
    }
    return lowest <= highest ? lowest...highest : nil
  }

  /// Whether a key is not known to be outside.
  func mayHold(_ key: PageKey) -> Bool {
    (lower.map { key.order(to: $0) != .before } ?? true)
      && (upper.map { key.order(to: $0) != .after } ?? true)
  }

  /// Whether a key is in it for certain; that of a row may be the upper end.
  func holds(_ key: PageKey) -> Bool {
    guard lower.map({ key.order(to: $0) == .after }) ?? true else { return false }
    guard let upper else { return true }
    if case .row = key { return key.order(to: upper) != .after }
    return key.order(to: upper) == .before
  }
}

extension SQLiteError {
  /// As SQLite tells that it was asked to stop.
  static var interrupted: SQLiteError {
    SQLiteError(code: PrimaryCode.interrupted.rawValue, message: "interrupted")
  }
}
