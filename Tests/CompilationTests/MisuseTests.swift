import Foundation
import Testing

/// What ends a wrong program says why in optimised code, too.
@Suite struct MisuseTests {
  @Test(arguments: ["misuse", "checkUse"])
  func theSentenceIsWrittenByOptimisedCode(function: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = SwiftCommand.tests.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/Strata/Store/Misuse.swift")
    let program = folder.appendingPathComponent("main.swift")
    try """
    let name = CommandLine.arguments[1]
    switch CommandLine.arguments[2] {
    case "misuse": misuse("\\(name) was set outside of a write transaction.")
    default: checkUse(name.isEmpty, "\\(name) was set outside of a write transaction.")
    }
    """.write(to: program, atomically: true, encoding: .utf8)
    let executable = folder.appendingPathComponent("program").path
    let compiled = try SwiftCommand.run(["-O", "-o", executable, source.path, program.path])
    #expect(compiled.status == 0, "\(compiled.output)")

    let result = try SwiftCommand.run(
      ["Person.name", function], executable: executable,
      environment: ["SWIFT_BACKTRACE": "enable=no"])

    #expect(result.status != 0)
    #expect(result.output.contains("Person.name was set outside of a write transaction."))
  }
}
