import Foundation
import Testing

#if os(Linux)
  /// `scripts/kill-test` in its short form: upgrades of every way, killed with SIGKILL at random moments.
  @Suite struct KillTests {
    @Test func whoeverIsKilledLeavesTheOldFileOrTheNewOne() throws {
      let run = try CommandRunner()
      let script = CommandRunner.root.appendingPathComponent("scripts/kill-test").path
      let result = try run.shell("bash '\(script)' 12 5 200 \"$0/people\"")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.hasPrefix("12 killed upgrades: "))
    }
  }
#endif
