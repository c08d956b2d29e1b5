#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder that generated files are written to. Files that are up to date are left untouched, so that nothing that
/// depends on them is built again.
package struct OutputFolder {
  package let path: String

  package init(_ path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Where a file of this name stands.
  package func path(of name: String) -> String { path + "/" + name }

  /// The files whose content differs from what stands in the folder, or that are missing there.
  package func outdated(_ files: [GeneratedFile]) -> [GeneratedFile] {
    files.filter { read(path(of: $0.name), expecting: $0.text.utf8.count) != Array($0.text.utf8) }
  }

  /// Writes the files that are not up to date, and says which.
  ///
  /// A file is replaced as a whole: who reads it meanwhile sees the old or the new text.
  @discardableResult
  package func write(_ files: [GeneratedFile]) throws(OutputError) -> [GeneratedFile] {
    try create(path)
    let outdated = outdated(files)
    for file in outdated { try write(file) }
    return outdated
  }

  /// Writes a file, also when it has this text already.
  package func replace(_ file: GeneratedFile) throws(OutputError) {
    try create(path)
    try write(file)
  }

  private func write(_ file: GeneratedFile) throws(OutputError) {
    let target = path(of: file.name)
    let temporary = path + "/." + file.name + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw OutputError(path: target) }
    do {
      try writeAll(Array(file.text.utf8), to: descriptor, path: target)
    } catch {
      close(descriptor)
      unlink(temporary)
      throw error
    }
    // A group that could write the old file can write the new one. Last, so that what a kill leaves can be written over.
    var replaced = stat()
    if stat(target, &replaced) == 0 { fchmod(descriptor, replaced.st_mode & 0o777) }
    guard close(descriptor) == 0, rename(temporary, target) == 0 else {
      let error = OutputError(path: target)
      unlink(temporary)
      throw error
    }
  }

  /// The content of a file, or nil where there is none of this length.
  private func read(_ path: String, expecting count: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      Int(status.st_size) == count
    else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let piece = [UInt8](unsafeUninitializedCapacity: count - bytes.count) { buffer, length in
        length = max(0, systemRead(descriptor, buffer.baseAddress, buffer.count))
      }
      guard !piece.isEmpty else { return nil }
      bytes += piece
    }
    return bytes
  }

  /// Creates the folder, and those above it, where they are missing.
  private func create(_ folder: String) throws(OutputError) {
    if mkdir(folder, 0o755) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else {
      throw OutputError(path: folder)
    }
    try create(String(folder[..<slash]))
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw OutputError(path: folder) }
  }
}

/// A file or folder that cannot be written, or removed.
package struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
  package let path: String
  private let deed: String
  /// The operating system's own words.
  package let cause: String

  /// Takes the cause from `errno`.
  init(path: String, is deed: String = "written") {
    self.path = path
    self.deed = deed
    cause = String(cString: strerror(errno))
  }

  package var description: String { "'\(path)' cannot be \(deed): \(cause)" }
}

/// `read(2)`, which the folder's own function hides.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int)
  -> Int
{
  read(descriptor, buffer, count)
}
