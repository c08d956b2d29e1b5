import GRDB

// GRDBRowLoop FILE: Person(firstName, lastName, age) becomes Person(fullName, age, email) the way that people write it
// with GRDB: a migration with a loop over the rows.

struct Usage: Error { let text = "usage: GRDBRowLoop FILE" }
guard CommandLine.arguments.count == 2 else { throw Usage() }

var configuration = Configuration()
configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
let queue = try DatabaseQueue(path: CommandLine.arguments[1], configuration: configuration)

var migrator = DatabaseMigrator()
migrator.registerMigration("fullName") { database in
  try database.execute(
    sql: """
      CREATE TABLE "new"(
        _row INTEGER PRIMARY KEY, age INTEGER NOT NULL, email TEXT, fullName TEXT NOT NULL) STRICT
      """)
  let insertion = try database.makeStatement(
    sql: "INSERT INTO \"new\"(_row, age, fullName) VALUES (?, ?, ?)")
  let rows = try Row.fetchCursor(
    database, sql: "SELECT _row, age, firstName, lastName FROM Person")
  while let row = try rows.next() {
    let (first, last): (String, String) = (row["firstName"], row["lastName"])
    try insertion.execute(
      arguments: [row["_row"] as Int64, row["age"] as Int64, "\(first) \(last)"])
  }
  try database.execute(
    sql: "DROP TABLE Person; ALTER TABLE \"new\" RENAME TO Person")
}
try migrator.migrate(queue)
