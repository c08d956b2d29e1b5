import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system's own file operations.
package struct POSIXFiles: FileOperations {
  package init() {}

  /// As many bytes as one call reads or writes.
  private static let maximumTransfer = 1 << 30

  package func status(of path: String) throws(FileError) -> FileStatus? {
    var result = stat()
    return try status("stat", path, stat(path, &result), &result)
  }

  package func linkStatus(of path: String) throws(FileError) -> FileStatus? {
    var result = stat()
    return try status("lstat", path, lstat(path, &result), &result)
  }

  private func status(
    _ operation: String, _ path: String, _ code: Int32, _ result: inout stat
  ) throws(FileError) -> FileStatus? {
    if code != 0 {
      let error = FileError(operation: operation, path: path, number: errno)
      if error.isNotFound { return nil }
      throw error
    }
    let kind: FileStatus.Kind =
      switch result.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    #if canImport(Darwin)
      let modified = result.st_mtimespec
    #else
      let modified = result.st_mtim
    #endif
    return FileStatus(
      kind: kind, size: Int(result.st_size), device: UInt64(truncatingIfNeeded: result.st_dev),
      inode: UInt64(result.st_ino), permissions: UInt32(result.st_mode & 0o7777),
      user: UInt32(result.st_uid), group: UInt32(result.st_gid), linkCount: Int(result.st_nlink),
      modified: Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec))
  }

  package func realPath(of path: String) throws(FileError) -> String {
    guard let text = realpath(path, nil) else { throw failure("realpath", path) }
    defer { free(text) }
    return String(cString: text)
  }

  /// The one spelling of a path, where its folder is there: without links, `.` and `..`. Also of a file that is not there yet.
  package func place(of path: String) -> String {
    if let place = try? realPath(of: path) { return place }
    guard let folder = try? realPath(of: FilePaths.folder(of: path)) else { return path }
    return (folder == "/" ? "" : folder) + "/" + FilePaths.name(of: path)
  }

  package func readLink(_ path: String) throws(FileError) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count >= 0 else { throw failure("readlink", path) }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package func contents(ofFolder path: String) throws(FileError) -> [String] {
    guard let folder = opendir(path) else { throw failure("opendir", path) }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw failure("readdir", path) }
    return names.sorted()
  }

  package func foldersWithoutText(inFolder path: String) throws(FileError) -> [[UInt8]] {
    guard let folder = opendir(path) else { throw failure("opendir", path) }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { start in
          Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
        }
      }
      guard String(validating: name, as: UTF8.self) == nil else { continue }
      var status = stat()
      let code = (name + [0]).withUnsafeBytes {
        $0.withMemoryRebound(to: CChar.self) {
          fstatat(dirfd(folder), $0.baseAddress!, &status, AT_SYMLINK_NOFOLLOW)
        }
      }
      if code == 0, status.st_mode & S_IFMT == S_IFDIR { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw failure("readdir", path) }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  package func read(
    _ path: String, from offset: Int, count: Int
  ) throws(FileError) -> [UInt8] {
    // A pipe without a writer is not waited for: it has no place to read from, and the read says so.
    let file = try open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    defer { close(file) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let wanted = min(count - bytes.count, 1 << 20)
      var part = [UInt8](repeating: 0, count: wanted)
      let got = pread(file, &part, wanted, off_t(offset + bytes.count))
      if got < 0 {
        if errno == EINTR { continue }
        throw failure("read", path)
      }
      if got == 0 { break }
      bytes += part.prefix(got)
    }
    return bytes
  }

  package func write(
    _ bytes: [UInt8], to path: String, permissions: UInt32
  ) throws(FileError) {
    let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, permissions)
    do {
      try writeAll(bytes, to: file, path: path)
    } catch {
      close(file)
      throw error
    }
    guard close(file) == 0 else { throw failure("close", path) }
  }

  /// Writes over bytes of a file that is there.
  package func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws(FileError) {
    let file = try open(path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    guard lseek(file, off_t(offset), SEEK_SET) == off_t(offset) else {
      throw failure("lseek", path)
    }
    try writeAll(bytes, to: file, path: path)
  }

  private func writeAll(_ bytes: [UInt8], to file: Int32, path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { rest in
        #if canImport(Glibc)
          Glibc.write(file, rest.baseAddress, min(rest.count, Self.maximumTransfer))
        #elseif canImport(Musl)
          Musl.write(file, rest.baseAddress, min(rest.count, Self.maximumTransfer))
        #else
          Darwin.write(file, rest.baseAddress, min(rest.count, Self.maximumTransfer))
        #endif
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure("write", path)
      }
      written += count
    }
  }

  package func copy(
    _ path: String, to target: String, permissions: UInt32
  ) throws(FileError) {
    let bytesAtOnce = 1 << 20
    try write([], to: target, permissions: permissions)
    let file = try open(target, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(file) }
    var offset = 0
    while true {
      let bytes = try read(path, from: offset, count: bytesAtOnce)
      if bytes.isEmpty { return }
      try writeAll(bytes, to: file, path: target)
      offset += bytes.count
    }
  }

  package func copyDatabase(
    _ path: String, to target: String, permissions: UInt32
  ) throws(FileError) {
    let bytesAtOnce = 1 << 20
    guard let source = SharedFile(path) else {
      let number = try status(of: path) == nil ? ENOENT : EACCES
      throw FileError(operation: "open", path: path, number: number)
    }
    try write([], to: target, permissions: permissions)
    let file = try open(target, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(file) }
    for offset in stride(from: 0, to: source.size, by: bytesAtOnce) {
      guard let bytes = source.read(from: offset, count: bytesAtOnce) else {
        // As the file ends by now.
        if let size = try size(of: path), size < source.size { return }
        throw FileError(operation: "read", path: path, number: EIO)
      }
      try writeAll(bytes, to: file, path: target)
    }
  }

  package func removeFolder(_ path: String) throws(FileError) {
    try check("rmdir", path, rmdir(path))
  }

  package func createFolder(_ path: String, permissions: UInt32) throws(FileError) {
    try check("mkdir", path, mkdir(path, mode_t(permissions)))
  }

  package func rename(_ path: String, to target: String) throws(FileError) {
    #if canImport(Glibc)
      try check("rename", path, Glibc.rename(path, target))
    #elseif canImport(Musl)
      try check("rename", path, Musl.rename(path, target))
    #else
      try check("rename", path, Darwin.rename(path, target))
    #endif
  }

  package func rename(_ path: String, toNew target: String) throws(FileError) {
    #if canImport(Darwin)
      let code = renamex_np(path, target, UInt32(RENAME_EXCL))
    #else
      let code = strata_rename_to_new(path, target)
    #endif
    // What a file system, or a kernel, that knows no such rename says.
    guard code != 0, [EINVAL, ENOSYS, ENOTSUP].contains(errno) else {
      return try check("rename", path, code)
    }
    guard try linkStatus(of: target) == nil else {
      throw FileError(operation: "rename", path: path, number: EEXIST)
    }
    try rename(path, to: target)
  }

  package func remove(_ path: String) throws(FileError) { try check("unlink", path, unlink(path)) }

  package func setPermissions(_ permissions: UInt32, of path: String) throws(FileError) {
    try check("chmod", path, chmod(path, mode_t(permissions)))
  }

  package func setOwner(user: UInt32, group: UInt32, of path: String) throws(FileError) {
    try check("chown", path, chown(path, user, group))
  }

  package func synchronize(_ path: String) throws(FileError) {
    let file = try open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #if canImport(Darwin)
      // On Darwin only this reaches the medium.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    try check("fsync", path, fsync(file))
  }

  package func freeSpace(at path: String) throws(FileError) -> Int {
    var result = statvfs()
    try check("statvfs", path, statvfs(path, &result))
    let (bytes, overflow) = UInt64(result.f_bavail)
      .multipliedReportingOverflow(by: UInt64(result.f_frsize))
    return overflow ? Int.max : Int(clamping: bytes)
  }

  package func isAccessible(_ path: String, forWriting: Bool) -> Bool {
    access(path, forWriting ? W_OK : R_OK) == 0
  }

  private func open(
    _ path: String, _ flags: Int32, _ permissions: UInt32 = 0
  ) throws(FileError) -> Int32 {
    #if canImport(Glibc)
      let file = Glibc.open(path, flags, mode_t(permissions))
    #elseif canImport(Musl)
      let file = Musl.open(path, flags, mode_t(permissions))
    #else
      let file = Darwin.open(path, flags, mode_t(permissions))
    #endif
    guard file >= 0 else { throw failure("open", path) }
    return file
  }

  private func check(
    _ operation: String, _ path: String, _ code: Int32
  ) throws(FileError) {
    guard code == 0 else { throw failure(operation, path) }
  }

  private func failure(_ operation: String, _ path: String) -> FileError {
    FileError(operation: operation, path: path, number: errno)
  }
}
