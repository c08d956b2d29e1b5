import StrataSQLite

extension Upgrade {
  /// What the upgrade would do. Whatever would refuse it before it starts refuses this, too, and nothing is written.
  ///
  /// - Throws: `MigrationError`.
  package func rehearse() throws -> UpgradePlan {
    let plan = try UpgradePlan.make(
      path: path, target: target, options: options, files: files, vfs: vfs)
    guard !plan.isCurrent || options.output != nil else { return plan }
    try FileInspector.translate(path) {
      try WrittenNames(path: path, options: options, files: files).check()
      let place = try files.realPath(of: path)
      if let output = options.output {
        try OutputUpgrade(
          path: path, output: output, target: target, options: options, files: files, vfs: vfs
        ).check()
      } else {
        try checkPlaces()
        try OtherNames(files: files, known: options.otherNames).check(place, shownPath: path)
        guard try !FileLock.isTaken(place + AsideFile.suffix) else {
          throw MigrationError.isBeingChanged(path)
        }
        guard try !LogLock.isHeld(path: place) else {
          throw MigrationError.busy(
            path,
            "\(path) is being written by another process. Try again when it has finished.")
        }
        if header(of: place)?.usesLog == false, try LogLock.isFileHeld(path: place) {
          throw MigrationError.hasToBeAlone(place, shownPath: path)
        }
      }
      // A file that is current is copied, and nothing of it is kept.
      let backup = plan.isCurrent ? nil : options.backup
      if let backup {
        try NewFile(path: backup, files: files).checkPlace(isFolderMade: options.makesFolders)
        guard try !files.exists(backup) else {
          throw MigrationError(
            .inputOutput, "\(backup) exists already; --backup names a file that does not.")
        }
      }
      try DiskSpace(
        files: files, path: path, place: options.output ?? place, backup: backup
      ).check(needed: plan.upgradeSize, fileSize: plan.fileSize)
    }
    return plan
  }

  /// That of an encrypted file is read with its key.
  private func header(of place: String) -> SQLiteHeader? {
    let count = SQLiteHeader.byteCount
    return Database.firstBytes(of: place, count: count).flatMap { SQLiteHeader($0) }
      ?? Database.openedBytes(of: place, count: count, vfs: vfs).flatMap { SQLiteHeader($0) }
  }
}
