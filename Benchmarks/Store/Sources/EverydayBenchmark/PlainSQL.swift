import RawSQLite

/// The same over SQLite's C API: prepared once, bound, stepped.
final class PlainSQL {
  private var database: OpaquePointer?
  private var statements: [String: OpaquePointer?] = [:]

  init(_ path: String) {
    check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
    for pragma in ["journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"] {
      check(sqlite3_exec(database, "PRAGMA \(pragma)", nil, nil, nil))
    }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(database)
  }

  private func check(_ code: Int32) {
    precondition(
      [SQLITE_OK, SQLITE_ROW, SQLITE_DONE].contains(code), String(cString: sqlite3_errmsg(database))
    )
  }

  enum Argument {
    case integer(Int)
    case text(String)
    case real(Double)
  }

  /// Runs a statement.
  /// - Returns: the first column of its first row; nil for none.
  @discardableResult
  func run(_ sql: String, _ arguments: Argument...) -> Int? {
    let statement = bound(sql, arguments)
    var result: Int?
    var code = sqlite3_step(statement)
    if code == SQLITE_ROW { result = Int(sqlite3_column_int64(statement, 0)) }
    while code == SQLITE_ROW { code = sqlite3_step(statement) }
    check(code)
    sqlite3_reset(statement)
    return result
  }

  /// A row that a statement stands on.
  struct Row {
    fileprivate let statement: OpaquePointer?

    func integer(_ column: Int) -> Int { Int(sqlite3_column_int64(statement, Int32(column))) }
    func real(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }
    func text(_ column: Int) -> String? {
      sqlite3_column_text(statement, Int32(column)).map { start in
        let bytes = UnsafeBufferPointer(
          start: start, count: Int(sqlite3_column_bytes(statement, Int32(column))))
        return String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  func read(_ sql: String, _ arguments: Argument..., body: (Row) -> Void) {
    let statement = bound(sql, arguments)
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      body(Row(statement: statement))
      code = sqlite3_step(statement)
    }
    check(code)
    sqlite3_reset(statement)
  }

  private func bound(_ sql: String, _ arguments: [Argument]) -> OpaquePointer? {
    let statement: OpaquePointer?
    if let known = statements[sql] {
      statement = known
    } else {
      var made: OpaquePointer?
      check(sqlite3_prepare_v2(database, sql, -1, &made, nil))
      statements[sql] = made
      statement = made
    }
    for (index, argument) in arguments.enumerated() {
      let parameter = Int32(index + 1)
      switch argument {
      case .integer(let value): sqlite3_bind_int64(statement, parameter, Int64(value))
      case .real(let value): sqlite3_bind_double(statement, parameter, value)
      case .text(let value):
        sqlite3_bind_text(
          statement, parameter, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
    return statement
  }

  func transaction(_ body: () -> Void) {
    run("BEGIN IMMEDIATE")
    body()
    run("COMMIT")
  }
}
