import BenchmarkModels
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What three rules cost: transactions of 1,000 objects that keep them, beside the same transactions of a model without rules, in
// a file of 50,000 objects of each. The fastest of many runs counts, taken in turn. `--runs N` says how many.

let objects = 1000
let others = 50_000
let allowed = 1.15
let runs =
  CommandLine.arguments.firstIndex(of: "--runs").flatMap {
    CommandLine.arguments.dropFirst($0 + 1).first.flatMap { Int($0) }
  } ?? 40

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "strata-rules-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let store = try Store(path: folder.appendingPathComponent("a.db").path, schema: BenchSchema.self)

func age(_ number: Int) -> Int { 18 + Sample.age(number) }

func member(_ number: Int, _ sponsor: Member? = nil) -> Member {
  Member(
    name: Sample.name(number), age: age(number), email: Sample.email(number),
    score: Sample.score(number), sponsor: sponsor)
}

func visitor(_ number: Int, _ sponsor: Visitor? = nil) -> Visitor {
  Visitor(
    name: Sample.name(number), age: age(number), email: Sample.email(number),
    score: Sample.score(number), sponsor: sponsor)
}

try store.write {
  var (first, second): (Member?, Visitor?) = (nil, nil)
  for number in 0..<others {
    let (a, b) = (
      member(number, number % 3 == 0 ? first : nil), visitor(number, number % 3 == 0 ? second : nil)
    )
    try store.add(a)
    try store.add(b)
    (first, second) = (a, b)
  }
}
let members = Array(store.objects(Member.self))
let visitors = Array(store.objects(Visitor.self))

/// Places all over the file.
func scattered(_ round: Int) -> [Int] {
  (0..<objects).map { ($0 * (others / objects) + Sample.mix(round) % 40) % others }
}

let trials: [(name: String, with: (Int) throws -> Void, without: (Int) throws -> Void)] = [
  (
    "add 1,000",
    { round in for number in 0..<objects { try store.add(member(round * objects + number)) } },
    { round in for number in 0..<objects { try store.add(visitor(round * objects + number)) } }
  ),
  (
    "change 1,000 in a row",
    { round in for number in 0..<objects { members[number].age = age(round + number) } },
    { round in for number in 0..<objects { visitors[number].age = age(round + number) } }
  ),
  (
    "change 1,000 all over the file",
    { round in for number in scattered(round) { members[number].age = age(round + number) } },
    { round in for number in scattered(round) { visitors[number].age = age(round + number) } }
  ),
  (
    "rename 1,000 all over the file",
    { round in for number in scattered(round) { members[number].name = Sample.name(round + number) }
    },
    { round in
      for number in scattered(round) { visitors[number].name = Sample.name(round + number) }
    }
  ),
  (
    "change 1,000, nothing that a rule reads",
    { round in for number in 0..<objects { members[number].score = Double(round + number) } },
    { round in for number in 0..<objects { visitors[number].score = Double(round + number) } }
  ),
]

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body)
  return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
}

var missed = 0
print(
  "Milliseconds of a transaction of 1,000 objects under three rules, without rules, and the ratio")
for trial in trials {
  var (with, without) = (Double.infinity, Double.infinity)
  for round in 0..<runs {
    // Each goes first as often as the other.
    for turn in [round % 2, 1 - round % 2] {
      if turn == 0 {
        with = min(with, try seconds { try store.write { try trial.with(round) } })
      } else {
        without = min(without, try seconds { try store.write { try trial.without(round) } })
      }
    }
  }
  let ratio = with / without
  if ratio > allowed { missed += 1 }
  func column(_ value: Double) -> String {
    let thousandths = Int((value * 1000).rounded())
    return "\(thousandths / 1000).\(String(thousandths % 1000 + 1000).dropFirst())"
  }
  let name = trial.name + String(repeating: " ", count: max(0, 42 - trial.name.count))
  print(
    "\(name) \(column(with * 1000))  \(column(without * 1000))  \(column(ratio))"
      + (ratio > allowed ? "  MISSED" : "  ok"))
}
print(missed == 0 ? "all within \(allowed)" : "missed: \(missed)")
