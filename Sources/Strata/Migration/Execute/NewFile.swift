package import StrataSQLite

/// A file that is to be written.
package struct NewFile {
  let path: String
  let files: any FileOperations

  package init(path: String, files: any FileOperations) {
    self.path = path
    self.files = files
  }

  /// Refuses a place that cannot be written, and one where the log of another database is left: SQLite would play it into the new file.
  package func checkPlace(isFolderMade: Bool = false) throws {
    try checkFolder(isMade: isFolderMade)
    // That of a file that is there is its own.
    if try !files.exists(path), let log = try files.log(beside: path) {
      throw MigrationError(
        .inputOutput,
        """
        \(log) was left by a database that is gone, and would be taken for the log of \(path). Remove it first, or choose another name. \
        Nothing was written.
        """)
    }
  }

  /// Refuses a folder that this user may not write, or that is missing and is not to be made.
  package func checkFolder(isMade: Bool) throws {
    let folder = isMade ? try nearestFolder() : FilePaths.folder(of: path)
    guard try files.exists(folder) else {
      throw MigrationError(
        .inputOutput, "\(path) cannot be written: its folder \(folder) does not exist.")
    }
    guard files.isAccessible(folder, forWriting: true) else {
      throw MigrationError(
        .readOnly, "\(path) cannot be written: this user may not write its folder \(folder).")
    }
  }

  /// The innermost folder around the file that exists.
  func nearestFolder() throws -> String {
    var folder = FilePaths.folder(of: path)
    while folder != ".", folder != "/", try !files.exists(folder) {
      folder = FilePaths.folder(of: folder)
    }
    return folder
  }
}
