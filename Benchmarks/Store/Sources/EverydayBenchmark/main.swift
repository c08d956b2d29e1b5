import BenchmarkModels
import Strata

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Loops that people write: milliseconds for three numbers of objects, how the time grows in proportion to the objects, and the
// ratio to plain SQL. Arguments are parts of names. `--profile N TIMES NAME` runs loops over N objects so many times, for a
// profiler.

let counts = [1000, 4000, 16_000]
/// Runs for each of them, of which the fastest counts: other programs only slow a run down.
let runs = [15, 9, 7]
let allowedGrowth = 1.15
let allowedRatio = 3.0

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "strata-everyday-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

var arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--profile", arguments.count > 3, let count = Int(arguments[1]),
  let times = Int(arguments[2])
{
  let bench = Bench(folder: folder)
  for loop in Loops.all where loop.name.contains(arguments[3]) {
    print(loop.name, try bench.objects(loop, count, times: times), "ms")
  }
} else {
  let bench = Bench(folder: folder)
  print(
    """
    Processor milliseconds for 1,000, 4,000 and 16,000; growth over linear from 1,000 to 4,000, from 4,000 to 16,000 and from \
    1,000 to 16,000; plain SQL, ms for 16,000 and its own growth; ratio to it
    """)
  var missed = 0
  for loop in Loops.all
  where arguments.isEmpty || arguments.contains(where: { loop.name.contains($0) }) {
    let line = try bench.line(loop)
    print(line.text)
    if !line.isWithin { missed += 1 }
  }
  print(missed == 0 ? "all within \(allowedGrowth) and \(allowedRatio)" : "missed: \(missed)")
}
