import CSQLite

extension Database {
  /// Reads a pragma that gives one value.
  package func pragma(_ name: String, in database: String? = nil) throws -> SQLiteValue {
    try firstValue("PRAGMA \(Self.qualified(name, in: database))") ?? .null
  }

  /// Sets a pragma; the value that SQLite answers with, if it answers.
  @discardableResult
  package func setPragma(
    _ name: String, _ value: PragmaValue, in database: String? = nil
  ) throws -> SQLiteValue {
    // Not from the cache: SQLite evaluates some pragmas when they are compiled.
    let statement = try prepare("PRAGMA \(Self.qualified(name, in: database)) = \(value.text)")
    var answer = SQLiteValue.null
    while try statement.step() { answer = statement.value(at: 0) }
    return answer
  }

  /// The value of a pragma, which cannot be bound.
  package enum PragmaValue: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByStringLiteral
  {
    case integer(Int64)
    case word(String)

    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
    package init(stringLiteral value: String) { self = .word(value) }

    fileprivate var text: String {
      switch self {
      case .integer(let value): String(value)
      case .word(let value): SQL.identifier(value)
      }
    }
  }

  /// Does without a journal: for a file of which nothing has to be left when something goes wrong.
  package func turnJournalOff() throws {
    // A defensive connection keeps its journal.
    try set(.defensive, false)
    defer { try? set(.defensive, true) }
    try setPragma("journal_mode", "OFF", in: "main")
  }

  /// Grows when another connection has changed the file.
  package func dataVersion(in database: String? = nil) throws -> Int64 {
    try pragma("data_version", in: database).ifInteger ?? 0
  }

  /// Lets temporary tables and sorts go to files where they outgrow a cache, so that memory does not grow with them.
  ///
  /// SQLite makes such a file in the folder that `SQLITE_TMPDIR` or `TMPDIR` names, else in `/var/tmp` or `/tmp`, and unlinks it at
  /// once: a process that is killed leaves none. To be called before the first temporary table and outside of a transaction.
  /// - Parameter cacheSize: kibibytes of temporary tables that are kept in memory; nil for SQLite's own number.
  package func spillTemporaries(cacheSize: Int64? = nil) throws {
    try setPragma("temp_store", "FILE")
    if let cacheSize { try setPragma("cache_size", .integer(-cacheSize), in: "temp") }
  }

  /// The kibibytes that a sort takes, and those of pages that are kept meanwhile, where memory is counted.
  private static let sortCacheSize: Int64 = 2048

  /// Runs statements that sort a whole table, as one that makes an index does.
  ///
  /// SQLite lets each sort have as much memory as the main database's cache (`sqlite3VdbeSorterInit`), so that both would be there at
  /// once, or more where a statement sorts twice. Here both get less; what is sorted beyond that waits in a file. To be called where
  /// temporary tables go to files.
  package func sortingWithLittleMemory<Result>(_ body: () throws -> Result) throws -> Result {
    let before = try pragma("cache_size", in: "main").ifInteger ?? 0
    // A negative number is one of kibibytes. Nothing is made larger.
    guard before < -Self.sortCacheSize else { return try body() }
    try setPragma("cache_size", .integer(-Self.sortCacheSize), in: "main")
    // The pages lie between other blocks, and what sorts needs larger ones: both would be there at once.
    Heap.giveFreeBack()
    defer { _ = try? setPragma("cache_size", .integer(before), in: "main") }
    return try body()
  }

  /// Changes whenever a table, index or trigger of the file does, whichever connection did it.
  package func tablesVersion(in database: String? = nil) throws -> Int64 {
    try pragma("schema_version", in: database).ifInteger ?? 0
  }

  /// How long a statement waits for a lock that another connection holds.
  package func setBusyTimeout(milliseconds: Int) {
    sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  /// Lets others work for a moment, by the VFS's own clock.
  package static func pause(milliseconds: Int) { sqlite3_sleep(Int32(clamping: milliseconds)) }

  package func attach(_ path: String, as name: String) throws {
    try readingDefinitions { try execute("ATTACH ? AS \(SQL.identifier(name))", .text(path)) }
    try leaveReservedBytes(in: name)
  }

  package func detach(_ name: String) throws {
    // A kept statement that names it would keep it locked.
    discardCachedStatements()
    try prepare("DETACH \(SQL.identifier(name))").run()
  }

  /// A switch of the connection.
  package struct Switch: Sendable {
    fileprivate let option: Int32

    /// Refuse SQL that could harm the file: `writable_schema`, shadow tables.
    package static let defensive = Switch(option: SQLITE_DBCONFIG_DEFENSIVE)
    /// Whether triggers, views and other definitions of the file may call every function.
    package static let trustedSchema = Switch(option: SQLITE_DBCONFIG_TRUSTED_SCHEMA)
    /// Whether a name in double quotes that is no column is a string.
    package static let doubleQuotedStringsInQueries = Switch(option: SQLITE_DBCONFIG_DQS_DML)
    package static let doubleQuotedStringsInDefinitions = Switch(option: SQLITE_DBCONFIG_DQS_DDL)
    /// Whether the last connection writes the log back into the file when it closes.
    package static let noCheckpointOnClose = Switch(option: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
    /// Whether ALTER TABLE leaves references to a renamed table alone.
    package static let legacyAlterTable = Switch(option: SQLITE_DBCONFIG_LEGACY_ALTER_TABLE)
    package static let triggers = Switch(option: SQLITE_DBCONFIG_ENABLE_TRIGGER)
  }

  package func set(_ option: Switch, _ isOn: Bool) throws(SQLiteError) {
    try check(strata_sqlite3_db_config_switch(handle, option.option, isOn ? 1 : 0))
  }

  /// Runs what makes SQLite read the definitions of a file. Of a file in which a computed column or an index calls a function that SQLite takes from no file,
  /// as SQLite 3.40 does with those of JSON, it reads none while it does not trust them: then it is told to, as it does by itself. What triggers of a
  /// file do is looked at before it is written, docs/decisions/0065.
  func readingDefinitions<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do {
      return try body()
    } catch {
      guard let problem = error as? SQLiteError, problem.isOfUnreadDefinition,
        (try? set(.trustedSchema, true)) != nil
      else { throw error }
      return try body()
    }
  }

  private static func qualified(_ name: String, in database: String?) -> String {
    database.map { SQL.identifier($0) + "." + name } ?? name
  }
}
