import CSQLite

extension Database {
  /// What SQLite may assume of a function.
  package struct FunctionTraits: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
    /// Equal arguments give equal results.
    package static let deterministic = FunctionTraits(rawValue: SQLITE_DETERMINISTIC)
    /// Not to be called from triggers and views of a file, which a stranger may have written; temporary ones may.
    package static let directOnly = FunctionTraits(rawValue: SQLITE_DIRECTONLY)
  }

  /// As many arguments as SQLite passes to one function.
  package static let maximumFunctionArguments = 127

  /// Adds a scalar function, or replaces the one of this name and number of arguments.
  ///
  /// `body` is freed once, with the function or the connection. What it throws ends the statement
  /// with an error that bears its description; `lastFunctionError` keeps it as it was.
  /// - Parameter argumentCount: nil for any number.
  package func addFunction(
    _ name: String, argumentCount: Int? = nil,
    traits: FunctionTraits = [.deterministic, .directOnly],
    _ body: @escaping (FunctionCall) throws -> Void
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(FunctionBox(self, body))
    let code = sqlite3_create_function_v2(
      handle, name, Int32(argumentCount ?? -1), SQLITE_UTF8 | traits.rawValue, box.toOpaque(),
      { context, count, values in
        guard let context, let address = sqlite3_user_data(context) else { return }
        let box = Unmanaged<FunctionBox>.fromOpaque(address).takeUnretainedValue()
        do {
          try box.body(FunctionCall(context: context, values: values, count: Int(count)))
        } catch {
          box.report(error, to: context)
        }
      }, nil, nil,
      { address in
        // SQLite calls this once, also when the function could not be added.
        if let address { Unmanaged<FunctionBox>.fromOpaque(address).release() }
      })
    try check(code)
  }

  /// Adds a function for temporary triggers, and none of a file, that notes what they see and gives NULL, or replaces the one of this name and number of arguments.
  ///
  /// `SELECT name(OLD.x)` in a trigger calls it once for each row. It is an aggregate, which without a table has that one row: a statement whose triggers
  /// call a *scalar* function may fail midway for all that SQLite knows (`sqlite3VdbeAddFunctionCall` in its vdbeaux.c), so that it keeps a copy of each page that
  /// the statement changes, in a file once there were more than 64 KB of them. Docs/decisions/0146.
  package func addRecorder(
    _ name: String, argumentCount: Int, _ body: @escaping (FunctionCall) -> Void
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(RecorderBox(body))
    let code = sqlite3_create_function_v2(
      handle, name, Int32(argumentCount), SQLITE_UTF8 | SQLITE_DIRECTONLY, box.toOpaque(), nil,
      { context, count, values in
        guard let context, let address = sqlite3_user_data(context) else { return }
        Unmanaged<RecorderBox>.fromOpaque(address).takeUnretainedValue().body(
          FunctionCall(context: context, values: values, count: Int(count)))
      },
      { _ in },
      { address in
        if let address { Unmanaged<RecorderBox>.fromOpaque(address).release() }
      })
    try check(code)
  }

  /// Takes a function away.
  package func removeFunction(_ name: String, argumentCount: Int? = nil) throws(SQLiteError) {
    try check(
      sqlite3_create_function_v2(
        handle, name, Int32(argumentCount ?? -1), SQLITE_UTF8, nil, nil, nil, nil, nil))
  }
}

final class FunctionBox {
  let body: (FunctionCall) throws -> Void
  // Functions are freed when their connection closes, so it outlives them.
  private unowned let database: Database

  init(_ database: Database, _ body: @escaping (FunctionCall) throws -> Void) {
    self.database = database
    self.body = body
  }

  func report(_ error: any Error, to context: OpaquePointer) {
    database.lastFunctionError = error
    sqlite3_result_error(context, "\(error)", -1)
  }
}

private final class RecorderBox {
  let body: (FunctionCall) -> Void

  init(_ body: @escaping (FunctionCall) -> Void) { self.body = body }
}
