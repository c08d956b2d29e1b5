import StrataAdopt
import StrataCodegen
import StrataSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder that an adopted history is written to: all of it, or nothing.
struct AdoptedFolder {
  let path: String

  /// - Throws: `CommandFailure` where the folder holds something already.
  init(path: String) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    let files = POSIXFiles()
    guard let status = try files.linkStatus(of: path) else { return }
    guard status.kind == .folder else {
      throw CommandFailure("\(path) is there already and is no folder. Nothing was written.")
    }
    guard try files.contents(ofFolder: path).isEmpty else {
      throw CommandFailure(
        "\(path) is not empty. Name a new folder with --output; nothing was written.")
    }
  }

  /// Writes everything into a folder beside it, which then takes its name.
  ///
  /// - Parameter data: brings the objects into files of the folder.
  /// - Returns: what `data` returns.
  @discardableResult
  func write(
    _ project: AdoptedProject, data: (_ folder: String) throws -> AdoptedData? = { _ in nil }
  ) throws -> AdoptedData? {
    let filling = FillingFolder(beside: path)
    let temporary = filling.path
    do {
      try OutputFolder(temporary).write([])
      let brought = try data(temporary)
      let report = project.report(brought)
      for file in project.files + [("ADOPTED.md", report)] {
        let target = "\(temporary)/\(file.path)"
        try OutputFolder(target.folderOfPath).write([
          GeneratedFile(name: target.nameOfPath, text: file.text)
        ])
      }
      try OutputFolder("\(temporary)/migrations").write([])
      guard symlink("../schemas/versions", "\(temporary)/migrations/versions") == 0,
        rename(temporary, path) == 0
      else {
        throw CommandFailure("\(path) cannot be written: \(String(cString: strerror(errno))).")
      }
      return brought
    } catch {
      filling.remove()
      throw error
    }
  }
}
