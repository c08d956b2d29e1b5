/// Which numbers may be those of rows that are out of order, and of rows in whose place they stand.
struct MisplacedRows {
  private(set) var gaps: [ClosedRange<Int64>] = []

  private let range: ClosedRange<Int64>
  /// Whether one was met since the last row that is in order.
  private var isOpen = false
  /// Those that ascend, one behind the other.
  private var stretch: (range: ClosedRange<Int64>, count: Int)?

  init(in range: ClosedRange<Int64>) { self.range = range }

  /// Notes a row that is out of order.
  ///
  /// - Parameter next: the number after the highest one that was in order.
  mutating func add(_ number: Int64, next: Int64) {
    isOpen = true
    guard number >= range.lowerBound, number < next else {
      stretch = nil
      return
    }
    guard let (before, count) = stretch, before.upperBound < number else {
      stretch = (number...number, 1)
      return
    }
    // A single one has a number that is too low. Several are a page of rows, which may stand nowhere else.
    if count > 1 { gaps.removeLast() }
    gaps.append(before.lowerBound...number)
    stretch = (before.lowerBound...number, count + 1)
  }

  /// Notes the numbers up to a row that is in order, or up to the end.
  mutating func end(before number: Int64, next: Int64) {
    if isOpen, next < number { gaps.append(next...number - 1) }
    isOpen = false
    stretch = nil
  }

  /// Notes that the rows before stood in the place of others, or those behind do.
  mutating func stepBack(next: Int64) {
    gaps.append(range.lowerBound...next - 1)
    isOpen = true
    stretch = nil
  }
}
