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
  /// As the user gave it.
  let path: String
  /// The same with a name, beside which another folder can stand.
  private var place: String
  /// Whether the command, and the shell that has started it, are in the folder.
  private var isCurrent = false

  /// - Throws: `CommandFailure` where the folder holds something already.
  init(path: String) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    place = path
    let files = POSIXFiles()
    guard let status = try files.linkStatus(of: path) else { return }
    guard status.kind == .folder else {
      throw CommandFailure("\(path) is there already and is no folder. Nothing was written.")
    }
    guard try files.contents(ofFolder: path).isEmpty else {
      throw CommandFailure(
        "\(path) is not empty. Name a new folder with --output; nothing was written.")
    }
    guard let real = try? files.realPath(of: path) else { return }
    if [".", ".."].contains(path.nameOfPath) { place = real }
    isCurrent = (try? files.realPath(of: ".")) == real
  }

  /// Writes everything into a folder beside it, which then takes its name; the content alone moves into the current folder.
  ///
  /// - Parameters:
  ///   - data: brings the objects into files of the folder.
  ///   - last: what else has to succeed, with the folder as it will be. Where it throws there is no folder: one that is there would be
  ///     taken for that of an earlier run.
  /// - Returns: what `data` returns.
  @discardableResult
  func write(
    _ project: AdoptedProject, data: (_ folder: String) throws -> AdoptedData? = { _ in nil },
    last: (_ folder: String) throws -> Void = { _ in }
  ) throws -> AdoptedData? {
    let filling = FillingFolder(beside: place)
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
      guard symlink("../schemas/versions", "\(temporary)/migrations/versions") == 0 else {
        throw failure()
      }
      try last(temporary)
      if isCurrent {
        try moveContent(of: temporary)
        filling.remove()
      } else if rename(temporary, place) != 0 {
        throw failure()
      }
      return brought
    } catch {
      filling.remove()
      throw error
    }
  }

  /// A folder that takes the place of the current one would leave the shell in one that is gone.
  private func moveContent(of temporary: String) throws {
    let report = "ADOPTED.md"
    // The report last, because a folder that has it is taken for that of an earlier run.
    let names = try POSIXFiles().contents(ofFolder: temporary).filter { $0 != report } + [report]
    for (index, name) in names.enumerated() {
      guard rename("\(temporary)/\(name)", "\(place)/\(name)") != 0 else { continue }
      let failure = failure()
      for name in names[..<index] { _ = rename("\(place)/\(name)", "\(temporary)/\(name)") }
      throw failure
    }
  }

  /// The system's last error.
  private func failure() -> CommandFailure {
    CommandFailure("\(path) cannot be written: \(String(cString: strerror(errno))).")
  }
}
