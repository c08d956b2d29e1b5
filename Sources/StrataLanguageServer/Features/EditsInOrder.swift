import StrataSource

/// The edits of one file that do not overlap, in order: what they do to a place is found among them, and not by looking at each.
struct EditsInOrder {
  private let edits: [FixIt.Edit]
  /// How much longer the text is behind each edit than it was.
  private let growth: [Int]
  /// How many edits were compared with a place.
  private(set) var comparisonCount = 0

  init(_ edits: [FixIt.Edit]) {
    self.edits = edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var sum = 0
    growth = self.edits.map { edit in
      sum += edit.replacement.utf8.count - edit.range.count
      return sum
    }
  }

  /// Where a byte of the text is after the edits before it.
  mutating func place(of offset: Int) -> Int {
    let count = countOfEdits(before: offset)
    return count == 0 ? offset : offset + growth[count - 1]
  }

  /// Whether an edit replaces some of the bytes.
  mutating func overlap(_ range: Range<Int>) -> Bool {
    let count = countOfEdits(before: range.upperBound)
    return count > 0 && edits[count - 1].range.overlaps(range)
  }

  /// How many edits begin before a byte.
  private mutating func countOfEdits(before offset: Int) -> Int {
    var (low, high) = (0, edits.count)
    while low < high {
      let middle = (low + high) / 2
      comparisonCount += 1
      if edits[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
