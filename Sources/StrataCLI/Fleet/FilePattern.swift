import StrataSQLite

/// A pattern of paths as shells have it: `*` and `?` within a name, `[a-z]`, and `**` for any folders between.
///
/// Shells expand patterns themselves; one that is quoted, or has a `**` that the shell does not know, arrives as it is.
/// Like a shell's, names that begin with a dot have to be asked for, and `**` does not follow symbolic links to folders.
struct FilePattern {
  /// Names that are looked at before a pattern is refused: more than any folder of databases holds, and an end to `/**`.
  static let maximumNames = 10_000_000

  private let root: String
  private let components: [Component]

  private enum Component {
    case anyFolders
    case name([UInt8])
  }

  /// Nil for a path that holds no wildcard.
  init?(_ text: String) {
    guard text.utf8.contains(where: { "*?[".utf8.contains($0) }) else { return nil }
    var parts = text.split(separator: "/", omittingEmptySubsequences: true)[...]
    var fixed: [Substring] = []
    while let part = parts.first, !part.utf8.contains(where: { "*?[".utf8.contains($0) }) {
      fixed.append(part)
      parts = parts.dropFirst()
    }
    root = (text.hasPrefix("/") ? "/" : "") + fixed.joined(separator: "/")
    components = parts.map { $0 == "**" ? .anyFolders : .name(Array($0.utf8)) }
  }

  /// Every path that fits, sorted by its bytes.
  ///
  /// - Throws: `CommandFailure` where there are more names than the bound.
  func paths(_ files: any FileOperations = POSIXFiles()) throws -> [String] {
    var walk = Walk(files: files)
    try walk.expand(root, components[...])
    return walk.found.map(\.path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private struct Walk {
    let files: any FileOperations
    var found: Set<PathKey> = []
    var names = 0

    mutating func expand(_ folder: String, _ components: ArraySlice<Component>) throws {
      guard let first = components.first else {
        found.insert(PathKey(folder))
        return
      }
      let rest = components.dropFirst()
      guard !Interruption.isRequested else { return }
      // Folders that may not be read hold nothing for us; a shell says as little.
      let entries = (try? files.contents(ofFolder: folder.isEmpty ? "." : folder)) ?? []
      names += entries.count
      guard names <= FilePattern.maximumNames else {
        throw CommandFailure(
          "The pattern looks at more than \(FilePattern.maximumNames) names; name folders.")
      }
      switch first {
      case .anyFolders:
        if !rest.isEmpty { try expand(folder, rest) }
        for name in entries where !name.hasPrefix(".") {
          let path = join(folder, name)
          let kind = (try? files.linkStatus(of: path))?.kind
          if kind == .folder {
            try expand(path, components)
          } else if rest.isEmpty {
            found.insert(PathKey(path))
          }
        }
      case .name(let pattern):
        for name in entries where Wildcard.matches(pattern, Array(name.utf8)) {
          let path = join(folder, name)
          if rest.isEmpty {
            found.insert(PathKey(path))
          } else if (try? files.status(of: path))?.kind == .folder {
            try expand(path, rest)
          }
        }
      }
    }

    private func join(_ folder: String, _ name: String) -> String {
      if folder.isEmpty { return name }
      return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
  }
}

/// One name against one pattern.
enum Wildcard {
  static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
    if name.first == UInt8(ascii: "."), pattern.first != UInt8(ascii: ".") { return false }
    // Where the newest star stands, and how much of the name it has taken: going back to it alone is enough.
    var star: (pattern: Int, name: Int)?
    var (at, position) = (0, 0)
    while position < name.count {
      if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
        star = (at, position)
        at += 1
      } else if at < pattern.count, let next = step(pattern, at, name[position]) {
        at = next
        position += 1
      } else if let last = star {
        star = (last.pattern, last.name + 1)
        at = last.pattern + 1
        position = last.name + 1
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  /// Where the pattern goes on after one byte; nil where the byte does not fit.
  private static func step(_ pattern: [UInt8], _ at: Int, _ byte: UInt8) -> Int? {
    switch pattern[at] {
    case UInt8(ascii: "?"): return at + 1
    case UInt8(ascii: "["):
      guard let end = pattern[(at + 1)...].dropFirst().firstIndex(of: UInt8(ascii: "]")) else {
        return byte == pattern[at] ? at + 1 : nil
      }
      return isIn(pattern[(at + 1)..<end], byte) ? end + 1 : nil
    default: return byte == pattern[at] ? at + 1 : nil
    }
  }

  private static func isIn(_ set: ArraySlice<UInt8>, _ byte: UInt8) -> Bool {
    var set = set
    var isNegated = false
    if set.first == UInt8(ascii: "!") || set.first == UInt8(ascii: "^") {
      isNegated = true
      set = set.dropFirst()
    }
    var isFound = false
    while let low = set.first {
      set = set.dropFirst()
      if set.count >= 2, set.first == UInt8(ascii: "-") {
        let high = set[set.startIndex + 1]
        isFound = isFound || (low <= byte && byte <= high)
        set = set.dropFirst(2)
      } else {
        isFound = isFound || low == byte
      }
    }
    return isFound != isNegated
  }
}
