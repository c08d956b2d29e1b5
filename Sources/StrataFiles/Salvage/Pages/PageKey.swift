import StrataSQLite

/// Where a row stands in a tree: its number, or the first values of a table that is stored in their order.
enum PageKey {
  case row(Int64)
  case values([Value])

  enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(Start)
    case blob(Start)
  }

  /// The first bytes of a text or blob, which is all that is kept of it.
  struct Start {
    let bytes: [UInt8]
    /// Whether that is the whole value.
    let isWhole: Bool
  }

  /// Bytes of a value that are kept.
  private static let maximumBytes = 256

  /// The key of an index's cell; nil where its numbers do not stand on the page.
  ///
  /// - Parameter count: how many values are the key.
  init?(_ bytes: [UInt8], _ cell: BTreePage.Cell, _ record: StoredRecord, count: Int) {
    guard record.fields.count >= count else { return nil }
    var values: [Value] = []
    for field in record.fields.prefix(count) {
      let start = cell.local.lowerBound + field.place.lowerBound
      let end = start + field.place.count
      switch field.classes {
      case .null: values.append(.null)
      case .integer, .real:
        guard end <= cell.local.upperBound else { return nil }
        switch StoredRecord.number(field, bytes, cell.local.lowerBound) {
        case .integer(let value): values.append(.integer(value))
        // SQLite takes it for null.
        case .real(let value): values.append(value.isNaN ? .null : .real(value))
        default: return nil
        }
      default:
        let last = min(end, cell.local.upperBound, start + Self.maximumBytes)
        let kept = Start(bytes: Array(bytes[min(start, last)..<last]), isWhole: last == end)
        values.append(field.classes == .text ? .text(kept) : .blob(kept))
      }
    }
    self = .values(values)
  }

  enum Order {
    case before
    case after
    /// Equal, or equal as far as is known.
    case same
  }

  /// How SQLite orders two keys of one tree, texts by their bytes.
  func order(to other: PageKey) -> Order {
    switch (self, other) {
    case (.row(let a), .row(let b)): return Self.order(a, b)
    case (.values(let a), .values(let b)):
      for (a, b) in zip(a, b) {
        let order = Self.order(a, b)
        if order != .same { return order }
      }
      return .same
    default: return .same
    }
  }

  /// Whether two rows of one tree may stand in this order. Long values may look the same; numbers of rows never do.
  func mayStand(before other: PageKey) -> Bool {
    let order = order(to: other)
    if case .row = self { return order == .before }
    return order != .after
  }

  private static func order<Number: Comparable>(_ a: Number, _ b: Number) -> Order {
    a < b ? .before : a > b ? .after : .same
  }

  private static func order(_ a: Value, _ b: Value) -> Order {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): order(a, b)
    case (.real(let a), .real(let b)): order(a, b)
    case (.integer(let a), .real(let b)): order(a, b)
    case (.real(let a), .integer(let b)): order(b, a).reversed
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)): order(a, b)
    default: order(a.rank, b.rank)
    }
  }

  private static func order(_ a: Int64, _ b: Double) -> Order {
    let whole = b.rounded(.down)
    guard let number = Int64(exactly: whole) else { return b > 0 ? .before : .after }
    let order = order(a, number)
    return order == .same && whole < b ? .before : order
  }

  private static func order(_ a: Start, _ b: Start) -> Order {
    if let (one, other) = zip(a.bytes, b.bytes).first(where: { $0 != $1 }) {
      return order(one, other)
    }
    if a.bytes.count == b.bytes.count, !a.isWhole || !b.isWhole { return .same }
    // The shorter one ends before the other, if that is its end.
    guard a.bytes.count < b.bytes.count ? a.isWhole : b.isWhole else { return .same }
    return order(a.bytes.count, b.bytes.count)
  }
}

extension PageKey.Value {
  fileprivate var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}

extension PageKey.Order {
  fileprivate var reversed: PageKey.Order {
    switch self {
    case .before: .after
    case .after: .before
    case .same: .same
    }
  }
}

extension PageKey {
  /// The first number of a key that has several values.
  var owner: Int64? {
    if case .values(let values) = self, case .integer(let owner) = values.first { return owner }
    return nil
  }
}

extension PageMap.Gap {
  /// The owners of rows in it, in a table that is stored by them.
  var owners: ClosedRange<Int64>? {
    let (lowest, highest) = (lower?.owner ?? .min, upper?.owner ?? .max)
    return lowest <= highest ? lowest...highest : nil
  }
}
