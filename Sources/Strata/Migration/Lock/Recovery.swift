import StrataSQLite

/// Tidies up after an upgrade or a downgrade that was killed when the file had its new content already.
///
/// The file itself needs nothing, and what stands beside it is in nothing's way. Failing is no failure: the next run tries again.
struct Recovery {
  let files: any FileOperations
  let vfs: String?
  /// What a run over many files knows of their folders.
  var known: Leftovers?

  /// Removes what a killed run has left beside each of these files, unless another process is at work there.
  ///
  /// - Parameters:
  ///   - written: names that a run may have been told to write, where possibly nothing stands.
  ///   - file: the file itself; nil where nothing was written beside it.
  func run(file: String?, written: [String] = []) {
    for place in [file].compactMap({ $0 }) + written {
      guard let place = (try? files.realPath(of: place)) ?? (written.contains(place) ? place : nil),
        hasLeftovers(place)
      else { continue }
      removeLeftovers(of: place)
    }
    if let file { writeBackLog(of: file) }
  }

  /// The same for a file that is open already: the file of the lock tells that a run was killed, and no folder is read for it.
  func runIfKilled(file: String) {
    guard let place = try? files.realPath(of: file),
      (try? files.exists(place + AsideFile.suffix)) == true
    else { return }
    removeLeftovers(of: place)
  }

  private func removeLeftovers(of place: String) {
    guard let lock = try? AsideFile.lockNames(beside: place, waiting: 0, files: files) else {
      return
    }
    defer { lock.release() }
    try? AsideFile.removeLeftovers(of: place, holding: lock, known: known, files: files)
  }

  private func hasLeftovers(_ place: String) -> Bool {
    if known != nil, (try? files.exists(place + AsideFile.suffix)) == true { return true }
    let found = try? AsideFile.leftovers(of: place, known: known, files: files)
    return found?.isEmpty == false
  }

  /// What was written by a process that was killed may have its log still beside it. The connection that closes the file last writes
  /// it back and removes it.
  private func writeBackLog(of path: String) {
    guard let place = try? files.realPath(of: path), (try? files.exists(place + "-wal")) == true,
      files.isAccessible(place, forWriting: true),
      let database = try? Database.inPlace(
        path: place, mode: .readWrite, vfs: vfs, busyTimeout: 0)
    else { return }
    database.close()
  }
}
