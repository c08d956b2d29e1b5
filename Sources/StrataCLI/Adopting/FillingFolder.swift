import StrataSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder that one run fills, beside what it becomes: `Shop.adopting-123`, with the number of the process. A run that was killed
/// leaves its own behind, and the next one for the same place removes it.
struct FillingFolder {
  /// Folders above one another, and entries of each, that a run writes.
  private static let maximumDepth = 3
  private static let maximumEntries = 100_000

  let path: String

  /// - Parameter target: the folder or the database that is being made.
  init(beside target: String) {
    path = "\(target).adopting-\(getpid())"
    Self.removeLeftovers(of: target)
  }

  func remove() { Self.remove(path, depth: 0) }

  private static func removeLeftovers(of target: String) {
    let files = POSIXFiles()
    let prefix = "\(target.nameOfPath).adopting-"
    let folder = target.folderOfPath
    for name in (try? files.contents(ofFolder: folder)) ?? [] where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count)), process > 0, process != getpid(),
        kill(process, 0) != 0, errno == ESRCH, isOfARun("\(folder)/\(name)")
      else { continue }
      remove("\(folder)/\(name)", depth: 0)
    }
  }

  /// Whether nothing is in a folder but what a run writes.
  private static func isOfARun(_ folder: String) -> Bool {
    guard let names = try? POSIXFiles().contents(ofFolder: folder) else { return false }
    return names.allSatisfy {
      ["schemas", "migrations", "ADOPTED.md", AdoptedData.leftOutName].contains($0)
        || $0.contains(".db")
    }
  }

  private static func remove(_ folder: String, depth: Int) {
    let files = POSIXFiles()
    guard depth <= maximumDepth, let names = try? files.contents(ofFolder: folder) else { return }
    for name in names.prefix(maximumEntries) {
      let entry = "\(folder)/\(name)"
      if let kind = try? files.linkStatus(of: entry)?.kind, kind == .folder {
        remove(entry, depth: depth + 1)
      } else {
        try? files.remove(entry)
      }
    }
    try? files.removeFolder(folder)
  }
}
