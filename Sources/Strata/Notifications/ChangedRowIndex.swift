import StrataSchema

/// What one record of changes says of single rows, sorted when it is asked first. The observers of single objects ask the same record one after the other.
final class ChangedRowIndex {
  typealias Update = (rows: ClosedRange<Int64>, properties: PropertySet)

  private let unsortedUpdates: [Update]
  private let unsortedOthers: [ClosedRange<Int64>]

  private lazy var updates = unsortedUpdates.sorted { $0.rows.lowerBound < $1.rows.lowerBound }

  /// The highest row of each update and of those before it.
  private lazy var highest: [Int64] = {
    var maximum = Int64.min
    return updates.map { update in
      maximum = max(maximum, update.rows.upperBound)
      return maximum
    }
  }()

  private lazy var others: RowSet = {
    var rows = RowSet()
    for range in unsortedOthers { rows.insert(range) }
    rows.normalize()
    return rows
  }()

  init(updates: [Update], others: [ClosedRange<Int64>]) {
    unsortedUpdates = updates
    unsortedOthers = others
  }

  /// The properties of a row that were set.
  func properties(of row: Int64) -> PropertySet {
    var (low, high) = (0, updates.count)
    while low < high {
      let middle = (low + high) / 2
      if updates[middle].rows.lowerBound <= row { low = middle + 1 } else { high = middle }
    }
    var properties = PropertySet()
    while low > 0, highest[low - 1] >= row {
      low -= 1
      if updates[low].rows.contains(row) { properties.formUnion(updates[low].properties) }
    }
    return properties
  }

  /// Whether the object of a row came or went.
  func isOther(_ row: Int64) -> Bool { others.contains(row) }
}
