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
  func take() throws -> (database: Database, isNew: Bool) {
    if let idle = state.withLock({ $0.idle.popLast() }) { return (idle.database, false) }
    return (try Opening(configuration).connectAgain(), true)
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
