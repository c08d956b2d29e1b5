#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads the source files of a folder.
package enum SourceFolder {
  /// How many files of a folder are read: room for 10,000 models in a file each.
  package static let maximumFiles = 20_000

  /// What declaration and step files end with.
  package static let yamlExtensions = ["yaml", "yml"]

  /// Reads all files directly in the folder that end with one of the extensions, sorted by the bytes of
  /// their names. Hidden files are left out: editors keep theirs there. The folder may be a symbolic link.
  package static func read(
    _ folder: String, extensions: [String] = yamlExtensions
  ) throws(SourceError) -> [SourceFile] {
    let names = try list(folder).filter { isSource($0, extensions: extensions) }
    guard names.count <= maximumFiles else {
      throw SourceError(path: folder, reason: .tooManyFiles(maximum: maximumFiles))
    }
    var files: [SourceFile] = []
    files.reserveCapacity(names.count)
    for name in names { files.append(try read(file: path(of: name, in: folder))) }
    return files
  }

  /// Whether a name, or a path, ends as the files of a folder do that are read.
  package static func isSource(_ name: String, extensions: [String] = yamlExtensions) -> Bool {
    extensions.contains { name.utf8.count > $0.utf8.count + 1 && name.hasSuffix("." + $0) }
  }

  /// Reads one file: all of it, or `SourceFile.maximumSize` and one byte of a larger one.
  package static func read(file path: String) throws(SourceError) -> SourceFile {
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure(path) }
    guard isRegular(status) else { throw SourceError(path: path, reason: .notAFile) }
    // Should the file have been replaced by a pipe since, opening it must not wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard isRegular(status) else { throw SourceError(path: path, reason: .notAFile) }

    let limit = SourceFile.maximumSize + 1
    var bytes: [UInt8] = []
    // The size is a hint; the file may grow or shrink while it is read.
    var room = min(limit, max(Int(status.st_size), 0) + 1)
    while bytes.count < limit {
      let missing = min(max(room - bytes.count, 4096), limit - bytes.count)
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: missing) { buffer, initialized in
        repeat {
          count = Int(systemRead(descriptor, buffer.baseAddress, missing))
        } while count < 0 && errno == EINTR
        initialized = max(count, 0)
      }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { break }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
      room = bytes.count
    }
    return SourceFile(path: path, bytes: bytes)
  }

  /// The path of what stands in a folder, which people write with a slash at its end, too. One file has one path by it, wherever that
  /// is made.
  package static func path(of name: String, in folder: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
  }

  /// The names in a folder, sorted by their bytes, without hidden ones.
  package static func list(_ folder: String) throws(SourceError) -> [String] {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw failure(folder) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SourceError(path: folder, reason: .notAFolder)
    }
    guard let stream = opendir(folder) else { throw failure(folder) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
      }
      guard let name else { throw SourceError(path: folder, reason: .nameNotUTF8) }
      guard !name.hasPrefix(".") else { continue }
      guard names.count < 4 * maximumFiles else {
        throw SourceError(path: folder, reason: .tooManyFiles(maximum: 4 * maximumFiles))
      }
      names.append(name)
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// How many folders above one that is not there are looked for.
  private static let maximumDepth = 256

  /// Where a folder is behind all links: one folder has one place, whichever path leads to it. Of a folder that is not there, where it
  /// would be.
  package static func place(of folder: String) -> String {
    var there = folder[...]
    for _ in 0..<maximumDepth {
      if let text = realpath(there.isEmpty ? "/" : String(there), nil) {
        defer { free(text) }
        guard let place = String(validatingCString: text) else { break }
        let rest = folder[there.endIndex...]
        return place == "/" && !rest.isEmpty ? String(rest) : place + rest
      }
      guard let slash = there.utf8.lastIndex(of: UInt8(ascii: "/")) else { break }
      there = there[..<slash]
    }
    return folder
  }

  private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

  private static func failure(_ path: String) -> SourceError {
    let cause = errno
    guard cause == ENOENT || cause == ENOTDIR else {
      return SourceError(path: path, reason: .unreadable(String(cString: strerror(cause))))
    }
    // A link is there, and what it leads to is missed.
    var status = stat()
    let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    return SourceError(
      path: path, reason: isLink ? .unreadable("it is a link that leads nowhere") : .missing)
  }
}

/// `read(2)`, which the name of the enum's own functions hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int)
  -> Int
{
  read(descriptor, buffer, count)
}
