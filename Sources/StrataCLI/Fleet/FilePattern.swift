import Strata
import StrataSQLite

/// A pattern of paths as shells have it: `*` and `?` within a name, `[a-z]`, and `**` for any folders between.
///
/// Shells expand patterns themselves; one that is quoted, or has a `**` that the shell does not know, arrives as it is.
/// Like a shell's, names that begin with a dot have to be asked for, and `**` does not follow symbolic links to folders. Unlike a
/// shell's, a folder that it cannot enter is told: files in it would stay as they are without a word.
struct FilePattern {
  /// Names that are looked at before a pattern is refused: more than any folder of databases holds, and an end to `/**`.
  static let maximumNames = 10_000_000

  /// The folder that it begins in; empty for the current one.
  let root: String
  private let components: [Component]

  private enum Component {
    case anyFolders
    case name(Wildcard)
  }

  /// Nil for a path that holds no wildcard.
  init?(_ text: String) {
    guard text.utf8.contains(where: { "*?[".utf8.contains($0) }) else { return nil }
    var parts = FilePaths.names(in: text)[...]
    var fixed: [String] = []
    while let part = parts.first, !part.utf8.contains(where: { "*?[".utf8.contains($0) }) {
      fixed.append(part)
      parts = parts.dropFirst()
    }
    let isAbsolute = text.utf8.first == UInt8(ascii: "/")
    root = (isAbsolute ? "/" : "") + fixed.joined(separator: "/")
    components = parts.map { $0 == "**" ? .anyFolders : .name(Wildcard(Array($0.utf8))) }
  }

  /// A folder that a pattern leads into and that is not looked at.
  struct ClosedFolder {
    let path: String
    let problem: MigrationError
  }

  /// Every path that fits, sorted by its bytes, and the folders that are not looked at.
  ///
  /// - Throws: `CommandFailure` where there are more names than the bound.
  func paths(
    _ files: any FileOperations = POSIXFiles()
  ) throws -> (paths: [String], closed: [ClosedFolder]) {
    var walk = Walk(files: files)
    try walk.expand(root, components[...])
    return (
      walk.found.map(\.path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
      walk.closed.map { ClosedFolder(path: $0.key.path, problem: $0.value) }
        .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    )
  }

  private struct Walk {
    let files: any FileOperations
    var found: Set<PathKey> = []
    var closed: [PathKey: MigrationError] = [:]
    var names = 0

    mutating func expand(_ folder: String, _ components: ArraySlice<Component>) throws {
      guard let first = components.first else {
        found.insert(PathKey(folder))
        return
      }
      let rest = components.dropFirst()
      guard !Interruption.isRequested else { return }
      let entries: [String]
      do {
        entries = try files.contents(ofFolder: folder.isEmpty ? "." : folder)
      } catch {
        if !error.isNotFound { noteUnreadable(folder, error) }
        return
      }
      names += entries.count
      guard names <= FilePattern.maximumNames else {
        throw CommandFailure(
          "The pattern looks at more than \(FilePattern.maximumNames) names; name folders.")
      }
      let nameless = namelessFolders(in: folder, entries, first, rest)
      switch first {
      case .anyFolders:
        if !rest.isEmpty { try expand(folder, rest) }
        for name in entries
        where name.utf8.first != UInt8(ascii: ".") && !nameless.contains(name) {
          let path = join(folder, name)
          let kind = kind(of: path, in: folder, followsLinks: false)
          if kind == .folder {
            try expand(path, components)
          } else if rest.isEmpty {
            found.insert(PathKey(path))
          }
        }
      case .name(let pattern):
        for name in entries
        where pattern.matches(Array(name.utf8)) && !nameless.contains(name) {
          let path = join(folder, name)
          if rest.isEmpty {
            found.insert(PathKey(path))
          } else if kind(of: path, in: folder, followsLinks: true) == .folder {
            try expand(path, rest)
          }
        }
      }
    }

    /// What a name in a folder is; nil where that cannot be told.
    private mutating func kind(
      of path: String, in folder: String, followsLinks: Bool
    ) -> FileStatus.Kind? {
      do {
        return try followsLinks ? files.status(of: path)?.kind : files.linkStatus(of: path)?.kind
      } catch {
        // The names of a folder may be readable where nothing may be known of what they name.
        if error.isPermissionDenied {
          noteUnreadable((try? files.linkStatus(of: path)) == nil ? folder : path, error)
        }
        return nil
      }
    }

    private mutating func noteUnreadable(_ folder: String, _ error: FileError) {
      let reason =
        error.isPermissionDenied ? "this user has no permission" : error.reason
      let path = folder.isEmpty ? "." : folder
      closed[PathKey(path)] = MigrationError(
        .fileUnreadable, "The folder \(path) cannot be read: \(reason).")
    }

    /// The names that a folder's content gives to folders without a name of text, which a pattern leads into; each of them is noted.
    private mutating func namelessFolders(
      in folder: String, _ entries: [String], _ first: Component, _ rest: ArraySlice<Component>
    ) -> Set<String> {
      guard entries.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else { return [] }
      let names = (try? files.foldersWithoutText(inFolder: folder.isEmpty ? "." : folder)) ?? []
      var result: Set<String> = []
      for bytes in names {
        switch first {
        case .anyFolders where bytes.first == UInt8(ascii: "."): continue
        case .name(let pattern) where rest.isEmpty || !pattern.matches(bytes): continue
        default: break
        }
        let name = String(decoding: bytes, as: UTF8.self)
        result.insert(name)
        let path = join(folder, name)
        closed[PathKey(path)] = MigrationError(
          .fileMissing,
          "The name of the folder \(path) is not UTF-8 text. Rename it: what it holds cannot be named."
        )
      }
      return result
    }

    private func join(_ folder: String, _ name: String) -> String {
      if folder.isEmpty { return name }
      return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
  }
}

/// A pattern of one name, character by character as a shell has them in UTF-8. A name that is no text is compared byte by byte.
struct Wildcard {
  private typealias Character = UInt32

  private static let star = UInt32(UInt8(ascii: "*"))

  private let bytes: [Character]
  /// Nil for a pattern that is no text.
  private let codePoints: [Character]?

  init(_ pattern: [UInt8]) {
    bytes = pattern.map(UInt32.init)
    codePoints = Self.codePoints(of: pattern)
  }

  func matches(_ name: [UInt8]) -> Bool {
    if let codePoints, let name = Self.codePoints(of: name) {
      return Self.matches(codePoints, name)
    }
    return Self.matches(bytes, name.map(UInt32.init))
  }

  private static func codePoints(of bytes: [UInt8]) -> [Character]? {
    String(validating: bytes, as: UTF8.self).map { $0.unicodeScalars.map(\.value) }
  }

  private static func matches(_ pattern: [Character], _ name: [Character]) -> Bool {
    let dot = UInt32(UInt8(ascii: "."))
    if name.first == dot, pattern.first != dot { return false }
    // Where the newest star stands, and how much of the name it has taken: going back to it alone is enough.
    var newest: (pattern: Int, name: Int)?
    var (at, position) = (0, 0)
    while position < name.count {
      if at < pattern.count, pattern[at] == star {
        newest = (at, position)
        at += 1
      } else if at < pattern.count, let next = step(pattern, at, name[position]) {
        at = next
        position += 1
      } else if let last = newest {
        newest = (last.pattern, last.name + 1)
        at = last.pattern + 1
        position = last.name + 1
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == star }
  }

  /// Where the pattern goes on after one character; nil where that does not fit.
  private static func step(_ pattern: [Character], _ at: Int, _ character: Character) -> Int? {
    switch Unicode.Scalar(pattern[at]) {
    case "?": return at + 1
    case "[":
      let close = UInt32(UInt8(ascii: "]"))
      guard let end = pattern[(at + 1)...].dropFirst().firstIndex(of: close) else {
        return character == pattern[at] ? at + 1 : nil
      }
      return isIn(pattern[(at + 1)..<end], character) ? end + 1 : nil
    default: return character == pattern[at] ? at + 1 : nil
    }
  }

  private static func isIn(_ set: ArraySlice<Character>, _ character: Character) -> Bool {
    var set = set
    var isNegated = false
    if let first = set.first.flatMap(Unicode.Scalar.init), first == "!" || first == "^" {
      isNegated = true
      set = set.dropFirst()
    }
    var isFound = false
    while let low = set.first {
      set = set.dropFirst()
      if set.count >= 2, set.first == UInt32(UInt8(ascii: "-")) {
        let high = set[set.startIndex + 1]
        isFound = isFound || (low <= character && character <= high)
        set = set.dropFirst(2)
      } else {
        isFound = isFound || low == character
      }
    }
    return isFound != isNegated
  }
}
