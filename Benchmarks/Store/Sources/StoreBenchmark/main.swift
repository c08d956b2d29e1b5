import BenchmarkModels
import GRDB
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print(Options.usage)
  exit(64)
}
let count = options.objects
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "strata-bench-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

/// An empty file of the layout.
@MainActor func fresh(_ name: String) throws -> String {
  for suffix in ["", "-wal", "-shm"] {
    try? FileManager.default.removeItem(atPath: path(name) + suffix)
  }
  try StoreLoops(path(name)).store.close()
  return path(name)
}

@MainActor func report(_ name: String, limit: Double, _ raw: Times, _ store: Times, _ grdb: Times) {
  print(
    Line(name: name, limit: limit, raw: raw.median, store: store.median, grdb: grdb.median).text)
}

print("\(count) people; milliseconds of the C loops and of the store, ratio, limit, ratio of GRDB")

// Writing: a fresh file for each run, everybody in turn, so that all see the same machine.
@MainActor func measureCreation(_ name: String, limit: Double, transaction: Int) throws {
  guard options.wants(name) else { return }
  let dogOwners = count / 10
  var (raw, store, grdb) = (Times(), Times(), Times())
  for _ in 0..<options.runs {
    let rawPath = try fresh("raw.db")
    raw.measure {
      RawLoops(rawPath, checksCells: options.checksCells)
        .create(count, withDogs: dogOwners, transaction: transaction)
    }
    let storePath = try fresh("store.db")
    try store.measure {
      try StoreLoops(storePath).create(count, withDogs: dogOwners, transaction: transaction)
    }
    guard options.measuresGRDB else { continue }
    let grdbPath = try fresh("grdb.db")
    try grdb.measure {
      try GRDBLoops(grdbPath).create(count, withDogs: dogOwners, transaction: transaction)
    }
  }
  report(name, limit: limit, raw, store, grdb)
}
try measureCreation("create, one transaction", limit: 1.25, transaction: count)
try measureCreation("create, commits of 1,000", limit: 1.15, transaction: 1000)

// Reading: all on the same file.
try StoreLoops(fresh("store.db")).create(count, withDogs: count / 10, transaction: count)
let raw = RawLoops(path("store.db"), checksCells: options.checksCells)
let objects = try StoreLoops(path("store.db"))
let records = try GRDBLoops(path("store.db"))

@MainActor func measure(
  _ name: String, limit: Double, runs: Int = options.readings, raw rawBody: () -> Int,
  store storeBody: () throws -> Int, grdb grdbBody: () throws -> Int
) throws {
  guard options.wants(name) else { return }
  var (raw, store, grdb) = (Times(), Times(), Times())
  for _ in 0..<runs {
    var (expected, found, others) = (0, 0, 0)
    raw.measure { expected = rawBody() }
    try store.measure { found = try storeBody() }
    others = expected
    if options.measuresGRDB { try grdb.measure { others = try grdbBody() } }
    precondition(
      expected == found && expected == others,
      "\(name): \(expected), \(found) and \(others) differ")
  }
  report(name, limit: limit, raw, store, grdb)
}

try measure(
  "read all", limit: 1.2, raw: { raw.readAll() }, store: { objects.readAll() },
  grdb: { try records.readAll() })
let keys = (0..<200_000).map { Sample.mix($0 + 99) % count }
try measure(
  "200,000 lookups by primary key", limit: 1.2, raw: { raw.lookUp(keys) },
  store: { try objects.lookUp(keys) }, grdb: { try records.lookUp(keys) })

// A result remembers its count until the store changes: each count asks anew.
let people = objects.store.objects(Person.self)
let grown = try people.filter("age == 42")
let grownRecords = GRDBLoops.PersonRecord.filter(Column("age") == 42)
try measure(
  "age == 42, counted", limit: 1.1, raw: { raw.count("age = 42") },
  store: { try people.filter("age == 42").count }, grdb: { try records.count(grownRecords) })
try measure(
  "age == 42, iterated", limit: 1.3, raw: { raw.names("WHERE age = 42 ORDER BY _row") },
  store: { objects.nameLengths(grown) },
  grdb: { try records.nameLengths(grownRecords.order(Column("_row"))) })
let withA = GRDBLoops.PersonRecord.filter(
  Column("name") >= "A" && Column("name") < "B" && Column("age") > 30)
try measure(
  "name BEGINSWITH 'A' AND age > 30, counted", limit: 1.1,
  raw: { raw.count("name >= 'A' AND name < 'B' AND age > 30") },
  store: { try people.filter("name BEGINSWITH 'A' AND age > 30").count },
  grdb: { try records.count(withA) })
let byName = try people.sorted(by: "name").limit(100)
let recordsByName = GRDBLoops.PersonRecord.order(Column("name"), Column("_row")).limit(100)
try measure(
  "sorted by name, first 100", limit: 1.2, raw: { raw.names("ORDER BY name, _row LIMIT 100") },
  store: { objects.nameLengths(byName) }, grdb: { try records.nameLengths(recordsByName) })
try measure(
  "age + 1 on each object", limit: 1.1, runs: options.runs,
  raw: {
    raw.addOneYear()
    return 0
  },
  store: {
    try objects.addOneYear()
    return 0
  },
  grdb: {
    try records.addOneYear()
    return 0
  })

// What has no counterpart in C.
if options.wants("first ten") {
  var times = Times()
  for _ in 0..<options.readings {
    try times.measure {
      let ten = try people.filter("score >= 0 AND name != ''").prefix(10)
      precondition(ten.count == min(10, count))
    }
  }
  print("the first ten of a query that finds all \(count): \(Line.milliseconds(times.median)) ms")
}
if options.wants("memory") {
  for length in [count / 10, count] {
    let growth = ProcessMemory.growth { _ = objects.read(first: length) }
    print("walking over \(length) objects took \(growth) kB of memory")
  }
  print("most memory of the process since then: \(ProcessMemory.peak) kB")
}
