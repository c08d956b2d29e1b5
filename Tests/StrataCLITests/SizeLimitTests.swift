import Foundation
import Testing

/// A system may bound how large a file can get (`ulimit -f`): writing beyond it is an error, and no end of the process.
@Suite struct SizeLimitTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  /// `ulimit` counts in units of 512 or 1,024 bytes.
  @Test(arguments: [
    "people migrate a.db", "people migrate a.db --output new.db",
    "people salvage a.db --output new.db", "people rekey a.db --checksums",
  ])
  func aFileThatGetsTooLargeIsAnErrorOfThatFile(command: String) throws {
    #expect(try run.people("create", "a.db", "--version", "0", "--sample", "5000").status == 0)
    func digest() throws -> String? {
      try run.people("inspect", "a.db", "--digest", "--json").firstFile["dataDigest"] as? String
    }
    let before = try digest()

    let result = try run.shell("ulimit -f 64 && \(command)")

    #expect(result.status == 3, "\(result.output)")
    #expect(result.errors.hasPrefix("error: "), "\(result.errors)")
    #expect(!result.errors.contains("not a database"), "\(result.errors)")
    #expect(!result.errors.contains("its tables are not"), "\(result.errors)")
    #expect(try digest() == before && before != nil)
    #expect(!FileManager.default.fileExists(atPath: run.path("new.db")))
  }

  @Test(arguments: ["people migrate a.db", "people migrate a.db --output new.db"])
  func thereIsNoRoomForAFileThatGetsTooLarge(command: String) throws {
    #expect(try run.people("create", "a.db", "--version", "0", "--sample", "5000").status == 0)

    let result = try run.shell("ulimit -f 64 && \(command)")

    #expect(result.errors.contains("disk is full"), "\(result.errors)")
  }
}
