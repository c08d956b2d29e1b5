import BenchmarkModels
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Loops that people write: milliseconds for three numbers of objects, how the time grows in proportion to the objects, and the
// ratio to plain SQL. Arguments are parts of names.

let counts = [1000, 4000, 16_000]
let runs = 3
let names = CommandLine.arguments.dropFirst()
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "strata-everyday-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

@MainActor func fresh(_ count: Int) throws -> (path: String, store: Store, things: Things) {
  let path = folder.appendingPathComponent("\(UUID().uuidString).db").path
  let store = try Store(path: path, schema: BenchSchema.self)
  let shelf = Shelf()
  let people = (0..<count).map { Person(id: $0, name: "person \($0)", age: $0 % 90, score: 0) }
  let dogs = (0..<count).map { Dog(name: "dog \($0)") }
  try store.write {
    try store.add(shelf)
    try store.add(people)
    try store.add(dogs)
    for dog in dogs { try store.add(Toy(name: "ball", dog: dog)) }
  }
  return (path, store, Things(people: people, dogs: dogs, shelf: shelf))
}

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body)
  return Double(time.components.seconds) * 1e3 + Double(time.components.attoseconds) * 1e-15
}

func text(_ value: Double, _ width: Int) -> String {
  let hundredths = Int((value * 100).rounded())
  let digits = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  return String(repeating: " ", count: max(0, width - digits.count)) + digits
}

let heading =
  "ms for 1,000, 4,000 and 16,000; growth over linear from 1,000 and from 4,000; SQL, ms; ratio"
print(heading)
for loop in Loops.all where names.isEmpty || names.contains(where: { loop.name.contains($0) }) {
  var times: [Double] = []
  var plain = 0.0
  for count in counts {
    var (objects, sql) = (Double.infinity, Double.infinity)
    for _ in 0..<runs {
      let (path, store, things) = try fresh(count)
      objects = min(
        objects, try milliseconds { try store.write { try loop.objects(store, things) } })
      store.close()
      try? FileManager.default.removeItem(atPath: path)
      let other = try fresh(count)
      other.store.close()
      let database = PlainSQL(other.path)
      sql = min(sql, milliseconds { database.transaction { loop.sql(database, count) } })
    }
    times.append(objects)
    plain = sql
  }
  let name = loop.name + String(repeating: " ", count: max(0, 48 - loop.name.count))
  print(
    name, text(times[0], 8), text(times[1], 8), text(times[2], 9),
    text(times[1] / times[0] / 4, 6), text(times[2] / times[1] / 4, 6), text(plain, 9),
    plain > 0.1 ? text(times[2] / plain, 6) : "     –")
}
