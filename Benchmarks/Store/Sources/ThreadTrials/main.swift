import Foundation

// Writers and readers on threads of their own, each with its store, besides one frozen snapshot and references that all share, an observer on
// a queue, and tasks that write asynchronously: what the thread sanitizer watches. Run by scripts/check-threads; `--transactions N` a writer.

let writerCount = 4
let readerCount = 4
let shelves = 64
let total = shelves * 1_000

var transactions = 150
if let place = CommandLine.arguments.firstIndex(of: "--transactions"),
  CommandLine.arguments.count > place + 1, let count = Int(CommandLine.arguments[place + 1])
{
  transactions = count
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "strata-threads-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let trial = Trial(path: folder.appendingPathComponent("mails.db").path, transactions: transactions)
do {
  try trial.prepare()
  try await trial.run()
} catch {
  trial.fail("\(error)")
}
try? FileManager.default.removeItem(at: folder)
for problem in trial.problems { print("threads: \(problem)") }
print(
  "threads: \(writerCount) writers of \(transactions) transactions, \(readerCount) readers of \(trial.reads) reads, \(trial.calls) calls of the observer"
)
if !trial.problems.isEmpty { exit(1) }
print("threads: ok")
