import Foundation
import StrataSQLite
import Testing

@testable import Strata

/// What killed processes leave in the folder for temporary files, and what only looks like it.
@Suite struct AbandonedFolderTests {
  let parent: String

  init() throws {
    parent = NSTemporaryDirectory() + "strata-folders-" + UUID().uuidString
    try POSIXFiles().createFolder(parent, permissions: 0o700)
  }

  private func removeAll() { try? FileManager.default.removeItem(atPath: parent) }

  private func names() throws -> [String] { try POSIXFiles().contents(ofFolder: parent) }

  /// Makes a folder as a killed process leaves it, with a copy of a database.
  private func leave(
    _ name: String, permissions: UInt32 = 0o700, mark: String? = FolderMark.name
  ) throws {
    let (files, folder) = (POSIXFiles(), "\(parent)/\(name)")
    try files.createFolder(folder, permissions: 0o700)
    for file in ["copy.db", "copy.db-wal", mark].compactMap(\.self) {
      try files.write(file == mark ? [] : [1, 2, 3], to: "\(folder)/\(file)", permissions: 0o600)
    }
    try files.setPermissions(permissions, of: folder)
  }

  @Test func theFoldersOfEndedProcessesAreRemoved() throws {
    defer { removeAll() }
    try leave("strata-1")
    try leave("strata-18446744073709551615")

    TemporaryFolder.removeAbandoned(in: parent)

    #expect(try names() == [])
  }

  @Test func aFolderThatIsHeldStaysUntilItsOwnerRemovesIt() throws {
    defer { removeAll() }
    let held = try TemporaryFolder(in: parent)
    try POSIXFiles().write([1, 2, 3], to: held.path + "/copy.db", permissions: 0o600)
    try leave("strata-1")

    TemporaryFolder.removeAbandoned(in: parent)

    #expect(try names() == [FilePaths.name(of: held.path)])
    #expect(try POSIXFiles().contents(ofFolder: held.path) == ["copy.db", FolderMark.name])
    held.remove()
    #expect(try names() == [])
  }

  /// Of the user, of another machine, opened to others, by a link: none of them is a folder that a process of this machine has left.
  @Test func whatOnlyLooksLikeOneStays() throws {
    defer { removeAll() }
    try leave("strata-2024", mark: nil)
    try leave("strata-2", mark: FolderMark.name + ".elsewhere")
    try leave("strata-3", permissions: 0o755)
    try leave("strata-notes")
    try leave("other")
    try FileManager.default.createSymbolicLink(
      atPath: parent + "/strata-4", withDestinationPath: "other")
    let before = try FileManager.default.subpathsOfDirectory(atPath: parent).sorted()

    TemporaryFolder.removeAbandoned(in: parent)

    #expect(try FileManager.default.subpathsOfDirectory(atPath: parent).sorted() == before)
  }

  @Test(.enabled(if: geteuid() == 0, "only root makes folders of others"))
  func thatOfAnotherUserStays() throws {
    defer { removeAll() }
    try leave("strata-1")
    try POSIXFiles().setOwner(user: 65534, group: 65534, of: parent + "/strata-1")

    TemporaryFolder.removeAbandoned(in: parent)

    #expect(try names() == ["strata-1"])
  }

  /// What is no file of ours, as a folder in it, is left together with the mark, and the next process tries again.
  @Test func whatCannotBeRemovedKeepsItsMark() throws {
    defer { removeAll() }
    try leave("strata-1")
    try POSIXFiles().createFolder(parent + "/strata-1/inner", permissions: 0o700)

    TemporaryFolder.removeAbandoned(in: parent)

    #expect(
      try POSIXFiles().contents(ofFolder: parent + "/strata-1") == [FolderMark.name, "inner"])
    try POSIXFiles().removeFolder(parent + "/strata-1/inner")
    TemporaryFolder.removeAbandoned(in: parent)
    #expect(try names() == [])
  }
}
