import StrataSQLite
import StrataSchema

/// Refuses an upgrade or a downgrade for which there is no room.
struct DiskSpace {
  let files: any FileOperations
  /// As people call the file.
  let path: String
  /// What the new content is written beside.
  let place: String
  /// The copy of the old file that is kept.
  let backup: String?
  var direction = Direction.upgrade

  /// Bytes that have to be free where the upgrade is written: the copy counts where it lies on the same file system.
  func needed(_ upgrade: Int, fileSize: Int) throws -> Int {
    try upgrade + (isBackupBeside ? fileSize : 0)
  }

  /// - Parameters:
  ///   - upgrade: bytes that the upgrade itself takes.
  ///   - fileSize: bytes of the old file, which its copy takes.
  func check(needed upgrade: Int, fileSize: Int) throws {
    let folder = try folder(of: place)
    let needed = try needed(upgrade, fileSize: fileSize)
    let free = try files.freeSpace(at: folder)
    guard free >= needed else {
      let what =
        "The \(direction) of \(path)" + (needed == upgrade ? "" : " with its backup")
      throw MigrationError(
        .diskFull,
        """
        \(what) \(Self.lacks(needed, free)) in \(folder). \
        Make room, or write to another disk with --output.
        """)
    }
    guard let backup, try !isBackupBeside else { return }
    let backupFolder = try self.folder(of: backup)
    let freeForBackup = try files.freeSpace(at: backupFolder)
    guard freeForBackup >= fileSize else {
      throw MigrationError(
        .diskFull,
        """
        The backup of \(path) \(Self.lacks(fileSize, freeForBackup)) in \(backupFolder). \
        Make room, or keep the backup on another disk.
        """)
    }
  }

  /// In the units of the plan, but to the byte where the two would read alike.
  private static func lacks(_ needed: Int, _ free: Int) -> String {
    let isClose = sized(needed) == sized(free)
    func text(_ size: Int) -> String { isClose ? counted(size, "byte") : sized(size) }
    return "needs \(text(needed)) of disk space, and \(text(free)) \(free == 1 ? "is" : "are") free"
  }

  private var isBackupBeside: Bool {
    get throws {
      guard let backup else { return false }
      return try files.status(of: folder(of: backup))?.device
        == files.status(of: folder(of: place))?.device
    }
  }

  private func folder(of path: String) throws -> String {
    try NewFile(path: path, files: files).nearestFolder()
  }
}
