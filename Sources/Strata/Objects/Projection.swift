import StrataSQLite
import StrataSchema

/// Which columns a cursor selects: all of them, or, once it knows, those that are read.
struct Projection {
  /// Rows after which the cursor knows what its reader is interested in.
  static let rowsToLearn = 32

  let query: Query
  /// The selected properties behind `_row`; nil for all columns in their order.
  private var selected: [Int]?
  /// Properties that were asked for.
  private var used: [Int] = []
  private var missed = false
  /// Whether objects outlive their turn, and need all of their columns.
  var rowsAreKept = false

  init(_ query: Query) { self.query = query }

  /// Whether a write may go on without misleading the statement: it walks in the order of `_row` over all rows.
  var isStable: Bool { query.isWholeTable }

  var isComplete: Bool { selected == nil }

  /// Whether the next row should come from another statement. Only a walk in the order of `_row` can be taken up where it
  /// was left.
  var shouldChange: Bool {
    guard isStable else { return false }
    return selected == nil
      ? !rowsAreKept && used.count < query.access.columnCount : missed || rowsAreKept
  }

  mutating func selectAll() { selected = nil }

  mutating func change() {
    selected = selected == nil || (missed && !rowsAreKept) ? used.sorted() : nil
    missed = false
  }

  mutating func column(of property: Int, _ access: ModelAccess) -> Int32? {
    if !used.contains(property) { used.append(property) }
    guard let selected else { return Int32(access.columns[property] + 1) }
    guard let index = selected.firstIndex(of: property) else {
      missed = true
      return nil
    }
    return Int32(index + 1)
  }

  func statement(after row: Int64?) -> SQLText {
    query.cursorStatement(properties: selected, after: row)
  }
}
