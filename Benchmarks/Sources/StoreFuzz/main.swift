import CoreDataFixtures
import Foundation
import Strata
import StrataAdopt
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema

// Throws damaged stores at `strata adopt coredata` and `adopt sqlite`: StoreFuzz [inputs] [seed] [first]. Half of them are files of which bytes
// are changed, exchanged or cut off; half are changed by SQL, so that SQLite finds nothing wrong and the reader has to. Each is read,
// every tenth also brought into a database, and read a second time. Whatever they say, it ends with objects or with an error.

struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }
}

struct Base {
  let bytes: [UInt8]
  let isCoreData: Bool
  /// Table and columns of each, to change by SQL.
  let cells: [(table: String, columns: [String])]
}

let library = """
  CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL, teacher INTEGER REFERENCES author(id));
  CREATE TABLE book(isbn TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT 'untitled',
    author_id INTEGER REFERENCES author(id) ON DELETE CASCADE, price REAL, cover BLOB, extra, isNew BOOLEAN NOT NULL);
  CREATE INDEX book_title ON book(title);
  CREATE TABLE tag(id INTEGER PRIMARY KEY, label TEXT UNIQUE);
  CREATE TABLE book_tag(book TEXT NOT NULL REFERENCES book(isbn), tag INTEGER NOT NULL REFERENCES tag(id), position INTEGER,
    PRIMARY KEY(book, tag));
  CREATE TABLE loan(book TEXT NOT NULL REFERENCES book(isbn), day TEXT NOT NULL, PRIMARY KEY(book, day)) WITHOUT ROWID;
  INSERT INTO author VALUES (10, 'Ada', NULL), (500, 'Bob', 10);
  INSERT INTO book VALUES ('b', 'Second', 500, 2, x'0102', 7, 1), ('a', 'First', 10, 1.5, NULL, 'text', 0);
  INSERT INTO tag VALUES (1, 'red'), (2, 'green'), (3, NULL);
  INSERT INTO book_tag VALUES ('a', 1, 2), ('a', 3, 1), ('b', 2, 1);
  INSERT INTO loan VALUES ('a', '2026-01-02'), ('a', '2026-01-01');
  """

let folder = FilePaths.temporaryFolder + "/strata-storefuzz-\(getpid())"
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
let files = POSIXFiles()
let (input, output) = (folder + "/Shop.sqlite", folder + "/out.db")

func base(isCoreData: Bool) throws -> Base {
  let database = try Database(path: input, mode: .readWrite)
  var cells: [(table: String, columns: [String])] = []
  for row in Array(
    try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"))
  {
    guard let table = row[0].ifText else { continue }
    let columns = Array(
      try database.rows("SELECT name FROM pragma_table_info(?)", .text(table))
    ).compactMap { $0[0].ifText }
    cells.append((table, columns))
  }
  database.close()
  let size = try files.size(of: input) ?? 0
  let bytes = try files.read(input, from: 0, count: size)
  try files.remove(input)
  return Base(bytes: bytes, isCoreData: isCoreData, cells: cells)
}

_ = try StoreFile.write(in: folder)
var bases = [try base(isCoreData: true)]
_ = try StoreFile.write(in: folder, model: nil)
bases.append(try base(isCoreData: true))
let made = try Database(path: input, mode: .create)
try made.executeScript(library)
made.close()
bases.append(try base(isCoreData: false))

func mutate(_ bytes: inout [UInt8], _ random: inout Random) {
  for _ in 0...random.below(6) where !bytes.isEmpty {
    let place = random.below(bytes.count)
    switch random.below(6) {
    case 0, 1: bytes[place] ^= 1 << UInt8(random.below(8))
    case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 3: bytes.swapAt(place, random.below(bytes.count))
    case 4:
      let count = min(random.below(64), bytes.count - place)
      let source = random.below(bytes.count - count)
      for byte in 0..<count { bytes[place + byte] = bytes[source + byte] }
    default: if random.below(10) == 0 { bytes.removeSubrange(place...) }
    }
  }
}

/// Values that stand where others are expected.
let strange = [
  "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "1e400", "-1e400", "1.5", "''",
  "'x'", "'5'", "x''", "x'02'",
  "x'02' || 'no file'", "CAST(x'FFFE' AS TEXT)", "zeroblob(100)", "printf('%.*c', 5000, 'y')",
  "'a' || char(0) || 'b'",
  "CAST(x'0230303030' AS BLOB)", "16001", "'Z_PK'",
]

func change(_ base: Base, _ random: inout Random) throws {
  let database = try Database(path: input, mode: .readWrite)
  defer { database.close() }
  try database.turnJournalOff()
  // SQLite's own chance would be another one each time.
  var chance = Random(state: random.next())
  try database.addFunction("_chance", argumentCount: 0, traits: [.directOnly]) { call in
    call.give(chance.below(2) == 0)
  }
  for _ in 0...random.below(4) {
    let cell = base.cells[random.below(base.cells.count)]
    let table = SQL.identifier(cell.table)
    let column = SQL.identifier(cell.columns[random.below(cell.columns.count)])
    let value = strange[random.below(strange.count)]
    let statement =
      switch random.below(10) {
      case 0: "DELETE FROM \(table) WHERE \(column) IS NOT NULL"
      case 1: "ALTER TABLE \(table) RENAME COLUMN \(column) TO zz\(random.below(3))"
      case 2: "ALTER TABLE \(table) DROP COLUMN \(column)"
      case 3: "INSERT INTO \(table) SELECT * FROM \(table)"
      case 4: "ALTER TABLE \(table) ADD COLUMN ZMORE\(random.below(3)) DEFAULT \(value)"
      case 5: "DROP TABLE \(table)"
      default: "UPDATE \(table) SET \(column) = \(value) WHERE _chance()"
      }
    // What SQLite itself refuses changes nothing.
    try? database.execute(statement)
  }
}

func schemaVersion(_ schema: Schema) -> FrozenVersion {
  FrozenVersion(schema: schema, step: nil, date: "2026-11-22", stepDigest: nil, chain: nil)
}

func holds(_ expected: ContentSum, _ schema: Schema) throws -> Bool {
  try FileInspector().reading(output) { database, _ in
    try DatabaseProof.sum(of: database, schema: schema) == expected
  }
}

/// What SQLite finds wrong with the input itself: where its tables and indexes disagree, two readings may.
func damage() -> String {
  do {
    return try FileInspector().reading(input) { database, _ in
      Array(try database.rows("PRAGMA main.integrity_check(5)")).compactMap { $0[0].ifText }
        .joined(separator: "; ")
    }
  } catch { return "\(error)" }
}

enum Ending { case read, brought, differing, refused }

func adopt(isCoreData: Bool, isWritten: Bool) -> Ending {
  defer { try? files.removeIfPresent(output) }
  do {
    return try FileInspector().reading(input) { database, attachment in
      if isCoreData {
        let source = try CoreDataSource(path: input, model: nil, database: database, name: "App")
        let transfer = CoreDataTransfer(source, from: database) { _ in }
        guard isWritten else {
          _ = try transfer.run(into: nil)
          _ = try CoreDataProof(source, database).sum()
          return .read
        }
        try NewDatabase(
          path: output, version: schemaVersion(source.schema),
          lineage: Lineage(beginning: source.schema)
        ).create { try transfer.run(into: $0) }
        return try holds(try CoreDataProof(source, database).sum(), source.schema)
          ? .brought : .differing
      }
      let source = try SQLiteSource(path: input, database: database, name: "App")
      guard isWritten else {
        _ = try SQLiteProof(source, database).sum()
        return .read
      }
      let schema = source.history.versions[0].schema
      try NewDatabase(
        path: output, version: schemaVersion(schema), lineage: Lineage(beginning: schema)
      ).create(attaching: attachment) { try SQLiteTransfer(source, into: $0) { _ in }.run() }
      return try holds(try SQLiteProof(source, database).sum(), schema) ? .brought : .differing
    }
  } catch { return .refused }
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let count = arguments.first ?? 200_000
let seed = arguments.dropFirst().first ?? 1
let first = arguments.dropFirst(2).first ?? 0
var endings: [Ending: Int] = [:]
for number in first..<first + count {
  var random = Random(state: UInt64(seed) << 32 | UInt64(number))
  let base = bases[random.below(bases.count)]
  var bytes = base.bytes
  let isBySQL = random.below(2) == 0
  if !isBySQL { mutate(&bytes, &random) }
  // An input that stops the process is the last one that was named.
  if count == 1 {
    print("input \(number) of seed \(seed), \(isBySQL ? "by SQL" : "by bytes"): \(input)")
  }
  try files.write(bytes, to: input, permissions: 0o600)
  if isBySQL { try? change(base, &random) }
  let ending = adopt(isCoreData: base.isCoreData, isWritten: random.below(10) == 0)
  endings[ending, default: 0] += 1
  if ending == .differing {
    print(
      "input \(number), \(base.isCoreData ? "Core Data" : "SQLite") \(isBySQL ? "by SQL" : "by bytes"): the database differs from the second reading. SQLite: \(damage())"
    )
  }
  if (number + 1) % 1_000 == 0 {
    print("\(number + 1) inputs")
    // A run that is ended shows how far it came.
    fflush(nil)
  }
}
if count > 1 { try? FileManager.default.removeItem(atPath: folder) }
print(
  "\(count) damaged stores: \(endings[.read, default: 0]) read, \(endings[.brought, default: 0]) brought into a database, \(endings[.differing, default: 0]) that differ, \(endings[.refused, default: 0]) refused with an error, no crash"
)
