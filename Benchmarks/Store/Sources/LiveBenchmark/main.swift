import BenchmarkModels
import RawSQLite
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What is live: how long after a commit observers are called, and updates of many objects beside plain SQL. Medians; the
// arguments are parts of names. `--mails N` observes another number of mails.

var arguments = Array(CommandLine.arguments.dropFirst())
var mailCount = 100_000
if let place = arguments.firstIndex(of: "--mails"), arguments.count > place + 1,
  let count = Int(arguments[place + 1])
{
  mailCount = count
  arguments.removeSubrange(place...(place + 1))
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "strata-live-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

@MainActor func isWanted(_ name: String) -> Bool {
  arguments.isEmpty || arguments.contains { name.contains($0) }
}

var missed = 0
@MainActor func report(
  _ name: String, _ figure: Double, _ unit: String, aim: Double, isLeast: Bool = false
) {
  let isMet = isLeast ? figure >= aim : figure <= aim
  if !isMet { missed += 1 }
  func text(_ number: Double) -> String { "\(Double(Int((number * 1000).rounded())) / 1000)" }
  let name = name + String(repeating: " ", count: max(0, 64 - name.count))
  print(
    "\(name) \(text(figure)) \(unit), aim \(isLeast ? "≥" : "≤") \(text(aim))\(isMet ? "" : "  MISSED")"
  )
}

let delivery = Delivery(path: folder.appendingPathComponent("live.db").path, count: mailCount)
for view in Delivery.views where isWanted(view.name) {
  report(
    "commit to delivery, \(view.name)", try delivery.milliseconds(observers: 1, of: view.make),
    "ms", aim: 2)
}
for view in Delivery.views where isWanted("100 observers") && isWanted(view.name) {
  report(
    "100 observers, \(view.name)", try delivery.milliseconds(observers: 100, of: view.make), "ms",
    aim: 10)
}
if isWanted("others") {
  report("refresh to delivery, of another store's write", try delivery.ofOthers(), "ms", aim: 2)
}
if isWanted("unrelated") {
  report("an unrelated model's change", try delivery.ofUnrelatedChange(), "ms", aim: 0.1)
}
delivery.close()

for kind in Crowd.kinds where isWanted("crowd of \(kind)") {
  let crowd = Crowd(folder: folder)
  let few = try crowd.commit(kind, observed: 100)
  let many = try crowd.commit(kind, observed: 16_000)
  print("a commit beside 100 and 16,000 observed \(kind): \(few) ms, \(many) ms")
  report("a crowd of \(kind), 16,000 ÷ 100", many / few, "×", aim: 1.5)
}

for count in [10_000, 1_000_000] where isWanted("marking") {
  let times = try Marking(folder: folder).times(count)
  print(
    "marking \(count) mails: \(times.bulk) ms, SQL \(times.sql) ms, one by one \(times.each) ms")
  report("marking \(count) mails ÷ SQL", times.bulk / times.sql, "×", aim: 1.2)
  report(
    "marking \(count) mails one by one ÷ at once", times.each / times.bulk, "×", aim: 10,
    isLeast: true)
}
print(missed == 0 ? "all within their aims" : "missed: \(missed)")
