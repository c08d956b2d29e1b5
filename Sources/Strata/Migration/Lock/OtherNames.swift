import StrataSQLite

/// Refuses a file that is in use under another name.
///
/// SQLite finds a log by the name that the file was opened with. What stands in the log of another name would be lost, and
/// who reads by that name would not see the new content, <https://www.sqlite.org/howtocorrupt.html#multiple_links>.
struct OtherNames {
  let files: any FileOperations
  var direction = Direction.upgrade

  /// - Parameter place: from the root, through no symbolic link. Names in other folders cannot be found.
  func check(_ place: String, shownPath: String) throws {
    guard let status = try files.status(of: place), status.linkCount > 1 else { return }
    let folder = FilePaths.folder(of: place)
    let names = try files.contents(ofFolder: folder)
    for name in names {
      let other = (folder == "/" ? "" : folder) + "/" + name
      guard other != place,
        ["-wal", "-shm", "-journal"].contains(where: { names.contains(name + $0) }),
        let found = try files.linkStatus(of: other), found.inode == status.inode,
        found.device == status.device
      else { continue }
      throw MigrationError.busy(
        other,
        """
        \(shownPath) and \(other) are names of one file, and it is in use by the second one, or a program that \
        used it so was killed. \(direction == .upgrade ? "Upgrade it" : "Take it back") as \(other).
        """)
    }
  }
}
