import BenchmarkModels
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs loops on fresh files.
struct Bench {
  let folder: URL

  /// A file with so many people, dogs and toys, and one shelf.
  private func fresh(_ count: Int) throws -> (path: String, store: Store, things: Things) {
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
    // What was written stands in the file, not in its log: with some numbers of objects the loop's own commit would else be the one that
    // writes it back, while SQL's begins with a file that was closed.
    PlainSQL(path).run("PRAGMA wal_checkpoint(TRUNCATE)")
    // The store takes the log's end for another program's work, and would look at all that it knows within the loop.
    try store.refresh()
    // A commit reads the newest 10,000 objects that it added and leaves the others to be read when they are used: with small
    // numbers the loops would find all of them read, and with large ones not.
    var length = 0
    for person in people { length += person.name.utf8.count }
    for dog in dogs { length += dog.name.utf8.count }
    precondition(length > 0)
    return (path, store, Things(people: people, dogs: dogs, shelf: shelf))
  }

  private func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// Processor milliseconds of the loop with objects.
  func objects(_ loop: Loop, _ count: Int, times: Int = 1) throws -> Double {
    let (path, store, things) = try fresh(count)
    defer { remove(path) }
    let time = try ProcessorTime.milliseconds {
      for _ in 0..<times {
        if loop.isReading {
          try loop.objects(store, things)
        } else {
          try store.write { try loop.objects(store, things) }
        }
      }
    }
    store.close()
    return time
  }

  /// Processor milliseconds of the same in SQL.
  func sql(_ loop: Loop, _ count: Int) throws -> Double {
    let (path, store, _) = try fresh(count)
    store.close()
    defer { remove(path) }
    let database = PlainSQL(path)
    return ProcessorTime.milliseconds { database.transaction { loop.sql?(database, count) } }
  }

  /// All sizes, objects and SQL in turn, so that both see the same machine.
  func line(_ loop: Loop) throws -> Line {
    var objects = counts.map { _ in Times() }
    var sql = counts.map { _ in Times() }
    for round in 0..<(runs.max() ?? 0) {
      for (size, count) in counts.enumerated() where round < runs[size] {
        objects[size].append(try self.objects(loop, count))
        if loop.sql != nil { sql[size].append(try self.sql(loop, count)) }
      }
    }
    return Line(
      name: loop.name, times: objects.map(\.least), sql: loop.sql.map { _ in sql.map(\.least) },
      isComparison: loop.isComparison)
  }
}

/// Times of several runs, of which the fastest counts.
struct Times {
  private var times: [Double] = []

  mutating func append(_ time: Double) { times.append(time) }

  var least: Double { times.min() ?? 0 }
}

/// A line of the table.
struct Line {
  let name: String
  /// For each number of objects.
  let times: [Double]
  /// The same of plain SQL.
  let sql: [Double]?
  let isComparison: Bool

  /// Time over time, in proportion to the objects: 1 is linear.
  private func growths(_ times: [Double]) -> [Double] {
    [(0, 1), (1, 2), (0, 2)].map { first, last in
      times[last] / times[first] * Double(counts[first]) / Double(counts[last])
    }
  }

  private var ratio: Double? { sql.map { times[2] / $0[2] } }

  var isWithin: Bool {
    isComparison
      || growths(times).allSatisfy { $0 <= allowedGrowth } && (ratio ?? 0) <= allowedRatio
  }

  var text: String {
    let none = String(repeating: " ", count: 5) + "–"
    let columns =
      times.map { column($0, 9) } + growths(times).map { column($0, 6) }
      + [sql.map { column($0[2], 9) } ?? "   " + none]
      + (sql.map { growths($0).map { column($0, 6) } } ?? [none, none, none])
      + [ratio.map { column($0, 6) } ?? none]
    let name = name + String(repeating: " ", count: max(0, 46 - name.count))
    let verdict = isComparison ? "for comparison" : isWithin ? "ok" : "MISSED"
    return name + " " + columns.joined(separator: " ") + "  " + verdict
  }

  private func column(_ value: Double, _ width: Int) -> String {
    let hundredths = Int((value * 100).rounded())
    let digits = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    return String(repeating: " ", count: max(0, width - digits.count)) + digits
  }
}
