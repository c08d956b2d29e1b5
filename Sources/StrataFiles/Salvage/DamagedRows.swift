import Strata
import StrataSQLite

/// Rows in the order of a whole number, read around pages that cannot be read.
///
/// Behind a row that cannot be read the numbers are tried at distances that double, from it and from 0, until one can be read again, and
/// halved back to the first such number: a damaged page takes some dozens of probes, however many numbers it holds, and so does all
/// that is missing at the end of a file.
struct DamagedRows {
  let source: Database
  /// A query for the rows whose number is between two numbers; its first column is the number.
  let query: String
  /// The same query for the number alone, and for what tells whether a row is sound; nil for the query itself.
  var numbers: String?
  /// What the query's parameters are before the first and the last number.
  var leading: [SQLiteValue] = []
  /// The lowest number that there can be, and the highest.
  var lowest: Int64 = 1
  var highest = StrataMetadata.maximumCount

  /// Whether a row is one of those that are looked for: a damaged page may be taken for another one.
  var isSound: (Statement) -> Bool = { _ in true }
  /// Numbers that are tried, perhaps for several queries.
  var budget = Budget()

  final class Budget {
    fileprivate var probes: Int
    /// For what stands between damaged pages.
    fileprivate var halvings: Int

    init(_ probes: Int = 1_000_000) {
      self.probes = probes
      halvings = probes
    }
  }

  /// Numbers that are tried in a range that cannot be read, to find a sound page between two damaged ones: more in a file of many pages.
  var maximumProbesOfRange = leastProbesOfRange
  private static let leastProbesOfRange = 1000
  /// For each page of the file: as many as it takes to halve a range down to where the page begins and ends.
  private static let probesOfPage = 16

  /// The numbers that are tried in a range where one table has most of a file's pages.
  static func probesOfRange(in source: Database) -> Int {
    let pages = (try? source.pragma("page_count", in: "main").ifInteger) ?? 0
    return max(leastProbesOfRange, Int(clamping: pages) * probesOfPage)
  }

  /// Where rows cannot be read.
  struct Unreadable {
    var ranges: [ClosedRange<Int64>] = []
    /// Parts of the ranges in which no row was found: on a damaged page one that is there may not be found by its number.
    var empty: [ClosedRange<Int64>] = []

    /// The same with further ranges, as far as rows can have such numbers.
    func adding(_ ranges: [ClosedRange<Int64>], before next: Int64) -> Unreadable {
      let possible = ranges.filter { $0.upperBound > 0 && $0.lowerBound < next }.map {
        max(1, $0.lowerBound)...min($0.upperBound, next - 1)
      }
      return Unreadable(ranges: DamagedRows.joined(self.ranges + possible), empty: empty)
    }
  }

  /// Calls `body` on each row that can be read: in the order of their numbers, but for rows between two damaged pages.
  ///
  /// - Parameter next: what the numbers have counted to. Above it there are rows only where that is damaged.
  func read(
    before next: Int64, _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> Unreadable {
    var unreadable: [ClosedRange<Int64>] = []
    var empty: [ClosedRange<Int64>] = []
    var gaps: [ClosedRange<Int64>] = []
    for range in try readAll(&gaps, &empty, body) where range.lowerBound < next {
      let range = range.lowerBound...min(range.upperBound, next - 1)
      // From the lowest number there can be, or up to the highest, nothing is found by halving.
      let isBounded =
        range.lowerBound > -StrataMetadata.maximumCount
        && range.upperBound < StrataMetadata.maximumCount - 1
      unreadable += isBounded ? try readWithin(range, &gaps, &empty, body) : [range]
    }
    // One that a row ends is told also where what the numbers have counted to is damaged.
    unreadable += gaps.compactMap { gap in
      if gap.upperBound < highest { return gap }
      return gap.lowerBound < next ? gap.lowerBound...next - 1 : nil
    }
    let below = empty.filter { $0.lowerBound < next }.map {
      $0.lowerBound...min($0.upperBound, next - 1)
    }
    return Unreadable(ranges: Self.joined(unreadable), empty: Self.joined(below))
  }

  /// Reads what stands between damaged pages, halving what cannot be read, the largest parts first.
  ///
  /// - Returns: what is left of the range.
  private func readWithin(
    _ range: ClosedRange<Int64>, _ gaps: inout [ClosedRange<Int64>],
    _ empty: inout [ClosedRange<Int64>],
    _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> [ClosedRange<Int64>] {
    var parts = [range]
    var unreadable: [ClosedRange<Int64>] = []
    var emptyParts: [ClosedRange<Int64>] = []
    var number = 0
    while number < parts.count {
      let (first, last) = (parts[number].lowerBound, parts[number].upperBound)
      number += 1
      guard first < last, number <= maximumProbesOfRange, budget.halvings > 0 else {
        unreadable.append(first...last)
        continue
      }
      budget.halvings -= 1
      let middle = first + (last - first) / 2 + 1
      parts.append(first...middle - 1)
      let read = try read(middle...last, &gaps, body)
      if let damaged = read.damage { parts.append(damaged...last) }
      if read.first ?? Int64.max > middle, read.damage ?? Int64.max > middle {
        emptyParts.append(middle...min(read.first.map { $0 - 1 } ?? last, last))
      }
    }
    empty += emptyParts
    return unreadable + emptyParts
  }

  /// Reads on behind each range that cannot be read.
  ///
  /// - Returns: these ranges.
  private func readAll(
    _ gaps: inout [ClosedRange<Int64>], _ empty: inout [ClosedRange<Int64>],
    _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    var start = lowest
    while budget.probes > 0 {
      budget.probes -= 1
      guard let damaged = try read(start...highest, &gaps, body).damage else { return ranges }
      guard let readable = try readable(behind: damaged) else {
        return ranges + [damaged...highest]
      }
      ranges.append(damaged...readable.first - 1)
      if readable.from < readable.first { empty.append(readable.from...readable.first - 1) }
      start = readable.from
    }
    return ranges + [start...highest]
  }

  /// Reads rows as long as that is possible.
  ///
  /// - Parameter gaps: gets ranges in which rows are out of order.
  /// - Returns: the number from which on it is not, nil at the end; and the first number that was read.
  private func read(
    _ range: ClosedRange<Int64>, _ gaps: inout [ClosedRange<Int64>],
    _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> (damage: Int64?, first: Int64?) {
    var (next, last) = (range.lowerBound, range.lowerBound - 1)
    var first: Int64?
    var misplaced = MisplacedRows(in: range)
    defer { gaps += misplaced.gaps }
    do {
      // A row whose number is too high ends neither: what is behind it may be right.
      let ahead = try OrderedNumbers(from: range.lowerBound, isSound: isSound) {
        try begin(numbers ?? query, from: $0, to: .max)
      }
      let statement = try begin(query, from: range.lowerBound, to: .max)
      while let (number, isInOrder) = try ahead.read() {
        if isInOrder, number > range.upperBound { break }
        guard try statement.step(), statement.integer(at: 0) == number, isSound(statement) else {
          throw SQLiteError.outOfOrder
        }
        guard isInOrder else {
          misplaced.add(number, next: next)
          continue
        }
        if number <= last { misplaced.stepBack(next: next) }
        if number >= next {
          misplaced.end(before: number, next: next)
          next = number + 1
        }
        last = number
        first = first ?? number
        try body(statement, number)
      }
      if ahead.isAtDamage { throw SQLiteError.outOfOrder }
      misplaced.end(before: range.upperBound + 1, next: next)
      return (nil, first)
    } catch let error as SQLiteError where error.isOfDamage {
      misplaced.stop(next: next)
      return (last < range.upperBound ? last + 1 : nil, first)
    }
  }

  private func begin(
    _ query: String, from first: Int64, to last: Int64
  ) throws(SQLiteError) -> Statement {
    let statement = try source.prepare(query)
    try statement.bind(leading + [.integer(first), .integer(last)])
    return statement
  }

  /// The first number behind one that cannot be read from which on rows can be read again, as far as one is found, and the first such row.
  private func readable(behind damaged: Int64) throws -> (from: Int64, first: Int64)? {
    var low = damaged
    for high in probes(behind: damaged) {
      budget.probes -= 1
      guard var first = try firstRow(from: high) else {
        low = high
        continue
      }
      var found = high
      while found - low > 1 {
        let middle = low + (found - low) / 2
        budget.probes -= 1
        if let row = try firstRow(from: middle) {
          (found, first) = (middle, row)
        } else {
          low = middle
        }
      }
      return (found, first)
    }
    return nil
  }

  /// Numbers behind one, in their order: at distances from it and from 0 that double. Those that are in use are far from the lowest one
  /// that there can be.
  private func probes(behind damaged: Int64) -> [Int64] {
    let distances = (0..<Self.doublings).map { Int64(1) << $0 }
    var probes = distances + distances.map(-) + [0, highest]
    for distance in distances {
      let (sum, isTooHigh) = damaged.addingReportingOverflow(distance)
      if !isTooHigh { probes.append(sum) }
    }
    return Set(probes.filter { $0 > damaged && $0 <= highest }).sorted()
  }

  /// `StrataMetadata.maximumCount` is 2⁶².
  private static let doublings = 62

  /// The first row from a number on, one above the highest number where there is none; nil where that cannot be read.
  private func firstRow(from first: Int64) throws -> Int64? {
    do {
      let statement = try begin(query, from: first, to: highest)
      guard try statement.step() else { return highest + 1 }
      let row = statement.integer(at: 0)
      guard row >= first, isSound(statement) else { return nil }
      // One that its own number does not lead to stands in the place of others.
      let found = try begin(numbers ?? query, from: row, to: highest)
      return try found.step() && found.integer(at: 0) == row ? row : nil
    } catch {
      guard error.isOfDamage else { throw error }
      return nil
    }
  }

  /// Whether ranges in ascending order hold a number.
  static func contains(_ ranges: [ClosedRange<Int64>], _ number: Int64) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].lowerBound <= number { low = middle + 1 } else { high = middle }
    }
    return low > 0 && ranges[low - 1].contains(number)
  }

  /// What of ranges is in none of others; both in ascending order, and the others apart.
  static func subtracting(
    _ known: [ClosedRange<Int64>], from ranges: [ClosedRange<Int64>]
  ) -> [ClosedRange<Int64>] {
    var rest: [ClosedRange<Int64>] = []
    var next = 0
    for range in ranges {
      while next < known.count, known[next].upperBound < range.lowerBound { next += 1 }
      var start: Int64? = range.lowerBound
      var index = next
      while let first = start, index < known.count, known[index].lowerBound <= range.upperBound {
        if known[index].lowerBound > first { rest.append(first...known[index].lowerBound - 1) }
        let last = known[index].upperBound
        start = last < range.upperBound ? last + 1 : nil
        index += 1
      }
      if let start { rest.append(start...range.upperBound) }
    }
    return rest
  }

  /// The same ranges in ascending order, those that meet as one.
  static func joined(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var joined: [ClosedRange<Int64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last,
        last.upperBound == .max || range.lowerBound <= last.upperBound + 1
      {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }
}
