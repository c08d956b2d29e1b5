import Strata
import StrataSQLite

/// Rows in the order of a whole number, read around pages that cannot be read.
///
/// Behind a row that cannot be read the numbers are tried at distances that double, until one can be read again, and halved back to the
/// first such number: a damaged page takes some dozens of probes, however many numbers it holds, and so does all that is missing at
/// the end of a file.
struct DamagedRows {
  let source: Database
  /// A query for the rows whose number is between two numbers; its first column is the number.
  let query: String
  /// What the query's parameters are before the first and the last number.
  var leading: [SQLiteValue] = []
  /// The lowest number that there can be.
  var lowest: Int64 = 1

  /// Numbers that are tried.
  private static let maximumProbes = 1_000_000
  /// How often a range that cannot be read is halved, to find a page between two damaged ones: into 32 parts.
  private static let maximumHalvings = 5

  /// A range of numbers that cannot be read, but for what stands between damaged pages.
  private struct Region {
    var range: ClosedRange<Int64>
    var halvings: Int
  }

  /// Calls `body` on each row that can be read: in the order of their numbers, but for rows between two damaged pages.
  ///
  /// - Parameter next: what the numbers have counted to. Above it there are rows only where that is damaged.
  /// - Returns: ranges in which rows cannot be read.
  func read(
    before next: Int64, _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> [ClosedRange<Int64>] {
    var probes = 0
    var regions = try readAll(&probes, body)
    var unreadable: [ClosedRange<Int64>] = []
    while let region = regions.popLast() {
      let (first, last) = (region.range.lowerBound, region.range.upperBound)
      guard region.halvings > 0, first < last, probes < Self.maximumProbes else {
        unreadable.append(region.range)
        continue
      }
      probes += 1
      let middle = first + (last - first) / 2 + 1
      let halvings = region.halvings - 1
      regions.append(Region(range: first...middle - 1, halvings: halvings))
      if let damaged = try read(middle...last, body) {
        regions.append(Region(range: damaged...last, halvings: halvings))
      }
    }
    return Self.joined(unreadable).compactMap { range in
      range.lowerBound < next ? range.lowerBound...min(range.upperBound, next - 1) : nil
    }
  }

  /// Reads on behind each range that cannot be read.
  private func readAll(
    _ probes: inout Int, _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> [Region] {
    let highest = StrataMetadata.maximumCount
    var regions: [Region] = []
    var start = lowest
    while probes < Self.maximumProbes {
      probes += 1
      guard let damaged = try read(start...highest, body) else { return regions }
      guard let readable = try readable(behind: damaged, &probes) else {
        regions.append(Region(range: damaged...highest, halvings: 0))
        return regions
      }
      regions.append(Region(range: damaged...readable - 1, halvings: Self.maximumHalvings))
      start = readable
    }
    return regions + [Region(range: start...highest, halvings: 0)]
  }

  /// Reads rows as long as that is possible.
  ///
  /// - Returns: the number from which on it is not; nil at the end.
  private func read(
    _ range: ClosedRange<Int64>, _ body: (_ row: Statement, _ number: Int64) throws -> Void
  ) throws -> Int64? {
    var next = range.lowerBound
    do {
      let statement = try source.prepare(query)
      try statement.bind(
        leading + [.integer(range.lowerBound), .integer(range.upperBound)])
      while try statement.step() {
        let row = statement.integer(at: 0)
        guard range.contains(row), row >= next else { throw SQLiteError.outOfOrder }
        try body(statement, row)
        next = row + 1
      }
      return nil
    } catch let error as SQLiteError where error.isOfDamage {
      return next <= range.upperBound ? next : nil
    }
  }

  /// The first number behind one that cannot be read from which on rows can be read again, as far as one is found.
  private func readable(behind damaged: Int64, _ probes: inout Int) throws -> Int64? {
    let highest = StrataMetadata.maximumCount
    var (low, distance) = (damaged, Int64(1))
    while low < highest {
      let high = min(highest, low + distance)
      probes += 1
      guard try canBeRead(from: high) else {
        low = high
        distance = min(highest, distance * 2)
        continue
      }
      var found = high
      while found - low > 1 {
        let middle = low + (found - low) / 2
        probes += 1
        if try canBeRead(from: middle) { found = middle } else { low = middle }
      }
      return found
    }
    return nil
  }

  private func canBeRead(from first: Int64) throws -> Bool {
    do {
      let statement = try source.prepare(query)
      try statement.bind(leading + [.integer(first), .integer(StrataMetadata.maximumCount)])
      let isThere = try statement.step()
      return !isThere || statement.integer(at: 0) >= first
    } catch {
      guard error.isOfDamage else { throw error }
      return false
    }
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
