import Strata
import StrataSQLite

/// The rows of a table in the order of their numbers, read around pages that cannot be read.
struct DamagedRows {
  let source: Database
  /// A query with two parameters, the first and the last number; its first column is the number.
  let query: String

  /// Ranges that are tried: a damaged page in the middle of a table takes its rows' number of them, and some more.
  private static let maximumProbes = 1_000_000

  /// Calls `body` on each row that can be read.
  ///
  /// - Parameter next: what the numbers have counted to. Above it there are rows only where that is damaged.
  /// - Returns: ranges in which rows cannot be read.
  func read(
    before next: Int64, _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> [ClosedRange<Int64>] {
    var ranges = [next...StrataMetadata.maximumCount]
    if next > 1 { ranges.append(1...next - 1) }
    var unreadable: [ClosedRange<Int64>] = []
    var probes = 0
    while let range = ranges.popLast() {
      probes += 1
      guard probes <= Self.maximumProbes else {
        unreadable.append(range)
        continue
      }
      var last = range.lowerBound - 1
      do {
        let statement = try source.prepare(query)
        try statement.bind([.integer(range.lowerBound), .integer(range.upperBound)])
        while try statement.step() {
          let row = statement.integer(at: 0)
          guard range.contains(row), row > last else { throw SQLiteError.outOfOrder }
          try body(statement, row)
          last = row
        }
      } catch let error as SQLiteError where error.isOfDamage {
        let rest = last + 1
        guard rest <= range.upperBound, rest < next else { continue }
        guard rest < range.upperBound else {
          unreadable.append(rest...rest)
          continue
        }
        let middle = rest + (range.upperBound - rest) / 2
        // The lower half is read first, so that rows come in their order.
        ranges.append(middle + 1...range.upperBound)
        ranges.append(rest...middle)
      }
    }
    return Self.joined(unreadable)
  }

  private static func joined(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var joined: [ClosedRange<Int64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, last.upperBound + 1 == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound...range.upperBound
      } else {
        joined.append(range)
      }
    }
    return joined
  }
}
