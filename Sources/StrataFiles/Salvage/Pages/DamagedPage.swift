/// A page of rows that is damaged, and those of its cells that may be whole.
///
/// SQLite refuses such a page, or would follow a pointer beyond its end, to what happens to stand in memory.
struct DamagedPage {
  let kind: BTreePage.Kind
  /// In the order of the page's pointers; nil for a pointer that leads to no cell.
  private(set) var cells: [BTreePage.Cell?] = []
  /// Where they stand.
  private var places: [Range<Int>] = []
  /// Whether the page has room in use for more cells than its pointers lead to.
  let mayHaveMoreCells: Bool

  /// Nil where the page has no rows, or does not say where they are.
  init?(_ bytes: [UInt8], usableSize: Int) {
    guard bytes.count >= usableSize, let kind = BTreePage.Kind(rawValue: bytes[0]),
      kind != .tableInterior
    else { return nil }
    self.kind = kind
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
    let known = places.map(\.count)
    // A cell to which no pointer leads any more is hardly longer than all others.
    let lost = known.count { $0 == 0 } * (known.max() ?? 0)
    mayHaveMoreCells =
      BTreePage.bytesInUse(bytes, usableSize: usableSize).map { $0 > known.reduce(lost, +) } ?? true
  }

  /// Leaves out cells that share bytes: of two one at least is none, and nothing says which.
  func dropWhatOverlaps(_ rows: inout [(cell: Int, key: PageKey)]) {
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
