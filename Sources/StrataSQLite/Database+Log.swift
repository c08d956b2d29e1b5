import CSQLite

extension Database {
  /// Calls a function after each statement, with its text, where parameters stand as `?`, the nanoseconds that it ran, and the rows that
  /// it gave; nil ends it.
  package func setStatementLog(_ body: ((String, Int64, Int) -> Void)?) {
    guard let body else {
      sqlite3_trace_v2(handle, 0, nil, nil)
      statementLog = nil
      return
    }
    let log = StatementLog(body)
    statementLog = log  // kept for as long as SQLite has its address
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
      { event, context, statement, value in
        guard let context, let statement else { return 0 }
        let log = Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue()
        if event == UInt32(SQLITE_TRACE_ROW) {
          log.gaveRow(statement)
        } else if let value {
          log.ended(statement, value.load(as: Int64.self))
        }
        return 0
      },
      Unmanaged.passUnretained(log).toOpaque())
  }
}

/// The statements of one connection that are running.
final class StatementLog {
  private let body: (String, Int64, Int) -> Void
  /// By the statement's address; no more than statements that are running.
  private var rows: [UnsafeMutableRawPointer: Int] = [:]

  init(_ body: @escaping (String, Int64, Int) -> Void) { self.body = body }

  func gaveRow(_ statement: UnsafeMutableRawPointer) { rows[statement, default: 0] += 1 }

  func ended(_ statement: UnsafeMutableRawPointer, _ nanoseconds: Int64) {
    let text = sqlite3_sql(OpaquePointer(statement)).map { String(cString: $0) } ?? ""
    body(text, nanoseconds, rows.removeValue(forKey: statement) ?? 0)
  }
}
