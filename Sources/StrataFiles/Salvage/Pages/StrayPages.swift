import Strata
import StrataSQLite

/// Whole pages of rows that no readable page names: those below a damaged page.
///
/// In a sound file each page is free or reached. One that is neither is below a page that cannot be read, and its rows are in the file. They are a table's
/// where a damaged page of its tree names it, or where they look like its rows, stand in a gap of its tree, and could be those of no other table
/// or index that has a gap. Rows of damaged pages that can be read all the same are among them.
struct StrayPages {
  /// A leaf with its rows, or some rows of a page, between which there are no others.
  struct Entry {
    let page: Int
    /// Which of the page's cells; nil for all.
    let cells: Range<Int>?
    let first: PageKey
    let last: PageKey
    /// Of which numbers these are all rows; nil in a keyed table.
    let numbers: ClosedRange<Int64>?

    /// - Parameters:
    ///   - lowest: up to the first row there is none from here on; nil where that is not known.
    ///   - highest: behind the last one there is none up to here.
    init(
      page: Int, cells: Range<Int>?, first: PageKey, last: PageKey, from lowest: Int64? = nil,
      to highest: Int64? = nil
    ) {
      (self.page, self.cells, self.first, self.last) = (page, cells, first, last)
      if case .row(let first) = first, case .row(let last) = last {
        numbers = min(lowest ?? first, first)...max(highest ?? last, last)
      } else {
        numbers = nil
      }
    }
  }

  /// A table's pages, in the order of their keys.
  struct Found {
    let tree: StoredTree
    /// Pages that whole pages of its tree name.
    let whole: [Int]
    let entries: [Entry]
    /// Where its tree cannot be read.
    let gaps: [PageMap.Gap]
  }

  let map: PageMap
  /// By the number of the tree.
  var entries: [[Entry]]
  /// By the number of the tree: damaged pages of it that whole pages name.
  private(set) var damagedPages: [[PageMap.RowsOfDamagedPage]]
  /// The same of damaged pages that damaged pages name, and whether keys up to the first one on it can stand nowhere else.
  var parts: [[(rows: PageMap.RowsOfDamagedPage, isFirstOfGap: Bool)]]
  /// Pages of which nothing is taken after all, because others say otherwise.
  private(set) var dropped: Set<Int> = []
  /// Pages that damaged pages name, of which it is known whose they are.
  var followed: PageSet
  /// The same, by number.
  var taken: [Int: TakenPage] = [:]
  /// Those of them that a stray inner page names, too.
  private var contested: Set<Int> = []
  /// The numbers of trees of which damaged pages name pages that are not whole, or are not theirs.
  var treesWithLosses: Set<Int> = []
  /// Whether all pages of the file are accounted for, so that none is missing below a page that cannot be read.
  private(set) var isComplete = false
  /// How many pages may be those of several tables, by their names.
  private(set) var ambiguous: [[String]: Int] = [:]
  /// How many pages of a table say different things of the same keys.
  private(set) var contradicting: [String: Int] = [:]
  /// How many pages of a table have a value that goes on where one of another page does.
  private(set) var sharing: [String: Int] = [:]

  /// Pages on which values of rows of damaged and stray pages go on. A page is gone along once at most.
  private var rests: PageSet
  /// Those of them that were found on the page that was looked at last.
  private var restsOfPage: [Int] = []
  /// Those of them that a second stray page names, too.
  private var sharedRests: PageSet
  private var hasSharedRests = false
  /// Pages that stray inner pages name, and whether one is named twice.
  var named: PageSet
  var isNamedTwice = false
  var page: [UInt8] = []
  private var payload: [UInt8] = []
  private var rest: [UInt8] = []

  /// Bytes in which the types of a row's values have to stand: more than 32,000 columns take, which is SQLite's own bound.
  static let maximumHeaderSize = 1 << 18
  /// Trees that are noted of a page.
  private static let maximumCandidates = 8
  /// Pages between two questions whether to go on.
  static let pagesBetweenQuestions = 64

  /// - Throws: `PageMap.Obstacle`
  init(of source: Database, layout: TableLayout, isCancelled: @escaping () -> Bool) throws {
    map = try PageMap(of: source, layout: layout, isCancelled: isCancelled)
    entries = map.trees.map { _ in [] }
    damagedPages = map.damagedPages
    parts = map.trees.map { _ in [] }
    rests = PageSet(upTo: map.reader.pageCount)
    sharedRests = PageSet(upTo: map.reader.pageCount)
    named = PageSet(upTo: map.reader.pageCount)
    followed = PageSet(upTo: map.reader.pageCount)
    for number in map.restsOfDamagedPages { rests.insert(number) }
    var explained = PageSet(upTo: map.reader.pageCount)
    var twice = try follow(&explained, isCancelled)
    for number in 2..<max(2, map.reader.pageCount + 1)
    where map.obstacle == nil && !map.reached.contains(number) && !followed.contains(number) {
      if number % Self.pagesBetweenQuestions == 0, isCancelled() { throw SQLiteError.interrupted }
      if judge(number) { explained.insert(number) }
    }
    twice = withAllBelow(twice.union(contested))
    for number in entries.indices where entries[number].contains(where: { twice.contains($0.page) })
    {
      entries[number].removeAll { twice.contains($0.page) }
      treesWithLosses.insert(number)
    }
    for number in entries.indices {
      damagedPages[number] = try damagedPages[number].map { try withoutSharers($0, isCancelled) }
      for damaged in damagedPages[number] { entries[number] += Self.runs(of: damaged) }
      for (rows, isFirstOfGap) in parts[number] where !twice.contains(rows.page) {
        entries[number] += Self.runs(
          of: try withoutSharers(rows, isCancelled), isFirstOfGap: isFirstOfGap)
      }
    }
    dropped = twice
    for number in entries.indices {
      let sharers = try dropSharers(number, isCancelled)
      let contradictions = dropContradictions(number)
      if map.trees[number].isRead {
        let name = map.trees[number].name
        if !sharers.isEmpty { sharing[name] = sharers.count }
        if !contradictions.isEmpty { contradicting[name] = contradictions.count }
      }
      if !sharers.isEmpty || !contradictions.isEmpty { treesWithLosses.insert(number) }
      dropped.formUnion(sharers.union(contradictions))
    }
    for page in dropped { explained.remove(page) }
    isComplete =
      map.isWhole && map.obstacle == nil && !isNamedTwice
      && (1...map.reader.pageCount).allSatisfy {
        map.reached.contains($0) || explained.contains($0) || rests.contains($0)
      }
  }

  /// The pages of a table's rows; nil where the table is not read from pages, or its tree has no gap.
  func found(of table: String) -> Found? {
    guard
      let number = map.trees.firstIndex(where: { $0.isRead && $0.name == table }),
      !map.gaps[number].isEmpty
    else { return nil }
    return Found(
      tree: map.trees[number], whole: map.wholePages[number], entries: entries[number],
      gaps: map.gaps[number])
  }

  /// Runs of a page beyond which it is a mess.
  private static let maximumRuns = 256

  /// Rows whose cells stand one behind the other. On an inner page there are pages between any two.
  ///
  /// - Parameter isFirstOfGap: whether keys up to the first one can stand nowhere else.
  static func runs(of damaged: PageMap.RowsOfDamagedPage, isFirstOfGap: Bool = true) -> [Entry] {
    var runs: [Range<Int>] = []
    for (place, row) in damaged.rows.enumerated() {
      if damaged.isLeaf, let run = runs.last, damaged.rows[run.upperBound - 1].cell + 1 == row.cell
      {
        runs[runs.count - 1] = run.lowerBound..<place + 1
      } else {
        runs.append(place..<place + 1)
      }
    }
    if damaged.isLeaf, runs.count > maximumRuns { return [] }
    return runs.map { run in
      let (first, last) = (damaged.rows[run.lowerBound], damaged.rows[run.upperBound - 1])
      return Entry(
        page: damaged.page, cells: first.cell..<last.cell + 1, first: first.key, last: last.key,
        from: first.cell == 0 && isFirstOfGap ? damaged.gap.numbers?.lowerBound : nil,
        to: last.cell + 1 == damaged.cellCount && !damaged.mayHaveMoreCells
          ? damaged.gap.numbers?.upperBound : nil)
    }
  }

  // MARK: - Whose a page is

  /// - Returns: whether it is known what the page is.
  private mutating func judge(_ number: Int) -> Bool {
    guard map.reader.read(number, into: &page),
      let found = BTreePage(page, usableSize: map.reader.usableSize),
      // What is below a page that nothing names is named by nothing else.
      found.children.allSatisfy({
        $0 >= 2 && $0 <= map.reader.pageCount && !map.reached.contains($0)
      })
    else { return false }
    for child in found.children {
      if !named.insert(child) { isNamedTwice = true }
      guard followed.contains(child) else { continue }
      isNamedTwice = true
      contested.insert(child)
    }
    // It has no rows; those that are below it are found by themselves.
    if found.kind == .tableInterior {
      return zip(map.gaps, map.trees).contains { !$0.isEmpty && $1.hasRows }
    }
    guard let rows = summary(of: found) else { return false }
    var candidates: [(tree: Int, entries: [Entry])] = []
    for (tree, gaps) in map.gaps.enumerated()
    where !gaps.isEmpty && map.trees[tree].hasRows == found.kind.isOfTable {
      guard map.trees[tree].mayHave(rows),
        let entries = placed(number, found, map.trees[tree], gaps)
      else { continue }
      candidates.append((tree, entries))
      // It makes no difference of how many more.
      if candidates.count == Self.maximumCandidates { break }
    }
    let trees = candidates.map { map.trees[$0.tree] }
    guard trees.contains(where: \.isRead) else {
      return !trees.isEmpty && trees.count < Self.maximumCandidates
    }
    guard candidates.count == 1 else {
      ambiguous[trees.map(\.name).sorted(), default: 0] += 1
      return false
    }
    entries[candidates[0].tree] += candidates[0].entries
    return true
  }

  /// What a page's rows look like; nil where one is damaged.
  mutating func summary(of found: BTreePage) -> RowSummary? {
    restsOfPage.removeAll(keepingCapacity: true)
    guard !found.cells.isEmpty else { return nil }
    var rows = RowSummary()
    for cell in found.cells {
      guard readPayload(of: cell, atMost: Self.maximumHeaderSize),
        let record = StoredRecord(payload, 0..<payload.count, payloadSize: cell.payloadSize)
      else { return nil }
      rows.add(record)
    }
    return rows
  }

  /// Reads the first bytes of a cell's payload, and goes along all pages on which it stands.
  mutating func readPayload(of cell: BTreePage.Cell, atMost limit: Int) -> Bool {
    payload.removeAll(keepingCapacity: true)
    payload += page[cell.local]
    guard cell.overflow != 0 else { return true }
    var number = cell.overflow
    let count = map.restPages(of: cell)
    guard count <= map.reader.pageCount else { return false }
    for _ in 0..<count {
      guard number >= 2, number <= map.reader.pageCount, !map.reached.contains(number),
        map.reader.read(number, into: &rest)
      else { return false }
      guard rests.insert(number) else {
        sharedRests.insert(number)
        hasSharedRests = true
        return false
      }
      restsOfPage.append(number)
      let wanted = min(cell.payloadSize, limit) - payload.count
      if wanted > 0 { payload += rest[4..<min(4 + wanted, map.reader.usableSize)] }
      number = BTreePage.number(rest, 0)
    }
    return number == 0
  }

  /// As if the page whose rows were summed up last had not been looked at.
  mutating func unmarkRests() {
    for number in restsOfPage { rests.remove(number) }
    restsOfPage.removeAll(keepingCapacity: true)
  }

  /// The page's rows as those of a tree; nil where they stand in no gap of it.
  func placed(
    _ number: Int, _ found: BTreePage, _ tree: StoredTree, _ gaps: [PageMap.Gap]
  ) -> [Entry]? {
    guard tree.hasRows || tree.keyCount > 0 else { return [] }
    var keys: [PageKey] = []
    for cell in found.cells {
      guard let key = map.key(of: cell, in: page, tree), keys.last?.mayStand(before: key) ?? true
      else { return nil }
      keys.append(key)
    }
    guard let first = keys.first, let last = keys.last,
      let gap = Self.gap(of: first, gaps), gap.holds(first), gap.holds(last)
    else { return nil }
    guard found.kind == .indexInterior else {
      return [Entry(page: number, cells: nil, first: first, last: last)]
    }
    return keys.enumerated().map {
      Entry(page: number, cells: $0..<$0 + 1, first: $1, last: $1)
    }
  }

  /// The last gap that does not begin behind a key.
  private static func gap(of key: PageKey, _ gaps: [PageMap.Gap]) -> PageMap.Gap? {
    var (low, high) = (0, gaps.count)
    while low < high {
      let middle = (low + high) / 2
      if gaps[middle].lower.map({ $0.order(to: key) == .before }) ?? true {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low > 0 ? gaps[low - 1] : nil
  }

  /// Leaves out a tree's pages of which a value goes on where that of another page does: one of both is not of now.
  ///
  /// - Returns: what is left out.
  private mutating func dropSharers(_ number: Int, _ isCancelled: () -> Bool) throws -> Set<Int> {
    guard hasSharedRests else { return [] }
    // Of these each row was judged by itself, and what is left of them shares nothing.
    let judged = Set(damagedPages[number].map(\.page) + parts[number].map(\.rows.page))
    var pages: Set<Int> = []
    var latest = 0
    for (count, entry) in entries[number].enumerated()
    where entry.page != latest && !judged.contains(entry.page) {
      if count % Self.pagesBetweenQuestions == 0, isCancelled() { throw SQLiteError.interrupted }
      latest = entry.page
      if try goesOnWhereOthersDo(entry.page, isCancelled) { pages.insert(entry.page) }
    }
    entries[number].removeAll { pages.contains($0.page) }
    return pages
  }

  private mutating func goesOnWhereOthersDo(
    _ number: Int, _ isCancelled: () -> Bool
  ) throws -> Bool {
    guard map.reader.read(number, into: &page),
      let found = BTreePage(page, usableSize: map.reader.usableSize)
    else { return false }
    return try found.cells.contains { try goesOnWhereOthersDo($0, isCancelled) }
  }

  private mutating func goesOnWhereOthersDo(
    _ cell: BTreePage.Cell, _ isCancelled: () -> Bool
  ) throws -> Bool {
    var next = cell.overflow
    guard next != 0, map.restPages(of: cell) <= map.reader.pageCount else { return false }
    for count in 0..<map.restPages(of: cell) {
      guard next >= 2, next <= map.reader.pageCount else { break }
      if count % Self.pagesBetweenQuestions == 0, isCancelled() { throw SQLiteError.interrupted }
      if sharedRests.contains(next) { return true }
      guard map.reader.read(next, into: &rest) else { break }
      next = BTreePage.number(rest, 0)
    }
    return false
  }

  /// Rows of a damaged page without those of which a value goes on where that of another page does: one of both is not of now.
  private mutating func withoutSharers(
    _ damaged: PageMap.RowsOfDamagedPage, _ isCancelled: () -> Bool
  ) throws -> PageMap.RowsOfDamagedPage {
    guard hasSharedRests else { return damaged }
    var (damaged, sharers) = (damaged, Set<Int>())
    // Of the others nothing is taken, and where they go on may be a circle.
    let taken = Set(damaged.rows.map(\.cell))
    for (cell, long) in damaged.long where taken.contains(cell) {
      if try goesOnWhereOthersDo(long, isCancelled) { sharers.insert(cell) }
    }
    damaged.rows.removeAll { sharers.contains($0.cell) }
    return damaged
  }

  /// Puts a tree's pages in the order of their keys, without those that say different things of the same ones: one of them is not of now.
  ///
  /// - Returns: what is left out.
  private mutating func dropContradictions(_ number: Int) -> Set<Int> {
    let sorted = entries[number].sorted { $0.first.order(to: $1.first) == .before }
    var isDropped = [Bool](repeating: false, count: sorted.count)
    var latest = 0
    for index in sorted.indices.dropFirst() {
      if sorted[latest].last.order(to: sorted[index].first) != .before {
        (isDropped[latest], isDropped[index]) = (true, true)
      }
      if sorted[latest].last.order(to: sorted[index].last) == .before { latest = index }
    }
    entries[number] = sorted.indices.filter { !isDropped[$0] }.map { sorted[$0] }
    return Set(sorted.indices.filter { isDropped[$0] }.map { sorted[$0].page })
  }
}
