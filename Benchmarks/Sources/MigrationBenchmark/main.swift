import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema

// Upgrades of a file with many people, as ratios to the sqlite3 shell's own rebuild of the same table.
//
//   MigrationBenchmark [--objects N] [--runs N] [--only PART-OF-A-LABEL] [--peer LABEL=COMMAND]…
//
// A peer is another program that upgrades the same file, whose path is put behind the command.

let objects = Command.number("--objects") ?? 1_000_000
let runs = Command.number("--runs") ?? 5

let bench = try Bench(objects: objects)
defer { bench.remove() }
print("\(objects) Person(firstName, lastName, age), median of \(runs) runs, seconds and ratio to B")

let baseline = try bench.median(runs, from: bench.names) { try bench.shellRebuild($0) }
func show(_ label: String, _ seconds: Double, aim: String) {
  let ratio = (seconds / baseline * 100).rounded() / 100
  print(
    "\(label.padded(44)) \(((seconds * 1000).rounded() / 1000).description.padded(8)) \(ratio.description.padded(6)) \(aim)"
  )
}
show("B: CREATE, INSERT … SELECT, DROP, RENAME", baseline, aim: "1")

let cases: [(String, UpgradeTarget, String)] = [
  ("declarative step", .declarative, "aim ≤ 1.0"),
  ("typed Swift block", .block, "aim ≤ 0.75"),
  ("classic block by name", .classic, "aim ≤ 1.4"),
  ("classic block that looks further", .classicDraft, ""),
  ("an optional property", .optionalProperty, "aim: independent of the objects"),
  ("50 skipped versions, a declarative step each", .fifty, "aim ≤ 1.5 × one step"),
]
let only = Command.text("--only") ?? ""
for (label, target, aim) in cases where only.isEmpty || label.contains(only) {
  let seconds = try bench.median(runs, from: bench.names) {
    try Upgrade(path: $0, target: target).run()
  }
  show(label, seconds, aim: aim)
  let output = try bench.median(runs, from: bench.names) {
    var options = Upgrade.Options()
    options.output = $0 + ".new"
    try Upgrade(path: $0, target: target, options: options).run()
  }
  show("  with --output", output, aim: "")
}

for (label, command) in Command.peers {
  let seconds = try bench.median(runs, from: bench.names) { file in
    try Bench.execute(command + [file])
  }
  show(label, seconds, aim: "")
}
