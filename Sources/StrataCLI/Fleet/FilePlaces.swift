import StrataSQLite

/// Where the upgraded file, or the copy of the old one, of each file goes.
///
/// One file that is named: a path, or a folder that is there, which gets a file of the same name. Many files, and what patterns find, however
/// many that are: a folder with the files' places below the deepest folder that holds all that is named and the beginnings of all patterns, or a
/// pattern in which `{}` is the path of the file.
struct FilePlaces {
  private let target: String
  private let kind: Kind
  private let files: any FileOperations

  private enum Kind {
    case file
    /// - Parameter places: those below the target, by the files' paths.
    case folder(places: [PathKey: String])
    case pattern
  }

  /// - Parameters:
  ///   - option: `--backup`, for sentences.
  ///   - selected: all files, of all shards: a file's place must not depend on which others are upgraded here.
  ///   - patternRoots: the folders that patterns begin in. What they find today may be one file, and two in other folders tomorrow.
  init(
    option: String, _ target: String, for selected: [FileSelection.File], patternRoots: [String],
    files: any FileOperations = POSIXFiles()
  ) throws {
    self.target = target
    self.files = files
    let paths = selected.map(\.path)
    let areFound = !patternRoots.isEmpty
    let isFolder = target.hasSuffix("/") || (try? files.status(of: target))??.kind == .folder
    if Self.isPattern(target) {
      kind = .pattern
    } else if paths.count > 1 || areFound || isFolder {
      kind = .folder(places: Self.places(of: selected, patternRoots, files))
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

  private static func places(
    of selected: [FileSelection.File], _ patternRoots: [String], _ files: any FileOperations
  ) -> [PathKey: String] {
    // A pattern may begin in a folder that is not there today.
    func located(root: String) -> String {
      if let place = try? files.realPath(of: root.isEmpty ? "." : root) { return place }
      let above = FilePaths.folder(of: root)
      return above == root ? root : located(root: above) + "/" + FilePaths.name(of: root)
    }
    /// From the root of all; of what a pattern has found through no link above its beginning, and as it was found below.
    func names(of file: FileSelection.File) -> [String] {
      guard let root = file.patternRoot else {
        return FilePaths.names(in: Self.located(file.path, files))
      }
      return FilePaths.names(in: located(root: root))
        + FilePaths.names(in: file.path).dropFirst(FilePaths.names(in: root).count)
    }
    let named = selected.filter { $0.patternRoot == nil }.map { Self.located($0.path, files) }
    let common = FileSelection.commonFolder(
      of: named + patternRoots.map { located(root: $0) + "/any" })
    return Dictionary(
      selected.map { file in
        (PathKey(file.path), names(of: file).dropFirst(common.count).joined(separator: "/"))
      }, uniquingKeysWith: { first, _ in first })
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
    case .folder(let places):
      let isClosed = target.hasSuffix("/") && target.utf8.count > 1
      let place = places[PathKey(path)] ?? FilePaths.name(of: path)
      return (isClosed ? String(target.dropLast()) : target) + "/" + place
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
