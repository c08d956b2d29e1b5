import StrataSQLite

extension Store {
  /// Copies a long log into the file, between two versions that the store stands on.
  ///
  /// SQLite copies the log in a commit, as far as to the oldest version that is read, and begins it anew when all of it is copied and no
  /// connection reads from it. A store that follows the commits of others stands on the version before each of them meanwhile: without
  /// this a log would grow for as long as one follows. Docs/decisions/0140.
  ///
  /// - Returns: whether all was copied, and the others that follow have not heard of it yet. Until they begin to read once more, they read
  ///   from the log.
  func copyLongLog() -> Bool {
    guard snapshot.pinsVersions, !configuration.readOnly, !database.isInTransaction,
      let mark = database.logMark, mark.frames > Self.framesOfLongLog, database.copyLog()
    else { return false }
    return CommitSignals.shared.isFirstToCopy(mark, of: fileKey)
  }

  /// As many as SQLite lets come together before a commit copies them, 4 MB.
  private static let framesOfLongLog: UInt32 = 1000
}
