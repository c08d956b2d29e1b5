import StrataSQLite

/// What damaged pages say all the same.
extension PageMap {
  /// Rows that can be read on a damaged page of a tree, with their places on it.
  struct RowsOfDamagedPage {
    let page: Int
    let isLeaf: Bool
    /// Of all cells of the page.
    let cellCount: Int
    /// Whether the count may be too low.
    let mayHaveMoreCells: Bool
    var rows: [(cell: Int, key: PageKey)]
    let gap: Gap
    /// The cells of those whose values go on elsewhere.
    let long: [(cell: Int, BTreePage.Cell)]
  }

  /// A page that a damaged inner page names.
  struct NamedPage {
    let page: Int
    /// The number of the tree.
    let tree: Int
    /// The keys that can stand on it and below, as far as the inner page says.
    let gap: Gap
    /// Whether keys up to the first one on it can stand nowhere else.
    let isFirstOfGap: Bool
  }

  /// Cells of a damaged page that may be whole, with their keys.
  typealias Cells = (page: DamagedPage, sound: [(cell: Int, key: PageKey)])

  /// What can be read on a damaged page: cells that look like the tree's, in their order, where none is another's.
  func cellsOfDamagedPage(_ page: [UInt8], of tree: StoredTree, _ gap: Gap) -> Cells? {
    guard page.count >= reader.usableSize,
      let found = DamagedPage(page, usableSize: reader.usableSize),
      found.kind.isOfTable == tree.hasRows
    else { return nil }
    var sound: [(cell: Int, key: PageKey)] = []
    for (index, cell) in found.cells.enumerated() {
      guard let cell, let key = key(of: cell, in: page, tree),
        tree.hasRows ? gap.holds(key) : gap.mayHold(key),
        found.kind == .tableInterior ? isPage(cell.child) : mayHave(cell, in: page, tree)
      else { continue }
      sound.append((index, key))
    }
    found.dropWhatOverlaps(&sound)
    DamagedPage.dropWhatIsOutOfOrder(&sound)
    return (found, sound)
  }

  /// Whether a cell looks like a row of a tree.
  private func mayHave(_ cell: BTreePage.Cell, in page: [UInt8], _ tree: StoredTree) -> Bool {
    guard let record = StoredRecord(page, cell.local, payloadSize: cell.payloadSize) else {
      return false
    }
    var summary = RowSummary()
    summary.add(record)
    return tree.mayHave(summary)
  }

  /// The rows of a damaged page; nil where there are none.
  func rows(of cells: Cells, on number: Int, _ gap: Gap) -> RowsOfDamagedPage? {
    let (found, rows) = cells
    guard found.kind != .tableInterior, !rows.isEmpty else { return nil }
    return RowsOfDamagedPage(
      page: number, isLeaf: found.kind.isLeaf, cellCount: found.cells.count,
      mayHaveMoreCells: found.mayHaveMoreCells, rows: rows, gap: gap,
      long: rows.compactMap { row in
        found.cells[row.cell].flatMap { $0.overflow == 0 ? nil : (row.cell, $0) }
      })
  }

  /// The pages that a damaged inner page names: each with keys up to that of its cell, and above that of the cell before that is whole.
  ///
  /// - Parameter isFirstOfGap: whether keys up to the first one below it can stand nowhere else.
  /// - Returns: numbers that a damaged cell says, which may be those of no page: what should stand there is missing then.
  func pagesNamed(
    by cells: Cells, of tree: Int, _ gap: Gap, isFirstOfGap: Bool = true
  ) -> [NamedPage] {
    let (found, sound) = cells
    guard !found.kind.isLeaf else { return [] }
    var named: [NamedPage] = []
    var (lower, next) = (gap.lower, 0)
    func add(_ child: Int, _ upper: PageKey?, isNext: Bool) {
      named.append(
        NamedPage(
          page: child, tree: tree, gap: Gap(lower: lower, upper: upper),
          isFirstOfGap: isNext && (next > 0 || isFirstOfGap)))
    }
    for (cell, key) in sound {
      if let found = found.cells[cell] { add(found.child, key, isNext: cell == next) }
      (lower, next) = (key, cell + 1)
    }
    add(
      found.lastChild, gap.upper,
      isNext: next == found.cells.count && !found.mayHaveMoreCells)
    return named
  }

  /// Which row of a damaged page a page is a part of.
  private struct Claim: Hashable {
    let tree: Int
    let page: Int
    let cell: Int
  }

  /// Goes along the pages on which values of damaged pages go on, each once, when all trees are known. A row stays if all of them are there and
  /// are no other's that is reached.
  mutating func findRestsOfDamagedPages() throws {
    var claims: [Int: Claim] = [:]
    var chains: [Claim: [Int]] = [:]
    var refused: Set<Claim> = []
    var rest: [UInt8] = []
    for (tree, pages) in damagedPages.enumerated() {
      for (page, damaged) in pages.enumerated() {
        for (cell, long) in damaged.long {
          let claim = Claim(tree: tree, page: page, cell: cell)
          var (number, left, chain) = (long.overflow, restPages(of: long), [Int]())
          while left > 0 {
            try askWhetherToGoOn()
            if let other = claims[number] {
              // One of both is not of now.
              refused.insert(other)
              break
            }
            guard number >= 2, number <= reader.pageCount, !reached.contains(number),
              reader.read(number, into: &rest)
            else { break }
            claims[number] = claim
            chain.append(number)
            number = BTreePage.number(rest, 0)
            left -= 1
          }
          if left > 0 || number != 0 { refused.insert(claim) }
          chains[claim] = chain
        }
      }
    }
    restsOfDamagedPages = chains.flatMap { refused.contains($0.key) ? [] : $0.value }
    for claim in refused {
      damagedPages[claim.tree][claim.page].rows.removeAll { $0.cell == claim.cell }
    }
  }
}
