import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension OutputFolder {
  /// Files in the folder that were generated from the same schema, or history, as these and are not among them: of a model
  /// that was removed or renamed, and of the schema's former name. Sorted by name.
  ///
  /// To be asked before these are written over what tells of the former name.
  package func obsolete(besides files: [GeneratedFile]) -> [String] {
    let names = Set(files.map(\.name))
    let origins = Set(files.compactMap { GeneratedHeader.origin(of: Array($0.text.utf8)) })
    let written = Set(files.compactMap { identity(of: $0.name) })
    // Where the disk takes `person` and `Person` for one name, it is a file that is among them.
    let there = generated().filter { file in
      names.contains(file.name) || !(identity(of: file.name).map(written.contains) ?? false)
    }
    let obsolete = there.filter { origins.contains($0.origin) && !names.contains($0.name) }
    return (obsolete.map(\.name) + ofFormerName(there, names, origins)).sorted()
  }

  private struct Identity: Hashable {
    let device: UInt64
    let number: UInt64
  }

  /// Which file stands under a name; nil where none does.
  private func identity(of name: String) -> Identity? {
    var status = stat()
    guard stat(path(of: name), &status) == 0 else { return nil }
    return Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// The generated files of the folder, with what each was generated from.
  private func generated() -> [(name: String, origin: String)] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var files: [(name: String, origin: String)] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
      }
      guard let name, name.hasSuffix(ModelsGenerator.fileSuffix), !name.hasPrefix("."),
        let origin = GeneratedHeader.origin(of: start(of: path(of: name)))
      else { continue }
      files.append((name, origin))
    }
    return files
  }

  /// The file with the type of a schema in whose place another one comes, as when it gets another name: all other files of that schema
  /// are to be written over. Where the new one has files already, or the old one has others, two schemas share the folder.
  private func ofFormerName(
    _ there: [(name: String, origin: String)], _ names: Set<String>, _ origins: Set<String>
  ) -> [String] {
    let ofSchemas = there.filter { GeneratedHeader.schemaName(of: $0.origin) != nil }
    if ofSchemas.contains(where: { origins.contains($0.origin) }) { return [] }
    let former = Set(ofSchemas.filter { names.contains($0.name) }.map(\.origin))
    return former.flatMap { origin -> [String] in
      let rest = ofSchemas.filter { $0.origin == origin && !names.contains($0.name) }.map(\.name)
      let name = GeneratedHeader.schemaName(of: origin) ?? ""
      let typeFile = Schema(name: name, version: 0).swiftName + ModelsGenerator.fileSuffix
      return rest == [typeFile] ? rest : []
    }
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
