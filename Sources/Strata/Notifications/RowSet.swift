/// Some rows of one model.
struct RowSet {
  /// Sorted and apart from each other once ``normalize()`` was called.
  private(set) var ranges: [ClosedRange<Int64>] = []
  private(set) var isEverything = false

  static let everything = RowSet(isEverything: true)

  init() {}

  private init(isEverything: Bool) { self.isEverything = isEverything }

  var isEmpty: Bool { ranges.isEmpty && !isEverything }

  /// How many rows the ranges have together.
  var count: Int {
    if isEverything { return .max }
    var sum: Int64 = 0
    for range in ranges {
      let (width, isWide) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
      let (next, isMore) = sum.addingReportingOverflow(width)
      if isWide || isMore || next == .max { return .max }
      sum = next + 1
    }
    return Int(sum)
  }

  mutating func insert(_ rows: ClosedRange<Int64>) {
    if isEverything { return }
    if let last = ranges.last, last.upperBound &+ 1 == rows.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound...rows.upperBound
      return
    }
    ranges.append(rows)
  }

  mutating func formUnion(_ other: RowSet) {
    if other.isEverything {
      isEverything = true
      ranges = []
    }
    for range in other.ranges { insert(range) }
  }

  /// Before it is asked.
  mutating func normalize() {
    if ranges.count < 2 { return }
    ranges.sort { $0.lowerBound < $1.lowerBound }
    var merged: [ClosedRange<Int64>] = []
    for range in ranges {
      if let last = merged.last, range.lowerBound <= last.upperBound &+ 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
  }

  func contains(_ row: Int64) -> Bool {
    if isEverything { return true }
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < row {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < ranges.count && ranges[low].contains(row)
  }
}
