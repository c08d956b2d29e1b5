import BenchmarkModels
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
/// Parts of names; only what has one of them in its name is measured.
let wanted = CommandLine.arguments.dropFirst(2)
func isWanted(_ name: String) -> Bool { wanted.isEmpty || wanted.contains { name.contains($0) } }
let runs = 3
let readings = ProcessInfo.processInfo.environment["READINGS"].flatMap { Int($0) } ?? 5
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "strata-bench-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

/// An empty file of the layout.
func fresh(_ name: String) throws -> String {
  for suffix in ["", "-wal", "-shm"] {
    try? FileManager.default.removeItem(atPath: path(name) + suffix)
  }
  try StoreLoops(path(name)).store.close()
  return path(name)
}

var lines: [Line] = []
@MainActor func report(_ line: Line) {
  lines.append(line)
  print(line.text)
}

print("\(count) people; milliseconds of the C loops and of the store, ratio, limit, ratio of GRDB")

// Writing: a fresh file for each run.
@MainActor func measureCreation(_ name: String, limit: Double, transaction: Int) throws {
  guard isWanted(name) else { return }
  let dogOwners = count / 10
  let raw = try Measurement.median(
    of: runs, prepare: { _ = try fresh("raw.db") },
    {
      RawLoops(path("raw.db")).create(count, withDogs: dogOwners, transaction: transaction)
    })
  let store = try Measurement.median(
    of: runs, prepare: { _ = try fresh("store.db") },
    {
      try StoreLoops(path("store.db")).create(count, withDogs: dogOwners, transaction: transaction)
    })
  report(Line(name: name, limit: limit, raw: raw, store: store, grdb: nil))
}
try measureCreation("create, one transaction", limit: 1.5, transaction: count)
try measureCreation("create, commits of 1,000", limit: 1.5, transaction: 1000)

// Reading: both on the same file.
if wanted.isEmpty == false {
  try StoreLoops(fresh("store.db")).create(count, withDogs: count / 10, transaction: count)
}
let raw = RawLoops(path("store.db"))
let objects = try StoreLoops(path("store.db"))

@MainActor func measure(
  _ name: String, limit: Double, raw rawBody: () -> Int, store storeBody: () throws -> Int
) throws {
  guard isWanted(name) else { return }
  var (expected, found) = (0, 0)
  // In turn, so that both see the same machine.
  var rawTimes: [Double] = []
  var storeTimes: [Double] = []
  for _ in 0..<readings {
    rawTimes.append(Measurement.seconds { expected = rawBody() })
    storeTimes.append(try Measurement.seconds { found = try storeBody() })
  }
  precondition(expected == found, "\(name): \(expected) and \(found) differ")
  report(
    Line(
      name: name, limit: limit, raw: rawTimes.sorted()[readings / 2],
      store: storeTimes.sorted()[readings / 2], grdb: nil))
}

let memoryBefore = peakMemory()
try measure("read all", limit: 1.2, raw: { raw.readAll() }, store: { objects.readAll() })
print("iterating took \(peakMemory() - memoryBefore) MB of memory")
let keys = (0..<200_000).map { Sample.mix($0 + 99) % count }
try measure(
  "200,000 lookups by primary key", limit: 1.2, raw: { raw.lookUp(keys) },
  store: { try objects.lookUp(keys) })

// A result remembers its count until the store changes: each count asks anew.
let people = objects.store.objects(Person.self)
let grown = try people.filter("age == 42")
try measure(
  "age == 42, counted", limit: 1.1, raw: { raw.count("age = 42") },
  store: { try people.filter("age == 42").count })
try measure(
  "age == 42, iterated", limit: 1.3, raw: { raw.names("WHERE age = 42 ORDER BY _row") },
  store: { objects.nameLengths(grown) })
try measure(
  "name BEGINSWITH 'A' AND age > 30, counted", limit: 1.1,
  raw: { raw.count("name >= 'A' AND name < 'B' AND age > 30") },
  store: { try people.filter("name BEGINSWITH 'A' AND age > 30").count })
let byName = try people.sorted(by: "name").limit(100)
try measure(
  "sorted by name, first 100", limit: 1.2, raw: { raw.names("ORDER BY name, _row LIMIT 100") },
  store: { objects.nameLengths(byName) })

if isWanted("age + 1") {
  let rawYear = Measurement.seconds { raw.addOneYear() }
  let storeYear = try Measurement.seconds { try objects.addOneYear() }
  report(
    Line(name: "age + 1 on each object", limit: 1.5, raw: rawYear, store: storeYear, grdb: nil))
}
print("peak memory \(peakMemory()) MB")
