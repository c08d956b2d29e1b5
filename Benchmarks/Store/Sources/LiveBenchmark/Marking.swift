import BenchmarkModels
import RawSQLite
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All mails are marked as read: at once, by the same UPDATE over SQLite's C API, and one after the other.
struct Marking {
  static let runs = 5
  let folder: URL

  func times(_ count: Int) throws -> (bulk: Double, sql: Double, each: Double) {
    let path = folder.appendingPathComponent("marking-\(count).db").path
    let store = try Store(path: path, schema: BenchSchema.self)
    try store.write {
      for number in 0..<count {
        try store.add(Mail(subject: "mail \(number)", size: number % 1000, received: number))
      }
    }
    var (bulk, sql, each): ([Double], [Double], [Double]) = ([], [], [])
    for run in 0..<Self.runs {
      let isRead = run.isMultiple(of: 2)
      bulk.append(
        try time {
          try store.write {
            let marked = try store.update(Mail.self, set: [\.read: isRead], returning: .count)
            precondition(marked == count)
          }
        })
      sql.append(plainUpdate(path, isRead ? 0 : 1))
    }
    let eachRuns = count > 100_000 ? 1 : Self.runs
    for run in 0..<eachRuns {
      let isRead = run.isMultiple(of: 2)
      each.append(
        try time {
          try store.write { for mail in store.objects(Mail.self) { mail.read = isRead } }
        })
    }
    store.close()
    return (bulk.median, sql.median, each.median)
  }

  private func time(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    return try clock.measure(body).milliseconds
  }

  private func plainUpdate(_ path: String, _ read: Int) -> Double {
    var database: OpaquePointer?
    check(
      sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil), database)
    defer { sqlite3_close_v2(database) }
    for pragma in ["journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"] {
      check(sqlite3_exec(database, "PRAGMA \(pragma)", nil, nil, nil), database)
    }
    return time {
      for statement in ["BEGIN IMMEDIATE", "UPDATE Mail SET read = \(read)", "COMMIT"] {
        check(sqlite3_exec(database, statement, nil, nil, nil), database)
      }
    }
  }

  private func check(_ code: Int32, _ database: OpaquePointer?) {
    precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(database)))
  }
}
