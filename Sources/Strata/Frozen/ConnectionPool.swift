import StrataSQLite
import Synchronization

/// Connections to a store's file that are not in use: the live store takes one when it has handed its own to a
/// frozen one, which gives it back in the end, on whatever thread that is.
final class ConnectionPool: Sendable {
  /// More are closed instead of kept.
  static let maximumIdle = 2

  /// What queries of the live store and of its frozen ones call.
  let functions = QueryFunctions()
  // A connection in the pool has no owner; the store that takes it is its only one.
  private struct Idle: @unchecked Sendable {
    let database: Database
  }

  private struct State {
    var idle: [Idle] = []
    var isOpen = true
  }

  private let state = Mutex(State())
  private let configuration: Store.Configuration

  /// Which file it is; also of a store that is frozen after another one took the place.
  let fileIdentity: FileIdentity

  init(_ configuration: Store.Configuration, _ fileIdentity: FileIdentity) {
    self.configuration = configuration
    self.fileIdentity = fileIdentity
  }

  /// A connection without a transaction, and whether it is a new one, which knows no functions yet.
  ///
  /// - Throws: ``StoreError`` where another file, or none, stands at the path by now
  func take() throws -> (database: Database, isNew: Bool) {
    if let idle = state.withLock({ $0.idle.popLast() }) { return (idle.database, false) }
    return (try another(), true)
  }

  /// A new connection to the store's file. What the path leads to is looked at before and after the opening, because another process
  /// may put another file into its place in between.
  private func another() throws -> Database {
    let opening = Opening(configuration)
    guard isInPlace(opening.path) else {
      throw StoreError.replaced(path: opening.path, hasLog: false)
    }
    let database = try opening.connectAgain(mayCreate: false)
    guard isInPlace(opening.path), !database.isReplaced else {
      // The log at the path may be that of the store's file.
      try? database.set(.noCheckpointOnClose, true)
      database.close()
      throw StoreError.replaced(path: opening.path, hasLog: false)
    }
    return database
  }

  private func isInPlace(_ path: String) -> Bool {
    guard let status = try? POSIXFiles().status(of: path) else { return false }
    return KnownFiles.shared.isStill(fileIdentity, status)
  }

  /// Takes a connection back, whose statements are all reset.
  func give(_ database: Database) {
    let idle = Idle(database: database)
    let isKept = state.withLock { state in
      guard state.isOpen, state.idle.count < Self.maximumIdle else { return false }
      state.idle.append(idle)
      return true
    }
    if !isKept { database.close() }
  }

  /// When the live store closes: what frozen ones still have is closed as soon as it comes back.
  func close() {
    let idle = state.withLock { state in
      state.isOpen = false
      defer { state.idle = [] }
      return state.idle
    }
    for entry in idle { entry.database.close() }
  }
}

/// Says whether another connection has committed: a connection that is used for nothing else, because one that stands on a version
/// cannot look past it.
final class VersionWatch {
  private let database: Database
  private let pool: ConnectionPool

  init(_ pool: ConnectionPool) throws {
    self.pool = pool
    database = try pool.take().database
  }

  /// A number that changes with every transaction of any connection.
  func newest() throws -> Int64 { try database.dataVersion() }

  /// Reads the newest version of the data, on this connection alone.
  func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try database.transaction(.deferred) { try body(database) }
  }

  func close() { database.close() }
}
