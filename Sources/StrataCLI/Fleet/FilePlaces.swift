import StrataSQLite

/// Where the upgraded file, or the copy of the old one, of each file goes.
///
/// One file that is named: a path, or a folder that is there, which gets a file of the same name. Many files, and what a pattern finds, however
/// many that are: a folder with the files' places below the folder that they share and that no pattern begins below, or a pattern in
/// which `{}` is the path of the file.
struct FilePlaces {
  private let target: String
  private let kind: Kind
  private let files: any FileOperations

  private enum Kind {
    case file
    case folder(common: Int)
    case pattern
  }

  /// - Parameters:
  ///   - option: `--backup`, for sentences.
  ///   - selected: all files, of all shards: a file's place must not depend on which others are upgraded here.
  init(
    option: String, _ target: String, for selected: [FileSelection.File],
    files: any FileOperations = POSIXFiles()
  ) throws {
    self.target = target
    self.files = files
    let paths = selected.map(\.path)
    // What a pattern finds today may be one file, and two in other folders tomorrow: places are counted from where it begins.
    let roots = selected.compactMap(\.patternRoot)
    let areFound = !roots.isEmpty
    let isFolder = target.hasSuffix("/") || (try? files.status(of: target))??.kind == .folder
    if Self.isPattern(target) {
      kind = .pattern
    } else if paths.count > 1 || areFound || isFolder {
      let inRoots = Set(roots).map { ($0.isEmpty ? "" : $0 + "/") + "any" }
      kind = .folder(
        common: FileSelection.commonFolder(of: (paths + inRoots).map { Self.located($0, files) })
          .count)
      if !isFolder, try files.exists(target) {
        throw CommandFailure(
          "\(option) of \(areFound ? "a pattern" : "several files") names a folder, and \(target) is a file.",
          status: ExitStatus.usage)
      }
    } else {
      kind = .file
    }
    var taken: [PathKey: String] = [:]
    for path in paths {
      let place = place(of: path)
      if let other = taken.updateValue(path, forKey: PathKey(place)) {
        throw CommandFailure(
          "\(option) \(target) puts both \(other) and \(path) into \(place).",
          status: ExitStatus.usage)
      }
    }
  }

  /// Whether places are made of the files' paths, for `{}`.
  static func isPattern(_ target: String) -> Bool { target.utf8Contains("{}") }

  /// The path from the root, through no symbolic link and no `..`, under its own name.
  static func located(_ path: String, _ files: any FileOperations) -> String {
    guard let folder = try? files.realPath(of: FilePaths.folder(of: path)) else {
      return FilePaths.names(in: path).filter { $0 != ".." }.joined(separator: "/")
    }
    return folder + "/" + FilePaths.name(of: path)
  }

  func place(of path: String) -> String {
    switch kind {
    case .file: return target
    case .pattern: return target.replacing("{}", with: path)
    case .folder(let common):
      let parts = FilePaths.names(in: Self.located(path, files)).dropFirst(common)
      let isClosed = target.hasSuffix("/") && target.utf8.count > 1
      return (isClosed ? String(target.dropLast()) : target) + "/" + parts.joined(separator: "/")
    }
  }

  /// Whether `prepare` makes the folders of places; the folder of a file that is named alone has to be there.
  var makesFolders: Bool {
    if case .file = kind { return false }
    return true
  }

  /// Makes the folders that lead to a file's place.
  ///
  /// - Parameter made: gets the folders that were not there, those above first.
  func prepare(_ place: String, made: inout [String]) throws {
    guard makesFolders else { return }
    let folder = FilePaths.folder(of: place)
    guard try !files.exists(folder) else { return }
    try prepare(folder, made: &made)
    do {
      try files.createFolder(folder, permissions: 0o777)
      made.append(folder)
    } catch {
      // Another shard may have made it at the same moment.
      guard try files.exists(folder) else { throw error }
    }
  }
}

extension String {
  fileprivate func utf8Contains(_ text: String) -> Bool {
    replacing(text, with: "").utf8.count != utf8.count
  }

  fileprivate func replacing(_ text: String, with other: String) -> String {
    let (bytes, wanted) = (Array(utf8), Array(text.utf8))
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      if bytes[position...].starts(with: wanted) {
        result += other.utf8
        position += wanted.count
      } else {
        result.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
