import Strata
import StrataSQLite
import StrataSchema

/// The files that a command's arguments name: patterns expanded, sorted, each file once.
struct FileSelection {
  struct File {
    /// As it was named, or found by a pattern.
    let path: String
    let size: Int
    /// Other names of the same file, hard links, in folders that the upgrade of this one does not look at.
    var otherNames: [String] = []
    /// What decides on its shard: the first of its names, whichever of them is in use when a shard is begun.
    var shardPath: String
    /// The folder that the pattern begins in which has found it, if any; of several the shortest one.
    var patternRoot: String?
    /// Whether an argument names it, also where a pattern finds it, too.
    var isNamed = false
    /// An argument that names no file, or a folder that is not looked at: why.
    var problem: MigrationError?
    /// Whether it is a pattern that finds nothing, and so no file at all.
    var isPattern = false

    init(path: String, size: Int, problem: MigrationError? = nil) {
      self.path = path
      self.size = size
      self.problem = problem
      shardPath = path
    }
  }

  /// All of them, before they are divided into shards: where outputs go must not depend on the shard.
  let all: [File]
  /// The folders that the patterns among the arguments begin in, whatever they have found.
  let patternRoots: [String]

  /// - Parameter ignoring: files that a pattern may find and that are no databases: the journal, under whatever name.
  init(
    _ arguments: [String], ignoring: [String] = [], files: any FileOperations = POSIXFiles()
  ) throws {
    var paths: [String] = []
    var literal: Set<PathKey> = []
    var roots: [PathKey: String] = [:]
    var patternRoots: [String] = []
    var problems: [File] = []
    var found: [(pattern: String, paths: [String])] = []
    for argument in arguments {
      if (try? files.linkStatus(of: argument)) ?? nil == nil, let pattern = FilePattern(argument) {
        let (matches, closed) = try pattern.paths(files)
        patternRoots.append(pattern.root)
        let plain = matches.map(PathArgument.plain)
        for path in plain {
          paths.append(path)
          if let known = roots[PathKey(path)], known.utf8.count <= pattern.root.utf8.count {
            continue
          }
          roots[PathKey(path)] = pattern.root
        }
        problems += closed.map { File(path: $0.path, size: 0, problem: $0.problem) }
        if closed.isEmpty { found.append((argument, plain)) }
      } else {
        paths.append(argument)
        literal.insert(PathKey(argument))
      }
    }
    let named = Set(paths.map(PathKey.init))
    let ignored = Set(ignoring.compactMap { Self.identity(of: $0, files) })
    var result: [File] = []
    var folders: Set<PathKey> = []
    var namesOfFiles: [Identity: [String]] = [:]
    let sorted = named.map(\.path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for path in sorted {
      let isFound = !literal.contains(PathKey(path))
      if Self.isCompanion(path, isFound: isFound, among: named, files) { continue }
      // Of other shards and earlier runs. One that was named is refused as any other file.
      if isFound, MigrationJournal.isDefault(path, files) { continue }
      guard let identity = Self.identity(of: path, files) else {
        result.append(File(path: path, size: 0, problem: Self.unreadable(path)))
        continue
      }
      if isFound, identity.isFolder {
        folders.insert(PathKey(path))
        continue
      }
      if !ignored.contains(identity) { namesOfFiles[identity, default: []].append(path) }
    }
    // Two names of one file (a hard link, a symbolic link, another spelling) would be two upgrades at once.
    result += namesOfFiles.values.map { Self.file(with: $0, files) }
    result.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    for index in result.indices {
      let key = PathKey(result[index].path)
      result[index].isNamed = literal.contains(key)
      result[index].patternRoot = roots[key]
    }
    problems += found.filter { $0.paths.allSatisfy { folders.contains(PathKey($0)) } }
      .map { Self.nothing(matches: $0.pattern) }
    // A pattern that is named twice, or a folder that two of them lead into, is told once.
    var told: Set<PathKey> = []
    all = result + problems.filter { told.insert(PathKey($0.path)).inserted }
    self.patternRoots = patternRoots
  }

  private init(all: [File], patternRoots: [String]) {
    self.all = all
    self.patternRoots = patternRoots
  }

  /// A part of it, found by the same patterns.
  func filtered(_ isIncluded: (File) -> Bool) -> FileSelection {
    FileSelection(all: all.filter(isIncluded), patternRoots: patternRoots)
  }

  /// Those of one shard; an argument that matches nothing is every shard's mistake.
  func files(in shard: Shard?) -> [File] {
    guard let shard else { return all }
    return all.filter { $0.problem != nil || shard.contains($0.shardPath) }
  }

  /// One file of which these are names, sorted.
  ///
  /// SQLite finds a log by the name that the file was opened with: what stands in the log of another one would be lost.
  private static func file(with names: [String], _ files: any FileOperations) -> File {
    let size = (try? files.size(of: names[0])) ?? 0
    var places: [PathKey: String] = [:]
    if names.count > 1 {
      for name in names.reversed() {
        places[PathKey((try? files.realPath(of: name)) ?? name)] = name
      }
    }
    guard places.count > 1 else { return File(path: names[0], size: size) }
    let used = places.filter { OtherNames.isInUse($0.key.path, files) }.map(\.value)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var file = File(path: used.first ?? names[0], size: size)
    file.shardPath = names[0]
    file.otherNames = names.filter { !$0.isSpelled(like: file.path) }
    if used.count > 1 {
      file.problem = .busy(
        used[0],
        """
        \(used[0]) and \(used[1]) are names of one file, and it is in use by both of them, or programs that used it so were \
        killed: each has a log beside it. Stop what uses the file; of two logs that stay, only one belongs to it. Nothing was changed.
        """)
    }
    return file
  }

  private static func nothing(matches pattern: String) -> File {
    var file = File(
      path: pattern, size: 0,
      problem: MigrationError(.fileMissing, "No file matches \(pattern)."))
    file.isPattern = true
    return file
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
    let isFolder: Bool
  }

  private static func identity(of path: String, _ files: any FileOperations) -> Identity? {
    guard let status = (try? files.status(of: path)) ?? nil else { return nil }
    return Identity(
      device: status.device, inode: status.inode, isFolder: status.kind == .folder)
  }

  /// What SQLite, upgrades and the keeping of old files have beside a database belongs to it, and is no file of its own.
  ///
  /// - Parameter isFound: whether a pattern has found it. A kept file that is named without its database is meant.
  private static func isCompanion(
    _ path: String, isFound: Bool, among named: Set<PathKey>, _ files: any FileOperations
  ) -> Bool {
    // A folder has no log: a database may be called as one would be.
    func isDatabase(_ path: String) -> Bool {
      guard let status = (try? files.status(of: path)) ?? nil else {
        return named.contains(PathKey(path))
      }
      return status.kind == .file
    }
    for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
      if isDatabase(String(path.dropLast(suffix.count))) { return true }
    }
    if let database = KeptFiles.database(ofKept: path),
      isFound || named.contains(PathKey(database)), isDatabase(database)
    {
      return true
    }
    guard let start = path.range(ofLast: AsideFile.suffix),
      AsideFile.isOurs(path[start...].utf8.dropFirst(AsideFile.suffix.utf8.count))
    else { return false }
    return isDatabase(String(path[..<start]))
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
      common = Array(zip(known, folders).prefix { $0.isSpelled(like: $1) }.map(\.0))
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
