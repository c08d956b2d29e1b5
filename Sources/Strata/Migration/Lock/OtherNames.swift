package import StrataSQLite

/// Refuses a file that is in use under another name.
///
/// SQLite finds a log by the name that the file was opened with. What stands in the log of another name would be lost, and
/// who reads by that name would not see the new content, <https://www.sqlite.org/howtocorrupt.html#multiple_links>.
package struct OtherNames {
  let files: any FileOperations
  var direction = Direction.upgrade
  /// Names of the same file that the caller knows, in any folder.
  var known: [String] = []

  private static let suffixes = ["-wal", "-shm", "-journal"]

  /// Whether a program uses a file by this name, or used it so and was killed.
  ///
  /// - Parameter place: from the root, through no symbolic link: beside it SQLite has its log.
  package static func isInUse(_ place: String, _ files: any FileOperations) -> Bool {
    suffixes.contains { (try? files.exists(place + $0)) == true }
  }

  /// - Parameter place: from the root, through no symbolic link. Names in other folders are not found, unless they are `known`.
  func check(_ place: String, shownPath: String) throws {
    guard let status = try files.status(of: place), status.linkCount > 1 else { return }
    for other in known {
      guard let found = try? files.realPath(of: other), found != place,
        try files.status(of: found).map({ isSame($0, status) }) ?? false,
        Self.isInUse(found, files)
      else { continue }
      throw isInUse(by: other, shownPath)
    }
    if let other = try nameInUse(beside: place, status) { throw isInUse(by: other, shownPath) }
  }

  /// Another name in the folder of a file by which it is in use.
  func nameInUse(beside place: String, _ status: FileStatus) throws -> String? {
    let folder = FilePaths.folder(of: place)
    let names = try files.contents(ofFolder: folder)
    let known = Set(names)
    for name in names where Self.suffixes.contains(where: { known.contains(name + $0) }) {
      let other = (folder == "/" ? "" : folder) + "/" + name
      guard other != place, let found = try files.linkStatus(of: other), isSame(found, status)
      else { continue }
      return other
    }
    return nil
  }

  private func isSame(_ status: FileStatus, _ other: FileStatus) -> Bool {
    status.inode == other.inode && status.device == other.device
  }

  private func isInUse(by other: String, _ shownPath: String) -> MigrationError {
    MigrationError.busy(
      other,
      """
      \(shownPath) and \(other) are names of one file, and it is in use by the second one, or a program that \
      used it so was killed. \(direction == .upgrade ? "Upgrade it" : "Take it back") as \(other).
      """)
  }
}
