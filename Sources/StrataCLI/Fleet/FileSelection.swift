import Strata
import StrataSQLite

/// The files that a command's arguments name: patterns expanded, sorted, each file once.
struct FileSelection {
  struct File {
    /// As it was named, or found by a pattern.
    let path: String
    let size: Int
    /// An argument that names no file, or a folder that is not looked at: why.
    var problem: MigrationError?
  }

  /// All of them, before they are divided into shards: where outputs go must not depend on the shard.
  let all: [File]

  /// - Parameter ignoring: files that a pattern may find and that are no databases: the journal.
  init(
    _ arguments: [String], ignoring: [String] = [], files: any FileOperations = POSIXFiles()
  ) throws {
    var paths: [String] = []
    var problems: [File] = []
    for argument in arguments {
      if (try? files.linkStatus(of: argument)) ?? nil == nil, let pattern = FilePattern(argument) {
        let found = try pattern.paths(files)
        paths += found.paths.map(PathArgument.plain)
        problems += found.closed.map { File(path: $0.path, size: 0, problem: $0.problem) }
        if found.paths.isEmpty, found.closed.isEmpty {
          problems.append(
            File(
              path: argument, size: 0,
              problem: MigrationError(.fileMissing, "No file matches \(argument).")))
        }
      } else {
        paths.append(argument)
      }
    }
    let named = Set(paths.map(PathKey.init))
    var seen = Set(ignoring.compactMap { Self.identity(of: $0, files) })
    var result: [File] = []
    let sorted = named.map(\.path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for path in sorted where !Self.isCompanion(path, among: named, files) {
      let status = (try? files.status(of: path)) ?? nil
      // Two names of one file (a hard link, a symbolic link, another spelling) would be two upgrades at once.
      if let status, !seen.insert(Identity(device: status.device, inode: status.inode)).inserted {
        continue
      }
      result.append(
        File(
          path: path, size: status?.size ?? 0, problem: status == nil ? Self.unreadable(path) : nil)
      )
    }
    all = result + problems
  }

  /// Those of one shard; an argument that matches nothing is every shard's mistake.
  func files(in shard: Shard?) -> [File] {
    guard let shard else { return all }
    return all.filter { $0.problem != nil || shard.contains($0.path) }
  }

  /// Why a name that was read from a folder names nothing: what is no UTF-8 has become another name on the way.
  private static func unreadable(_ path: String) -> MigrationError? {
    guard path.unicodeScalars.contains("\u{FFFD}") else { return nil }
    return MigrationError(
      .fileMissing, "The name of \(path) is not UTF-8 text. Rename the file.")
  }

  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private static func identity(of path: String, _ files: any FileOperations) -> Identity? {
    guard let status = (try? files.status(of: path)) ?? nil else { return nil }
    return Identity(device: status.device, inode: status.inode)
  }

  /// What SQLite and upgrades keep beside a database belongs to it, and is no file of its own.
  private static func isCompanion(
    _ path: String, among named: Set<PathKey>, _ files: any FileOperations
  ) -> Bool {
    for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.count))
      if named.contains(PathKey(database)) || (try? files.exists(database)) == true { return true }
    }
    guard let start = path.range(ofLast: AsideFile.suffix),
      AsideFile.isOurs(path[start...].utf8.dropFirst(AsideFile.suffix.utf8.count))
    else { return false }
    let database = String(path[..<start])
    return named.contains(PathKey(database)) || (try? files.exists(database)) == true
  }

  /// Without `./`, doubled and closing slashes: one spelling for one path, without asking the disk.
  static func normalised(_ path: String) -> String {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    return (isAbsolute ? "/" : "") + FilePaths.names(in: path).joined(separator: "/")
  }

  /// The folder that holds all of the paths; what stands behind it is a file's place in it.
  static func commonFolder(of paths: [String]) -> [String] {
    var common: [String]?
    for path in paths {
      let folders = Array(FilePaths.names(in: path).dropLast())
      guard let known = common else {
        common = folders
        continue
      }
      common = Array(zip(known, folders).prefix { $0.utf8.elementsEqual($1.utf8) }.map(\.0))
    }
    return common ?? []
  }
}

extension String {
  /// Where the last occurrence of a text begins.
  fileprivate func range(ofLast text: String) -> String.Index? {
    let (bytes, wanted) = (Array(utf8), Array(text.utf8))
    guard bytes.count >= wanted.count else { return nil }
    for start in stride(from: bytes.count - wanted.count, through: 0, by: -1)
    where bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      return utf8.index(utf8.startIndex, offsetBy: start)
    }
    return nil
  }
}
