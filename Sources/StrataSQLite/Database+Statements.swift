import CSQLite

extension Database {
  /// Compiles one statement. What stands behind it in the text is an error.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    let (statement, rest) = try prepareFirst(of: sql)
    guard let statement, rest == 0 else {
      throw SQLiteError(
        code: SQLITE_MISUSE, message: "exactly one statement is expected", sql: sql, path: path)
    }
    return statement
  }

  /// Runs `body` with a statement that is compiled at most once a connection, and resets it afterwards.
  ///
  /// Uses of the same text may be nested: the inner one gets a statement of its own.
  package func withStatement<Result>(
    _ sql: String, _ body: (Statement) throws -> Result
  ) throws -> Result {
    do {
      // It stays where it is: looking for a long text twice costs as much as a short statement.
      if let known = cachedStatements[sql], !known.isInUse {
        known.isInUse = true
        defer {
          known.reset()
          known.isInUse = false
        }
        return try body(known)
      }
      let statement = try prepare(sql)
      defer {
        statement.reset()
        if !isClosed, Self.isKept(sql) {
          if cachedStatements.count >= Self.maximumCachedStatements { cachedStatements.removeAll() }
          cachedStatements[sql] = statement
        }
      }
      return try body(statement)
    } catch {
      noteStorageFailure(error)
      throw error
    }
  }

  /// Whether a statement is worth keeping: one with thousands of values is hardly asked again.
  static func isKept(_ sql: String) -> Bool { sql.utf8.count <= maximumCachedBytes }

  /// Runs one statement to its end.
  package func execute(_ sql: String, _ values: SQLiteValue...) throws {
    try execute(sql, values)
  }

  package func execute(_ sql: String, _ values: [SQLiteValue]) throws {
    try withStatement(sql) { statement in
      try statement.bind(values)
      while try statement.step() {}
    }
  }

  /// Runs `body` while a statement follows no more than so many rows, one from the other, by triggers and foreign keys; with
  /// more it fails, see ``SQLiteError/isOfTooLongChain``.
  package func following<Result>(
    atMost depth: Int, _ body: () throws -> Result
  ) rethrows -> Result {
    let before = sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, Int32(clamping: depth))
    defer { sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, before) }
    return try body()
  }

  /// Runs statements one after another, without values and without keeping them.
  package func executeScript(_ sql: String) throws(SQLiteError) {
    var bytes = Array(sql.utf8)[...]
    while !bytes.isEmpty {
      let text = String(decoding: bytes, as: UTF8.self)
      let (statement, rest) = try prepareFirst(of: text)
      if let statement { while try statement.step() {} }
      // SQLite reads no further than to a zero.
      guard rest < bytes.count else { break }
      bytes = bytes.suffix(rest)
    }
  }

  /// All rows of a query.
  package func rows(_ sql: String, _ values: SQLiteValue...) throws -> [[SQLiteValue]] {
    try rows(sql, values)
  }

  package func rows(_ sql: String, _ values: [SQLiteValue]) throws -> [[SQLiteValue]] {
    try withStatement(sql) { statement in
      try statement.bind(values)
      var rows: [[SQLiteValue]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.value(at: $0) })
      }
      return rows
    }
  }

  /// The first column of the first row, or nil when there is no row.
  package func firstValue(_ sql: String, _ values: SQLiteValue...) throws -> SQLiteValue? {
    try withStatement(sql) { statement in
      try statement.bind(values)
      return try statement.step() ? statement.value(at: 0) : nil
    }
  }

  /// Finalizes the kept statements, so that nothing reads the tables any more.
  package func discardCachedStatements() { cachedStatements.removeAll() }

  /// The first statement of the text, nil for nothing but space and comments, and how many bytes
  /// stand behind it.
  private func prepareFirst(of sql: String) throws(SQLiteError) -> (Statement?, rest: Int) {
    precondition(!isClosed, "A statement was prepared on a closed connection to \(path).")
    return try readingDefinitions { () throws(SQLiteError) in try compileFirst(of: sql) }
  }

  private func compileFirst(of sql: String) throws(SQLiteError) -> (Statement?, rest: Int) {
    var text = sql
    var handle: OpaquePointer?
    var rest = 0
    let code = text.withUTF8 { bytes -> Int32 in
      // An empty text has no address, and an empty statement is none.
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return SQLITE_OK }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          self.handle, start, Int32(clamping: bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT),
          &handle, &tail)
        if let tail { rest = bytes.count - (tail - start) }
        while rest > 0, [0x20, 0x0A, 0x3B].contains(bytes[bytes.count - rest]) { rest -= 1 }
        return code
      }
    }
    try check(code, sql: sql)
    return (handle.map { Statement(handle: $0, sql: sql, logMender: logMender) }, rest)
  }
}
