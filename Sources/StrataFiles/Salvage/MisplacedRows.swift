/// Which numbers may be those of rows that are out of order, and of rows in whose place they stand.
struct MisplacedRows {
  private(set) var gaps: [ClosedRange<Int64>] = []

  private let range: ClosedRange<Int64>
  /// Whether one was met since the last row that is in order.
  private var isOpen = false
  /// Those that ascend, one behind the other. A single one has a damaged number; several are rows of a page in the place of another one.
  private var stretch: [Int64] = []
  /// Numbers of such pages that are above all that was in order: they are lost if they do not come. In ascending order from `passed` on.
  private var expected: [Int64] = []
  private var passed = 0

  init(in range: ClosedRange<Int64>) { self.range = range }

  /// Notes a row that is out of order.
  ///
  /// - Parameter next: the number after the highest one that was in order.
  mutating func add(_ number: Int64, next: Int64) {
    isOpen = true
    if let last = stretch.last, last >= number || last < next && number >= next {
      endStretch(next: next)
    }
    if range.contains(number) { stretch.append(number) }
  }

  /// Notes the numbers up to a row that is in order, or up to the end.
  mutating func end(before number: Int64, next: Int64) {
    endStretch(next: next)
    var isMissing = isOpen
    while passed < expected.count, expected[passed] < number {
      isMissing = isMissing || expected[passed] >= next
      passed += 1
    }
    if isMissing, next < number { gaps.append(next...number - 1) }
    isOpen = false
  }

  /// Notes that the rows before stood in the place of others, or those behind do.
  mutating func stepBack(next: Int64) {
    endStretch(next: next)
    gaps.append(range.lowerBound...next - 1)
    isOpen = true
  }

  /// Notes that nothing further can be read.
  mutating func stop(next: Int64) {
    endStretch(next: next)
    if passed < expected.count, let last = expected.last {
      gaps.append(expected[passed]...last)
    }
  }

  private mutating func endStretch(next: Int64) {
    defer { stretch.removeAll(keepingCapacity: true) }
    guard stretch.count > 1, let first = stretch.first, let last = stretch.last else { return }
    if last < next {
      // They may stand nowhere else.
      gaps.append(first...last)
    } else {
      expected.removeFirst(passed)
      passed = 0
      expected = (expected + stretch).sorted()
    }
  }
}
