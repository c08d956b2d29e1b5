import Foundation
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How long `strata check` takes for histories of several lengths, and for one very large change. The command is run as people
/// run it, so that starting the process and reading the files count.

guard CommandLine.arguments.count == 2 else {
  print("usage: HistoryBenchmark PATH-OF-STRATA")
  exit(64)
}
let command = CommandLine.arguments[1]
let runs = 5

// MARK: Projects

/// The declarations of a version: each version adds a property to one of the models.
func declarations(version: Int, models: Int, properties: Int) -> String {
  let kinds = ["string?", "int", "double", "date?", "bool"]
  var text = "schema: Shop\nversion: \(version)\nmodels:\n"
  for model in 0..<models {
    text += "  Model\(model):\n    properties:\n"
    for property in 0..<properties { text += "      property\(property): \(kinds[property % 5])\n" }
    for added in stride(from: 1, through: version, by: 1) where added % models == model {
      text += "      added\(added): string?\n"
    }
  }
  return text
}

func write(_ text: String, _ path: String) throws {
  let folder = (path as NSString).deletingLastPathComponent
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

func freeze(_ texts: [String], in folder: String) throws {
  var lock = VersionLock()
  for text in texts {
    var diagnostics = Diagnostics()
    let file = SourceFile(path: "schema.yaml", text: text)
    guard let schema = SchemaCompiler.compile([file], reporting: &diagnostics)?.schema else {
      fatalError(TextRenderer().render(diagnostics))
    }
    lock.lines.append(
      VersionLock.Line(
        version: schema.version, date: "2026-01-01", shape: schema.shape, step: nil,
        after: lock.lines.last?.chain))
    try write(schema.canonicalYAML, "\(folder)/schemas/versions/\(schema.version).yaml")
  }
  try write(lock.text, "\(folder)/schemas/schema.lock")
}

// MARK: Measuring

/// Median seconds and greatest memory in MB of some runs of the command.
func measure(_ arguments: [String], in folder: String, expecting status: Int32) throws -> (
  seconds: Double, memory: Double
) {
  var times: [Double] = []
  let clock = ContinuousClock()
  for _ in 0..<runs {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardOutput = FileHandle.nullDevice
    let time = try clock.measure {
      try process.run()
      process.waitUntilExit()
    }
    guard process.terminationStatus == status else {
      fatalError("strata \(arguments) ended with \(process.terminationStatus)")
    }
    times.append(Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
  }
  return (times.sorted()[runs / 2], peakMemory())
}

/// The most that any child so far had in memory, in MB.
func peakMemory() -> Double {
  var usage = rusage()
  #if canImport(Darwin)
    getrusage(RUSAGE_CHILDREN, &usage)
    return Double(usage.ru_maxrss) / 1e6
  #else
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    return Double(usage.ru_maxrss) * 1024 / 1e6
  #endif
}

func shown(_ value: Double, _ digits: Int) -> String {
  String(format: "%.\(digits)f", value)
}

let root = FileManager.default.temporaryDirectory.path + "/strata-history-\(UUID().uuidString)"
defer { try? FileManager.default.removeItem(atPath: root) }

let large = root + "/large"
let before = declarations(version: 1, models: 1_000, properties: 20)
try freeze([before], in: large)
var removed = 0
let after = before.replacingOccurrences(of: "version: 1", with: "version: 2").split(
  separator: "\n", omittingEmptySubsequences: false
).filter { line in
  guard line == "      property7: double", removed < 100 else { return true }
  removed += 1
  return false
}.joined(separator: "\n")
try write(after, large + "/schemas/shop.yaml")
print("1,000 models of 20 properties, \(removed) removed")
for arguments in [["check"], ["diff", "--exit-code"]] {
  let result = try measure(arguments, in: large, expecting: 1)
  print("  \(arguments[0]): \(shown(result.seconds, 3)) s, \(shown(result.memory, 0)) MB")
}

print("check of a history of 60 models of 12 properties and more")
print("versions   seconds   ms/version   MB")
var first: Double?
for count in [10, 50, 117, 500] {
  let folder = "\(root)/\(count)"
  let texts = (1...count).map { declarations(version: $0, models: 60, properties: 12) }
  try freeze(texts, in: folder)
  try write(texts[count - 1], folder + "/schemas/shop.yaml")
  let result = try measure(["check"], in: folder, expecting: 0)
  let each = result.seconds / Double(count)
  print(
    "\(count)".leftPadded(8) + shown(result.seconds, 3).leftPadded(10)
      + shown(each * 1e3, 2).leftPadded(13) + shown(result.memory, 0).leftPadded(5)
      + (first.map { "   growth \(shown(each / $0, 2))" } ?? ""))
  first = first ?? each
}

extension String {
  func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
