#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension OutputFolder {
  /// Files in the folder that were generated from the same schema, or history, as these and are not among them: of a model
  /// that was removed or renamed. Sorted by name.
  package func obsolete(besides files: [GeneratedFile]) -> [String] {
    let names = Set(files.map(\.name))
    let origins = Set(files.compactMap { GeneratedHeader.origin(of: Array($0.text.utf8)) })
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var obsolete: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
      }
      guard let name, name.hasSuffix(ModelsGenerator.fileSuffix), !name.hasPrefix("."),
        !names.contains(name),
        let origin = GeneratedHeader.origin(of: start(of: path(of: name))),
        origins.contains(origin)
      else { continue }
      obsolete.append(name)
    }
    return obsolete.sorted()
  }

  /// Removes what is obsolete, and says which files that were.
  ///
  /// - Throws: `OutputError` for the first that cannot be removed.
  @discardableResult
  package func removeObsolete(besides files: [GeneratedFile]) throws(OutputError) -> [String] {
    let names = obsolete(besides: files)
    for name in names { try remove(name) }
    return names
  }

  /// Removes a file of the folder, which may be gone already.
  package func remove(_ name: String) throws(OutputError) {
    let path = path(of: name)
    guard unlink(path) == 0 || errno == ENOENT else { throw OutputError(path: path, is: "removed") }
  }

  /// Those of the files that stand in the folder already and were written by hand: writing them would lose a text that is
  /// nowhere else. An empty file holds nothing that could be lost.
  package func handwritten(among files: [GeneratedFile]) -> [GeneratedFile] {
    files.filter { file in
      let path = path(of: file.name)
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
      else { return false }
      return !GeneratedHeader.isIn(start(of: path))
    }
  }

  /// Enough of a file for its header.
  private func start(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: GeneratedHeader.maximumBytes) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
  }
}
