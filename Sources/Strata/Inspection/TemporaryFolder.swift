package import StrataSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A new folder of this process alone, for as long as its owner needs it.
///
/// A process that is killed leaves its folder, with whole copies of databases. Each folder has a mark that the system holds locked for as long
/// as its process lives; the first folder that another process makes is the moment at which it removes those whose marks no process holds.
package final class TemporaryFolder {
  package let path: String
  private let files: any FileOperations
  /// Nil where the file system has no locks: such a folder is not known for left, and stays.
  private let mark: FolderMark?
  private var isRemoved = false

  private static let prefix = "strata-"
  /// Folders of this name that one process looks at, how many of them it removes, and entries of each.
  private static let maximumFolders = 100_000
  private static let maximumRemovals = 256
  private static let maximumEntries = 10_000
  /// How often a folder is made anew that another process has taken for left before its mark was locked.
  private static let maximumAttempts = 100

  private static let removal: Void = removeAbandoned(in: FilePaths.temporaryFolder)

  package convenience init(files: any FileOperations = POSIXFiles()) throws {
    _ = Self.removal
    try self.init(in: FilePaths.temporaryFolder, files: files)
  }

  init(in parent: String, files: any FileOperations = POSIXFiles()) throws {
    self.files = files
    (path, mark) = try Self.make(in: parent, files)
  }

  private static func make(
    in parent: String, _ files: any FileOperations
  ) throws -> (String, FolderMark?) {
    var generator = SystemRandomNumberGenerator()
    var path = ""
    for _ in 0..<maximumAttempts {
      path = "\(parent)/\(prefix)\(generator.next())"
      try files.createFolder(path, permissions: 0o700)
      switch FolderMark.take(in: path, making: true) {
      case .taken(let mark): return (path, mark)
      case .impossible: return (path, nil)
      case .heldByOther: continue
      }
    }
    throw FileError(operation: "flock", path: path, number: EWOULDBLOCK)
  }

  package func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    let names = try? files.contents(ofFolder: path)
    var isEmpty = names != nil
    for name in names ?? [] where name != FolderMark.name {
      do { try files.remove(path + "/" + name) } catch { isEmpty = false }
    }
    // With its mark, what could not be removed is left to another process.
    if isEmpty { mark?.remove() }
    mark?.letGo()
    try? files.removeFolder(path)
  }

  deinit { remove() }

  // MARK: - Folders that killed processes have left

  /// Removes the folders of this user whose processes have ended. Reads the names of `parent` once.
  static func removeAbandoned(in parent: String) {
    var removals = 0
    for name in names(in: parent) where removals < maximumRemovals {
      if removeIfAbandoned("\(parent)/\(name)") { removals += 1 }
    }
  }

  /// The names that folders of this kind have, and no others: a temporary folder may hold a great many.
  private static func names(in parent: String) -> [String] {
    guard let folder = opendir(parent) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while names.count < maximumFolders, let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          strncmp($0, prefix, prefix.utf8.count) == 0 ? String(cString: $0) : ""
        }
      }
      if UInt64(name.dropFirst(prefix.utf8.count)) != nil { names.append(name) }
    }
    return names
  }

  /// - Returns: whether it was one.
  private static func removeIfAbandoned(_ folder: String) -> Bool {
    let files = POSIXFiles()
    // What is another's, or was opened to others, is not touched.
    guard let status = (try? files.linkStatus(of: folder)) ?? nil, status.kind == .folder,
      status.user == geteuid(), status.permissions & 0o777 == 0o700,
      case .taken(let mark) = FolderMark.take(in: folder, making: false)
    else { return false }
    defer { mark.letGo() }
    let names = (try? files.contents(ofFolder: folder)) ?? []
    for name in names.prefix(maximumEntries) where name != FolderMark.name {
      try? files.remove("\(folder)/\(name)")
    }
    guard (try? files.contents(ofFolder: folder)) == [FolderMark.name] else { return true }
    mark.remove()
    try? files.removeFolder(folder)
    return true
  }
}
