import StrataSQLite

/// Pages that damaged inner pages name.
extension StrayPages {
  /// Goes down from the pages that damaged pages of a tree name, and takes those that hold what should stand there. A damaged pointer may lead to
  /// any number: one that does not fit is judged by its looks as if nothing named it.
  ///
  /// - Parameter explained: gets the whole pages.
  /// - Returns: pages that two of them name.
  mutating func follow(_ explained: inout PageSet, _ isCancelled: () -> Bool) throws -> Set<Int> {
    var twice: Set<Int> = []
    var looks: [Int: Int] = [:]
    var places = map.namedPages
    var count = 0
    // Each page adds those below it once.
    while let place = places.popLast() {
      count += 1
      if count % Self.pagesBetweenQuestions == 0, isCancelled() { throw SQLiteError.interrupted }
      if taken[place.page] != nil {
        isNamedTwice = true
        twice.insert(place.page)
        treesWithLosses.insert(place.tree)
        continue
      }
      looks[place.page, default: 0] += 1
      guard looks[place.page, default: 0] <= Self.maximumLooks, place.page >= 2,
        place.page <= map.reader.pageCount, !map.reached.contains(place.page)
      else {
        treesWithLosses.insert(place.tree)
        continue
      }
      var below = take(place)
      if below != nil {
        explained.insert(place.page)
      } else {
        treesWithLosses.insert(place.tree)
        below = takePart(of: place)
      }
      guard let below else { continue }
      followed.insert(place.page)
      taken[place.page] = TakenPage(tree: place.tree, below: below.map(\.page))
      places += below
    }
    return twice
  }

  /// A page that is taken for one of a tree, and the pages that it names.
  struct TakenPage {
    let tree: Int
    let below: [Int]
  }

  /// For how many of the places that name a page it is looked at: a damaged page may name one again and again.
  private static let maximumLooks = 4

  /// Nothing says of which tree a page is that two places name, and what is below it.
  mutating func withAllBelow(_ twice: Set<Int>) -> Set<Int> {
    var all = twice
    var pages = Array(twice)
    // Each page is added once.
    while let page = pages.popLast() {
      guard let page = taken[page] else { continue }
      treesWithLosses.insert(page.tree)
      for child in page.below where taken[child] != nil && all.insert(child).inserted {
        pages.append(child)
      }
    }
    return all
  }

  /// Takes the rows of a page.
  ///
  /// - Returns: the pages that it names; nil where it is not whole, or does not fit.
  private mutating func take(_ place: PageMap.NamedPage) -> [PageMap.NamedPage]? {
    guard map.reader.read(place.page, into: &page),
      let found = BTreePage(page, usableSize: map.reader.usableSize),
      let fitting = fitting(found, place)
    else { return nil }
    return take(found, fitting.entries, place) ? fitting.below : nil
  }

  /// The rows of a whole page and the pages that it names; nil where they are not those that should stand there.
  private func fitting(
    _ found: BTreePage, _ place: PageMap.NamedPage
  ) -> (entries: [Entry], below: [PageMap.NamedPage])? {
    let tree = map.trees[place.tree]
    guard found.kind.isOfTable == tree.hasRows,
      found.children.allSatisfy({
        $0 >= 2 && $0 <= map.reader.pageCount && !map.reached.contains($0)
      }),
      let bounds = map.bounds(in: found, page, of: tree, place.gap),
      var entries = found.kind == .tableInterior
        ? [] : placed(place.page, found, tree, [place.gap])
    else { return nil }
    if found.kind == .tableLeaf, let numbers = place.gap.numbers {
      entries = entries.map {
        Entry(
          page: $0.page, cells: nil, first: $0.first, last: $0.last,
          from: place.isFirstOfGap ? numbers.lowerBound : nil, to: numbers.upperBound)
      }
    }
    let below = zip(found.children, bounds).enumerated().map { index, child in
      PageMap.NamedPage(
        page: child.0, tree: place.tree, gap: child.1,
        isFirstOfGap: index > 0 || place.isFirstOfGap)
    }
    return (entries, below)
  }

  /// - Returns: whether a whole page's rows look like those of its tree, and are taken.
  private mutating func take(
    _ found: BTreePage, _ rows: [Entry], _ place: PageMap.NamedPage
  ) -> Bool {
    if found.kind != .tableInterior {
      guard let summary = summary(of: found), map.trees[place.tree].mayHave(summary) else {
        // It is judged again, for another place or by its looks.
        unmarkRests()
        return false
      }
      entries[place.tree] += rows
    }
    for child in found.children where !named.insert(child) { isNamedTwice = true }
    return true
  }

  /// Takes what is whole of a damaged page.
  ///
  /// - Returns: the pages that it names; nil where nothing of it is whole.
  private mutating func takePart(of place: PageMap.NamedPage) -> [PageMap.NamedPage]? {
    let tree = map.trees[place.tree]
    guard map.reader.read(place.page, into: &page),
      BTreePage(page, usableSize: map.reader.usableSize) == nil,
      let cells = map.cellsOfDamagedPage(page, of: tree, place.gap), !cells.sound.isEmpty
    else { return nil }
    if var rows = map.rows(of: cells, on: place.page, place.gap) {
      var lost: Set<Int> = []
      for (cell, long) in rows.long where !readPayload(of: long, atMost: 0) { lost.insert(cell) }
      rows.rows.removeAll { lost.contains($0.cell) }
      parts[place.tree].append((rows, place.isFirstOfGap))
    }
    return map.pagesNamed(
      by: cells, of: place.tree, place.gap, isFirstOfGap: place.isFirstOfGap)
  }

  /// Where rows of a table may be missing: its gaps, but for what is read there. Nil for a table that is not read from pages.
  func holes(of table: String) -> [PageMap.Gap]? {
    guard let number = map.trees.firstIndex(where: { $0.isRead && $0.name == table }) else {
      return nil
    }
    let areAllBelowTaken = !treesWithLosses.contains(number)
    return map.gaps[number].filter { !$0.isReadInPart }
      + damagedPages[number].flatMap { damaged in
        let holes = holes(in: damaged, areAllBelowTaken: areAllBelowTaken)
        return damaged.isLeaf || !areAllBelowTaken
          ? holes : holes.flatMap { between(entries[number], in: $0) }
      }
  }

  /// What of a gap is not on any of a tree's pages, which are in the order of their keys.
  private func between(_ entries: [Entry], in gap: PageMap.Gap) -> [PageMap.Gap] {
    var (low, high) = (0, entries.count)
    while let lower = gap.lower, low < high {
      let middle = (low + high) / 2
      if lower.order(to: entries[middle].first) == .before {
        high = middle
      } else {
        low = middle + 1
      }
    }
    var parts: [PageMap.Gap] = []
    var lower = gap.lower
    for entry in entries[(gap.lower == nil ? 0 : low)...] {
      if let upper = gap.upper, entry.last.order(to: upper) != .before { break }
      parts.append(PageMap.Gap(lower: lower, upper: entry.first))
      lower = entry.last
    }
    return parts + [PageMap.Gap(lower: lower, upper: gap.upper)]
  }

  /// - Parameter areAllBelowTaken: whether all pages that damaged pages of the tree name are whole.
  private func holes(
    in damaged: PageMap.RowsOfDamagedPage, areAllBelowTaken: Bool
  ) -> [PageMap.Gap] {
    let runs = Self.runs(of: damaged)
    guard !dropped.contains(damaged.page), damaged.isLeaf || areAllBelowTaken, !runs.isEmpty
    else { return [damaged.gap] }
    var holes: [PageMap.Gap] = []
    var (lower, next) = (damaged.gap.lower, 0)
    for run in runs {
      let cells = run.cells ?? next..<next
      if cells.lowerBound > next { holes.append(PageMap.Gap(lower: lower, upper: run.first)) }
      (lower, next) = (run.last, cells.upperBound)
    }
    if next < damaged.cellCount || damaged.mayHaveMoreCells {
      holes.append(PageMap.Gap(lower: lower, upper: damaged.gap.upper))
    }
    return holes
  }
}
