/// A page of a tree that is damaged, and those of its cells that may be whole.
///
/// SQLite refuses such a page, or follows a damaged pointer to what happens to stand there: in memory behind the page, between two cells, or where
/// a row was that is deleted.
struct DamagedPage {
  let kind: BTreePage.Kind
  /// In the order of the page's pointers; nil for a pointer that leads to no cell.
  private(set) var cells: [BTreePage.Cell?] = []
  /// Where they stand.
  private var places: [Range<Int>] = []
  /// Whether the page has room in use for more cells than its pointers lead to.
  private(set) var mayHaveMoreCells = true
  /// The page with what stands behind the last cell; 0 in a leaf.
  let lastChild: Int

  /// Nil where the page does not say where its cells are.
  init?(_ bytes: [UInt8], usableSize: Int) {
    guard bytes.count >= usableSize, usableSize > 12, let kind = BTreePage.Kind(rawValue: bytes[0])
    else {
      return nil
    }
    self.kind = kind
    lastChild = kind.isLeaf ? 0 : BTreePage.number(bytes, 8)
    let pointers = kind.isLeaf ? 8 : 12
    let count = BTreePage.word(bytes, 3)
    let content = pointers + 2 * count
    guard content < usableSize else { return nil }
    for index in 0..<count {
      let place = BTreePage.word(bytes, pointers + 2 * index)
      let found =
        place >= content ? BTreePage.cell(bytes, place, kind, usableSize: usableSize) : nil
      cells.append(found?.cell)
      places.append(place..<max(place, found?.end ?? place))
    }
    guard let head = Head(bytes, content..<usableSize) else { return }
    dropWhatIsFree(head, usableSize: usableSize)
    let known = places.map(\.count)
    // A cell to which no pointer leads any more is hardly longer than all others.
    let lost = known.count { $0 == 0 } * (known.max() ?? 0)
    mayHaveMoreCells = head.bytesInUse > known.reduce(lost, +)
  }

  // MARK: - What is in use

  /// What the head of a page says of the bytes behind its pointers.
  private struct Head {
    /// Where cells and free blocks are.
    let content: Range<Int>
    let freeBlocks: [Range<Int>]
    let fragments: Int

    /// Nil where that cannot be.
    init?(_ bytes: [UInt8], _ room: Range<Int>) {
      let named = BTreePage.word(bytes, 5)
      let first = named == 0 ? 65_536 : named
      guard first >= room.lowerBound, first <= room.upperBound,
        let blocks = BTreePage.freeBlocks(
          bytes, BTreePage.word(bytes, 1), first..<room.upperBound)
      else { return nil }
      (content, freeBlocks) = (first..<room.upperBound, blocks)
      fragments = Int(bytes[7])
    }

    var bytesInUse: Int { freeBlocks.reduce(content.count - fragments) { $0 - $1.count } }

    /// Whether a cell stands where cells are.
    func holds(_ place: Range<Int>) -> Bool {
      guard place.lowerBound >= content.lowerBound else { return false }
      var (low, high) = (0, freeBlocks.count)
      while low < high {
        let middle = (low + high) / 2
        if freeBlocks[middle].upperBound <= place.lowerBound {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return low == freeBlocks.count || freeBlocks[low].lowerBound >= place.upperBound
    }
  }

  /// Leaves out cells that stand where the head of the page says that none is: they may be those of deleted rows.
  ///
  /// The head itself may be what is damaged. It is not believed where the cells leave nothing free, or where what it leaves has no room for the
  /// cells to which no pointer would lead.
  private mutating func dropWhatIsFree(_ head: Head, usableSize: Int) {
    let outside = places.indices.filter { !places[$0].isEmpty && !head.holds(places[$0]) }
    guard !outside.isEmpty, !cellsLeaveNothing(before: usableSize) else { return }
    let inside = outside.reduce(places.reduce(0) { $0 + $1.count }) { $0 - places[$1].count }
    let missing = places.count { $0.isEmpty } + outside.count
    guard head.bytesInUse - inside >= missing * BTreePage.minimumCellSize else { return }
    for index in outside {
      cells[index] = nil
      places[index] = places[index].lowerBound..<places[index].lowerBound
    }
  }

  /// Whether there is a cell for each pointer, one directly behind the other up to the end of the page.
  private func cellsLeaveNothing(before end: Int) -> Bool {
    let sorted = places.sorted { $0.lowerBound < $1.lowerBound }
    return sorted.allSatisfy { !$0.isEmpty } && sorted.last?.upperBound == end
      && zip(sorted, sorted.dropFirst()).allSatisfy {
        (0..<BTreePage.minimumCellSize).contains($1.lowerBound - $0.upperBound)
      }
  }

  // MARK: - Which are rows

  /// Pointers to cells of others beyond which a page is a mess.
  private static let maximumDoubtful = 256

  /// Leaves out cells that share bytes: of two one at least is none, and nothing says which. Of two pointers to one cell the one stays that stands in the
  /// order of the keys, if the other does not.
  func dropWhatOverlaps(_ rows: inout [(cell: Int, key: PageKey)]) {
    let shared = Dictionary(grouping: rows.indices) { places[rows[$0].cell].lowerBound }.values
      .filter { $0.count > 1 }
    if !shared.isEmpty {
      let doubtful = Set(shared.joined())
      let isMess = doubtful.count > Self.maximumDoubtful
      let wrong = shared.flatMap { pointers in
        if isMess { return pointers }
        let fitting = pointers.filter { isInOrder($0, rows, without: doubtful) }
        return fitting.count == 1 ? pointers.filter { $0 != fitting[0] } : pointers
      }
      let isWrong = Set(wrong)
      rows = rows.indices.filter { !isWrong.contains($0) }.map { rows[$0] }
    }
    let order = rows.indices.sorted {
      places[rows[$0].cell].lowerBound < places[rows[$1].cell].lowerBound
    }
    var isWrong = [Bool](repeating: false, count: rows.count)
    var latest: Int?
    for next in order {
      let place = places[rows[next].cell]
      if let latest, place.lowerBound < places[rows[latest].cell].upperBound {
        (isWrong[latest], isWrong[next]) = (true, true)
      }
      if latest.map({ places[rows[$0].cell].upperBound < place.upperBound }) ?? true {
        latest = next
      }
    }
    rows = rows.indices.filter { !isWrong[$0] }.map { rows[$0] }
  }

  /// Whether a key stands between those around it, as far as these are certain.
  private func isInOrder(
    _ place: Int, _ rows: [(cell: Int, key: PageKey)], without doubtful: Set<Int>
  ) -> Bool {
    let key = rows[place].key
    let before = rows[..<place].indices.last { !doubtful.contains($0) }
    let after = rows[(place + 1)...].indices.first { !doubtful.contains($0) }
    return before.map { rows[$0].key.mayStand(before: key) } ?? true
      && after.map { key.mayStand(before: rows[$0].key) } ?? true
  }

  /// How often the rows of a page are gone along to find those that are out of order.
  private static let maximumRounds = 16

  /// Leaves out keys that are not those of their rows: of two that stand in the wrong order the one that does not fit to the keys around them either,
  /// and both where that does not tell; all where the page is a mess.
  static func dropWhatIsOutOfOrder(_ rows: inout [(cell: Int, key: PageKey)]) {
    for _ in 0..<maximumRounds {
      var isWrong = [Bool](repeating: false, count: rows.count)
      var areAnyWrong = false
      for next in rows.indices.dropFirst() where !isWrong[next - 1] {
        let (first, second) = (rows[next - 1].key, rows[next].key)
        if first.mayStand(before: second) { continue }
        let before = next > 1 ? rows[next - 2].key : nil
        let after = next + 1 < rows.count ? rows[next + 1].key : nil
        let firstFits = after.map { first.mayStand(before: $0) }
        let secondFits = before.map { $0.mayStand(before: second) }
        (isWrong[next - 1], isWrong[next]) =
          switch (firstFits, secondFits) {
          case (true, false), (nil, false): (false, true)
          case (false, true), (false, nil): (true, false)
          default: (true, true)
          }
        areAnyWrong = true
      }
      guard areAnyWrong else { return }
      rows = rows.indices.filter { !isWrong[$0] }.map { rows[$0] }
    }
    rows = []
  }
}
