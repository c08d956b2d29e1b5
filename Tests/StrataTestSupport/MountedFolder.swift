import Foundation

/// A file system of a test's own, as long as the test has it.
package final class MountedFolder {
  package let path: String

  /// Whether this process may mount.
  package static let isPermitted: Bool = {
    (try? MountedFolder(megabytes: 1)) != nil
  }()

  private struct Refused: Error {}

  package init(_ path: String, megabytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    do {
      try mount(megabytes)
    } catch {
      rmdir(path)
      throw error
    }
  }

  /// One that is made where temporary files are.
  package convenience init(megabytes: Int) throws {
    try self.init(
      FileManager.default.temporaryDirectory
        .appendingPathComponent("strata-disk-\(UUID().uuidString)").path, megabytes: megabytes)
  }

  private func mount(_ megabytes: Int) throws {
    try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "strata-test", path)
  }

  package func makeReadOnly() throws { try Self.run("mount", "-o", "remount,ro", path) }

  deinit {
    try? Self.run("umount", "-l", path)
    rmdir(path)
  }

  private static func run(_ command: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Refused() }
  }
}
