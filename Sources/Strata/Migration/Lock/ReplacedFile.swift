import StrataSQLite

extension MigrationError {
  /// The file that a run works on is at its place no more: what is written to it would be lost with the connection, and what stands there by now
  /// is another file, as a backup that was put back.
  ///
  /// - Parameters:
  ///   - path: as people call the file.
  ///   - done: what was to be done to it, as a participle.
  package static func replaced(_ path: String, done: String) -> MigrationError {
    let files = POSIXFiles()
    guard (try? files.exists(path)) == true else {
      return MigrationError(
        .busy,
        """
        \(path) was not \(done): another process has moved or deleted it meanwhile. Nothing was written at its place. Put it back, and \
        start again.
        """)
    }
    let place = (try? files.linkStatus(of: path))??.kind == .link ? files.place(of: path) : path
    // SQLite lays a log over whatever file it stands beside.
    let hasLog = ["-wal", "-shm"].contains { (try? files.exists(place + $0)) == true }
    let log =
      hasLog
      ? """
       \(place)-wal and \(place)-shm may be left of the old file: remove them where nothing else has the new one open, before it is opened.
      """ : ""
    return busy(
      path,
      """
      \(path) was not \(done): another process has put another file into its place meanwhile, and that was not changed.\(log) Start \
      again where the new file is to be \(done).
      """)
  }
}
