#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that a user has named to be written. A symbolic link stays one, and what is no file, as a pipe or a device, is written into.
package struct OutputFile {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Links that are followed before they are taken for a circle, as the system does.
  private static let maximumLinks = 40

  /// Whether what is written goes to a reader, as through a pipe or `/dev/stdout`, so that it cannot be replaced by a later text.
  package var isStream: Bool {
    if ownDescriptor != nil { return true }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT != S_IFREG { return status.st_mode & S_IFMT != S_IFDIR }
    // A link to what this process has open, where that is a file. Linux keeps files of users below `/dev/shm`.
    let isOfSystem =
      ["/dev/", "/proc/"].contains { path.utf8.starts(with: $0.utf8) }
      && !path.utf8.starts(with: "/dev/shm/".utf8)
    return isOfSystem && linkTarget(of: path) != nil
  }

  /// Where the path is this process's own output, which goes on behind what is written here, also into a file.
  private var ownDescriptor: Int32? {
    switch path {
    case "/dev/stdout": STDOUT_FILENO
    case "/dev/stderr": STDERR_FILENO
    default: nil
    }
  }

  /// Finds out whether it can be written, as far as that is known before: a folder of this name, one that is missing, permissions.
  ///
  /// - Throws: `OutputError` where it cannot.
  package func checkPlace() throws(OutputError) {
    if ownDescriptor != nil { return }
    guard !isStream else {
      guard access(path, W_OK) == 0 else { throw OutputError(path: path) }
      return
    }
    let place = try followed()
    let folder = split(place).folder
    var status = stat()
    if stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      errno = EISDIR
      throw OutputError(path: path)
    }
    guard stat(folder, &status) == 0 else { throw OutputError(path: path) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      errno = ENOTDIR
      throw OutputError(path: path)
    }
    // A file is replaced: what counts are the permissions of its folder.
    guard access(folder, W_OK | X_OK) == 0 else { throw OutputError(path: path) }
  }

  /// Writes the text, whole or not at all where it is a file.
  package func write(_ text: String) throws(OutputError) {
    guard isStream else {
      let place = try followed()
      let (folder, name) = split(place)
      // A disk that is not mounted is where a link leads to, and no folder to be made.
      var status = stat()
      if place != path, stat(folder, &status) != 0 { throw OutputError(path: path) }
      return try OutputFolder(folder).replace(GeneratedFile(name: name, text: text))
    }
    if let ownDescriptor {
      return try writeAll(Array(text.utf8), to: ownDescriptor, path: path)
    }
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutputError(path: path) }
    defer { close(descriptor) }
    try writeAll(Array(text.utf8), to: descriptor, path: path)
  }

  /// Where the file stands that links lead to; it may not be there yet.
  private func followed() throws(OutputError) -> String {
    var place = path
    for _ in 0..<Self.maximumLinks {
      guard let target = linkTarget(of: place) else { return place }
      place = target.utf8.first == UInt8(ascii: "/") ? target : split(place).folder + "/" + target
    }
    errno = ELOOP
    throw OutputError(path: path)
  }

  private func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[path.utf8.index(after: slash)...])
    return (slash == path.utf8.startIndex ? "/" : String(path[..<slash]), name)
  }

  private func linkTarget(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// Writes all of the bytes, however often the system interrupts.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(OutputError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written < 0 {
      if errno == EINTR { continue }
      throw OutputError(path: path)
    }
    rest = rest.dropFirst(written)
  }
}
