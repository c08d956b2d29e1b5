import Foundation

// Measures code generation: the time to generate a thousand models against the time to write the same bytes, the compile time
// of a generated model against a hand-written class, and what the plugin adds to a build that has nothing to do.

// The repository that this file belongs to.
let strata = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
  url.deletingLastPathComponent()
}

do {
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
