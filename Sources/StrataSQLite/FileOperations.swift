#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Everything that is done to files other than through SQLite, behind one seam: tests put their own in
/// place of the system's and let the n-th call fail.
package protocol FileOperations: Sendable {
  /// What stands at the path, following symbolic links; nil where nothing does.
  func status(of path: String) throws(FileError) -> FileStatus?
  /// As `status`, of a symbolic link itself.
  func linkStatus(of path: String) throws(FileError) -> FileStatus?
  /// The absolute path without symbolic links.
  func realPath(of path: String) throws(FileError) -> String
  /// Where a symbolic link leads.
  func readLink(_ path: String) throws(FileError) -> String
  /// The names in a folder, without `.` and `..`, sorted.
  func contents(ofFolder path: String) throws(FileError) -> [String]
  /// The names of folders in a folder that are not UTF-8, as their bytes: no path leads there, and `contents` gives another name.
  func foldersWithoutText(inFolder path: String) throws(FileError) -> [[UInt8]]
  /// Bytes of a file from an offset on; fewer where it ends earlier.
  func read(_ path: String, from offset: Int, count: Int) throws(FileError) -> [UInt8]
  /// Writes a file anew, or into an existing one from its start, and does not make it durable.
  func write(_ bytes: [UInt8], to path: String, permissions: UInt32) throws(FileError)
  /// Copies a file's bytes into a new one.
  func copy(_ path: String, to target: String, permissions: UInt32) throws(FileError)
  /// The same of a database, whose locks of this process stay.
  func copyDatabase(_ path: String, to target: String, permissions: UInt32) throws(FileError)
  func createFolder(_ path: String, permissions: UInt32) throws(FileError)
  /// Removes an empty folder.
  func removeFolder(_ path: String) throws(FileError)
  func rename(_ path: String, to target: String) throws(FileError)
  /// Renames to a name that nothing has: `FileError` that says so where something has it.
  func rename(_ path: String, toNew target: String) throws(FileError)
  func remove(_ path: String) throws(FileError)
  func setPermissions(_ permissions: UInt32, of path: String) throws(FileError)
  func setOwner(user: UInt32, group: UInt32, of path: String) throws(FileError)
  /// Makes a file's content durable, or a folder's entries.
  func synchronize(_ path: String) throws(FileError)
  /// Bytes that an unprivileged process may still write on the file system that holds the path.
  func freeSpace(at path: String) throws(FileError) -> Int
  /// Whether this process may read or write the path.
  func isAccessible(_ path: String, forWriting: Bool) -> Bool
}

extension FileOperations {
  package func foldersWithoutText(inFolder path: String) throws(FileError) -> [[UInt8]] { [] }

  package func exists(_ path: String) throws(FileError) -> Bool { try status(of: path) != nil }

  package func size(of path: String) throws(FileError) -> Int? { try status(of: path)?.size }

  /// The log or the journal with content that stands beside a path, whether there is a file or not.
  package func log(beside path: String) throws(FileError) -> String? {
    for suffix in ["-wal", "-journal"] {
      if let size = try size(of: path + suffix), size > 0 { return path + suffix }
    }
    return nil
  }

  /// Gives a copy of a file the file's group and these permissions, whatever the process masks. Where this user cannot make a file of that group, the group
  /// that the copy has may do what all others may, and no more. A file system without owners and permissions has none to keep.
  package func keepAccess(of path: String, _ permissions: UInt32, at copy: String) {
    guard let old = (try? status(of: path)) ?? nil, let new = (try? status(of: copy)) ?? nil
    else { return }
    var permissions = permissions
    if new.group != old.group,
      (try? setOwner(user: new.user, group: old.group, of: copy)) == nil
    {
      let (ofGroup, ofOthers) = (permissions >> 3 & 7, permissions & 7)
      permissions = permissions & ~0o070 | (ofGroup & ofOthers) << 3
    }
    try? setPermissions(permissions, of: copy)
  }

  /// Whether two files hold the same bytes.
  package func haveSameContent(_ path: String, _ other: String) throws(FileError) -> Bool {
    guard let size = try size(of: path), try self.size(of: other) == size else { return false }
    let bytesAtOnce = 1 << 20
    for offset in stride(from: 0, to: size, by: bytesAtOnce) {
      let bytes = try read(path, from: offset, count: bytesAtOnce)
      guard try read(other, from: offset, count: bytesAtOnce) == bytes else { return false }
    }
    return true
  }

  /// Whether two databases hold the same bytes, once they are opened where the VFS encrypts them.
  package func haveSameContent(_ path: String, _ other: String, vfs: String?) throws -> Bool {
    if try haveSameContent(path, other) { return true }
    guard PageVFS.reservedBytes(of: vfs) > 0, try size(of: path) == size(of: other) else {
      return false
    }
    return try Database.haveSamePages(path, other, vfs: vfs)
  }

  /// Renames to a name that nothing has.
  ///
  /// - Throws: `taken` where something has it, else `FileError`.
  package func rename(
    _ path: String, toNew target: String, taken: @autoclosure () -> any Error
  ) throws {
    do {
      try rename(path, toNew: target)
    } catch {
      if error.isExisting { throw taken() }
      throw error
    }
  }

  /// Removes what may be missing.
  package func removeIfPresent(_ path: String) throws(FileError) {
    do {
      try remove(path)
    } catch {
      if !error.isNotFound { throw error }
    }
  }

  /// Makes it durable that a file was created, renamed or removed, where the file system can do that.
  package func synchronizeFolder(of path: String) throws(FileError) {
    do {
      try synchronize(FilePaths.folder(of: path))
    } catch {
      if !error.isUnsupported { throw error }
    }
  }

  /// Gives a finished file a name that nothing has, durably. Where that is not certain, nothing has the name.
  package func publish(_ draft: String, as place: String) throws(FileError) {
    try rename(draft, toNew: place)
    do {
      try synchronizeFolder(of: place)
    } catch {
      try? removeIfPresent(place)
      throw error
    }
  }

  /// The same.
  ///
  /// - Throws: `taken` where something has the name, else `FileError`.
  package func publish(
    _ draft: String, as place: String, taken: @autoclosure () -> any Error
  ) throws {
    do {
      try publish(draft, as: place)
    } catch {
      if error.isExisting { throw taken() }
      throw error
    }
  }
}

/// What `stat` says.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case file
    case folder
    case link
    /// A FIFO, socket or device.
    case other
  }

  package var kind: Kind
  package var size: Int
  /// Device and inode name a file whatever it is called.
  package var device: UInt64
  package var inode: UInt64
  package var permissions: UInt32
  package var user: UInt32
  package var group: UInt32
  package var linkCount: Int
  /// When the content changed last, in nanoseconds since 1970.
  package var modified: Int64

  package init(
    kind: Kind, size: Int, device: UInt64, inode: UInt64, permissions: UInt32, user: UInt32,
    group: UInt32, linkCount: Int, modified: Int64 = 0
  ) {
    self.kind = kind
    self.size = size
    self.device = device
    self.inode = inode
    self.permissions = permissions
    self.user = user
    self.group = group
    self.linkCount = linkCount
    self.modified = modified
  }
}

/// Paths as text.
package enum FilePaths {
  /// Where files may be put that are not needed after the process: `TMPDIR`, else `/tmp`.
  package static var temporaryFolder: String {
    guard let value = getenv("TMPDIR") else { return "/tmp" }
    let path = String(cString: value)
    return path.isEmpty ? "/tmp" : path
  }

  /// The folder that holds the path; `.` for a bare name.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// The names of a path, without `.`: by bytes, because a name may begin with an accent.
  package static func names(in path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"))
      .map { String(decoding: Array($0), as: UTF8.self) }.filter { $0 != "." }
  }

  /// What stands behind the last slash.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// The same file by a name that SQLite takes for no URI: it reads one in every name that begins with `file:`.
  package static func plain(_ path: String) -> String {
    path.utf8.starts(with: "file:".utf8) ? "./" + path : path
  }

  /// The path as SQLite's URIs spell it: everything but unreserved characters and slashes in hexadecimal. Two slashes at its beginning
  /// would be read as those before a host's name, so that an empty name stands before them.
  package static func uri(_ path: String, _ parameters: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = Array((path.utf8.starts(with: "//".utf8) ? "file://" : "file:").utf8)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        text.append(byte)
      default:
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self) + "?" + parameters
  }

  /// What follows the path of a URI, `key=value` each.
  static func parameters(ofURI uri: String) -> [Substring] {
    let parts = uri.prefix { $0 != "#" }.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count > 1 ? parts[1].split(separator: "&") : []
  }
}
