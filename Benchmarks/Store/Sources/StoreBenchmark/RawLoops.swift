import BenchmarkModels
import RawSQLite

/// What somebody writes by hand over the C API: prepared once, bound, stepped, read; no more.
final class RawLoops {
  private var database: OpaquePointer?

  init(_ path: String, checksCells: Bool) {
    check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    if checksCells { execute("PRAGMA cell_size_check = ON") }
  }

  deinit { sqlite3_close_v2(database) }

  private func check(_ code: Int32) {
    precondition(
      [SQLITE_OK, SQLITE_ROW, SQLITE_DONE].contains(code), String(cString: sqlite3_errmsg(database))
    )
  }

  func execute(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    return statement
  }

  private func bind(_ text: String?, _ statement: OpaquePointer?, _ parameter: Int32) {
    guard var text else {
      sqlite3_bind_null(statement, parameter)
      return
    }
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(
          statement, parameter, $0.baseAddress, Int32($0.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
  }

  private func string(_ statement: OpaquePointer?, _ column: Int32) -> String {
    let start = sqlite3_column_text(statement, column)
    return String(
      decoding: UnsafeBufferPointer(
        start: start, count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
  }

  // MARK: - Writing

  /// So many people from a number on, in transactions of a size; two dogs for each of the first.
  func create(_ count: Int, withDogs dogOwners: Int, transaction: Int) {
    let person = prepare(
      "INSERT INTO Person (_row, id, name, age, email, score, boss) VALUES (?, ?, ?, ?, ?, ?, ?)")
    let dog = prepare("INSERT INTO Dog (_row, name) VALUES (?, ?)")
    let link = prepare("INSERT INTO \"Person.dogs\" (_owner, _index, value) VALUES (?, ?, ?)")
    defer { for statement in [person, dog, link] { sqlite3_finalize(statement) } }
    var row: Int64 = 0
    for start in stride(from: 0, to: count, by: transaction) {
      execute("BEGIN IMMEDIATE")
      for number in start..<min(start + transaction, count) {
        row += 1
        let owner = row
        sqlite3_bind_int64(person, 1, owner)
        sqlite3_bind_int64(person, 2, Int64(number))
        bind(Sample.name(number), person, 3)
        sqlite3_bind_int64(person, 4, Int64(Sample.age(number)))
        bind(Sample.email(number), person, 5)
        sqlite3_bind_double(person, 6, Sample.score(number))
        sqlite3_bind_null(person, 7)
        check(sqlite3_step(person))
        sqlite3_reset(person)
        guard number < dogOwners else { continue }
        for index in 0..<2 {
          row += 1
          sqlite3_bind_int64(dog, 1, row)
          bind("Dog \(index)", dog, 2)
          check(sqlite3_step(dog))
          sqlite3_reset(dog)
          sqlite3_bind_int64(link, 1, owner)
          sqlite3_bind_int64(link, 2, Int64(index + 1) * 65_536)
          sqlite3_bind_int64(link, 3, row)
          check(sqlite3_step(link))
          sqlite3_reset(link)
        }
      }
      execute("COMMIT")
    }
  }

  func addOneYear() {
    execute("BEGIN IMMEDIATE")
    let select = prepare("SELECT _row, age FROM Person ORDER BY _row")
    let update = prepare("UPDATE Person SET age = ? WHERE _row = ?")
    defer { for statement in [select, update] { sqlite3_finalize(statement) } }
    while sqlite3_step(select) == SQLITE_ROW {
      sqlite3_bind_int64(update, 1, sqlite3_column_int64(select, 1) + 1)
      sqlite3_bind_int64(update, 2, sqlite3_column_int64(select, 0))
      check(sqlite3_step(update))
      sqlite3_reset(update)
    }
    sqlite3_reset(select)
    execute("COMMIT")
  }

  // MARK: - Reading

  func readAll() -> Int {
    let statement = prepare("SELECT _row, age, name FROM Person ORDER BY _row")
    defer { sqlite3_finalize(statement) }
    var sum = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      sum += Int(sqlite3_column_int64(statement, 1))
      sum += string(statement, 2).utf8.count
    }
    return sum
  }

  func lookUp(_ keys: [Int]) -> Int {
    execute("BEGIN")
    let statement = prepare(
      "SELECT _row, age, email, id, name, score, boss FROM Person WHERE id = ?")
    defer { sqlite3_finalize(statement) }
    var sum = 0
    for key in keys {
      sqlite3_bind_int64(statement, 1, Int64(key))
      if sqlite3_step(statement) == SQLITE_ROW { sum += string(statement, 4).utf8.count }
      sqlite3_reset(statement)
    }
    execute("COMMIT")
    return sum
  }

  func count(_ condition: String) -> Int {
    let statement = prepare("SELECT count(*) FROM Person WHERE \(condition)")
    defer { sqlite3_finalize(statement) }
    check(sqlite3_step(statement))
    return Int(sqlite3_column_int64(statement, 0))
  }

  func names(_ rest: String) -> Int {
    let statement = prepare(
      "SELECT _row, age, email, id, name, score, boss FROM Person \(rest)")
    defer { sqlite3_finalize(statement) }
    var sum = 0
    while sqlite3_step(statement) == SQLITE_ROW { sum += string(statement, 4).utf8.count }
    return sum
  }
}
