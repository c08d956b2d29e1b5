import Foundation
import Testing

/// The lock file of a killed run of root beside a file that belongs to another user, who may remove it but not write it.
@Suite(.enabled(if: getuid() == 0, "only root can become another user"))
struct LeftLockTests {
  private static let lock = "a.db-strata-upgrade"
  private static let other = 65534
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    try run.people("create", "a.db", "--version", "0", "--sample", "20")
    try FileManager.default.setAttributes(
      [.ownerAccountID: Self.other, .groupOwnerAccountID: Self.other],
      ofItemAtPath: run.path("a.db"))
  }

  private func leave(permissions: Int) throws {
    #expect(
      FileManager.default.createFile(
        atPath: run.path(Self.lock), contents: Data(), attributes: [.posixPermissions: permissions]
      ))
  }

  @Test func oneThatCanBeReadIsTakenAndRemoved() throws {
    try leave(permissions: 0o644)
    let result = try run.people("migrate", "a.db", "-q", asNobody: true)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: run.path(Self.lock)))
  }

  @Test func oneThatCannotIsNamed() throws {
    try leave(permissions: 0o600)
    let result = try run.people("migrate", "a.db", "-q", asNobody: true)
    #expect(result.status == 3)
    #expect(
      result.errors.contains(
        "a.db-strata-upgrade was left by a run of another user that was killed"),
      "\(result.errors)")
    #expect(result.errors.contains("remove it, and try again. [STR5115]"), "\(result.errors)")
    try FileManager.default.removeItem(atPath: run.path(Self.lock))
    #expect(try run.people("migrate", "a.db", "-q", asNobody: true).status == 0)
  }
}
