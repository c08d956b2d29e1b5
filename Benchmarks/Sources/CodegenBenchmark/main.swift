import Foundation

// Measures code generation: the time to generate a thousand models against the time to write the same bytes, the compile time
// of a generated model against a hand-written class, and what the plugin adds to a build that has nothing to do.

let arguments = CommandLine.arguments
guard arguments.count == 2 else {
  print("usage: CodegenBenchmark PACKAGE, the folder of Strata")
  exit(64)
}

do {
  let strata = URL(fileURLWithPath: arguments[1]).standardizedFileURL
  let scratch = FileManager.default.temporaryDirectory
    .appendingPathComponent("codegen-benchmark-\(ProcessInfo.processInfo.processIdentifier)")
  defer { try? FileManager.default.removeItem(at: scratch) }
  try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)

  try GenerationTime(strata: strata, scratch: scratch).measure()
  try CompileTime(strata: strata, scratch: scratch).measure()
} catch {
  print("error: \(error)")
  exit(3)
}
