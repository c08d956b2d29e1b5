import CSQLite

/// The rows of one table that a statement updates, in runs of consecutive ones. It takes memory for the runs and not for the rows.
package final class UpdatedRows {
  /// Runs that are kept; more count as everything.
  package static let maximumRuns = 100_000

  private let table: [CChar]
  private var found: [ClosedRange<Int64>] = []
  private var isAscending = true
  /// Whether there are more runs than are kept.
  package private(set) var isEverything = false

  fileprivate init(table: String) { self.table = Array(table.utf8CString) }

  /// The runs, which ascend.
  package var runs: [ClosedRange<Int64>] {
    if !isAscending { join() }
    return found
  }

  fileprivate func note(_ row: Int64, of name: UnsafePointer<CChar>) {
    guard !isEverything, table.withUnsafeBufferPointer({ isSame($0, name) }) else { return }
    if let last = found.indices.last {
      if found[last].isFollowed(by: row) {
        found[last] = found[last].lowerBound...row
        return
      }
      if row <= found[last].upperBound { isAscending = false }
      if found.count >= Self.maximumRuns, !makeRoom() { return }
    }
    found.append(row...row)
  }

  private func isSame(_ table: UnsafeBufferPointer<CChar>, _ name: UnsafePointer<CChar>) -> Bool {
    for index in table.indices where table[index] != name[index] { return false }
    return true
  }

  /// Through an index rows come in any order, and may be one run in the end.
  private func makeRoom() -> Bool {
    if !isAscending { join() }
    if found.count <= Self.maximumRuns / 2 { return true }
    isEverything = true
    found = []
    return false
  }

  private func join() {
    found.sort { $0.lowerBound < $1.lowerBound }
    var joined: [ClosedRange<Int64>] = []
    for run in found {
      if let last = joined.last,
        run.lowerBound <= last.upperBound || last.isFollowed(by: run.lowerBound)
      {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, run.upperBound)
      } else {
        joined.append(run)
      }
    }
    found = joined
    isAscending = true
  }
}

extension ClosedRange<Int64> {
  /// Behind the last number of all comes none.
  fileprivate func isFollowed(by row: Int64) -> Bool { upperBound < row && upperBound + 1 == row }
}

extension Database {
  /// Runs something and says which rows of a table it updates, without collecting them.
  package func collectingUpdates<Result>(
    of table: String, _ body: () throws -> Result
  ) rethrows -> (result: Result, rows: UpdatedRows) {
    let rows = UpdatedRows(table: table)
    sqlite3_update_hook(
      handle,
      { context, operation, _, table, row in
        guard operation == SQLITE_UPDATE, let context, let table else { return }
        Unmanaged<UpdatedRows>.fromOpaque(context).takeUnretainedValue().note(row, of: table)
      }, Unmanaged.passUnretained(rows).toOpaque())
    defer {
      sqlite3_update_hook(handle, nil, nil)
      withExtendedLifetime(rows) {}
    }
    return (try body(), rows)
  }
}
