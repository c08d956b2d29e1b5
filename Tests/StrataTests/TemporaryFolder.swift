import Foundation

/// A folder that is gone when the test is.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "strata-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}
