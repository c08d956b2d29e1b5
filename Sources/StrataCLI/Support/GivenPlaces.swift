import StrataSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How arguments name files that messages name from the root: `a.db`, of which a store says `/home/ada/a.db`.
struct GivenPlaces {
  private struct Name {
    let path: String
    let namesNeighbours: Bool
    /// Whether the argument names a folder in a way to which no name can be added: `out/`, `.` or `..`.
    let isFolder: Bool
  }

  /// A path from the root to the file of an argument.
  struct Place {
    let path: String
    /// Whether what stands beside the file is called as the argument with more behind it. Behind a link to another folder, or of
    /// another name, it is not.
    var namesNeighbours = true
  }

  /// Arguments whose places have not been asked for yet: most commands print no path from the root.
  private var waiting: [String] = []
  /// By the path from the root.
  private var names: [PathKey: Name] = [:]
  /// The lengths of these paths, the longest first.
  private var lengths: [Int] = []

  mutating func add(_ argument: String) { waiting.append(argument) }

  /// A message in which files stand as arguments name them.
  ///
  /// - Parameter places: all spellings of an argument's path from the root.
  mutating func asGiven(
    _ message: String, places: (_ argument: String) -> [Place] = GivenPlaces.places
  ) -> String {
    let bytes = Array(message.utf8)
    guard bytes.indices.contains(where: { Self.beginsPlace(at: $0, of: bytes) }) else {
      return message
    }
    learn(places)
    return GivenPaths.replacingPaths(in: bytes) { bytes, position in
      Self.beginsPlace(at: position, of: bytes) ? longest(in: bytes[position...]) : nil
    }
  }

  private mutating func learn(_ places: (String) -> [Place]) {
    guard !waiting.isEmpty else { return }
    for argument in waiting {
      // A path that was given from the root keeps its spelling, whichever other argument names the file, too.
      if argument.utf8.first == Self.slash {
        names[PathKey(argument)] = Name(path: argument, namesNeighbours: true, isFolder: false)
      }
      let isFolder = Self.endsAsFolder(argument)
      for place in places(argument) where names[PathKey(place.path)] == nil {
        names[PathKey(place.path)] = Name(
          path: argument, namesNeighbours: place.namesNeighbours && !isFolder, isFolder: isFolder)
      }
    }
    waiting = []
    lengths = Set(names.keys.map(\.path.utf8.count)).sorted(by: >)
  }

  private func longest(in text: ArraySlice<UInt8>) -> (path: String, length: Int)? {
    for length in lengths where length <= text.count {
      guard let name = names[PathKey(text.prefix(length))] else { continue }
      let rest = text.dropFirst(length)
      if name.namesNeighbours || Self.endsPath(rest) { return (name.path, length) }
      if name.isFolder, rest.first == Self.slash {
        return (name.path, name.path.utf8.last == Self.slash ? length + 1 : length)
      }
    }
    return nil
  }

  private static func endsAsFolder(_ argument: String) -> Bool {
    let last = argument.utf8.split(separator: slash, omittingEmptySubsequences: false).last
    return ["", ".", ".."].contains { last?.elementsEqual($0.utf8) == true }
  }

  // MARK: - Paths in a text

  private static let slash = UInt8(ascii: "/")
  private static let signs = Set(" \t\n\"'`)]}>,;:|".utf8)
  private static let quotes = ["\u{201D}", "\u{2019}", "\u{BB}"].map { Array($0.utf8) }

  private static func beginsPlace(at position: Int, of bytes: [UInt8]) -> Bool {
    bytes[position] == slash && GivenPaths.isBoundary(bytes[..<position])
  }

  /// Whether a path ends before a text: a full stop is a part of a name where more follows.
  private static func endsPath(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first else { return true }
    if first == UInt8(ascii: ".") {
      return text.dropFirst().first.map { signs.contains($0) } ?? true
    }
    return signs.contains(first) || quotes.contains { text.starts(with: $0) }
  }

  // MARK: - Places

  /// As Foundation spells a path, without `.` and `..`, and as the system does, through links.
  static func places(of argument: String) -> [Place] {
    let spelled = argument.utf8.first == slash ? argument : currentFolder + "/" + argument
    var names: [String] = []
    for name in FilePaths.names(in: spelled) {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    let place = POSIXFiles().place(of: spelled)
    // Of a file that is no link.
    let folder = POSIXFiles().place(of: FilePaths.folder(of: spelled))
    let own = (folder == "/" ? "" : folder) + "/" + FilePaths.name(of: spelled)
    return [
      Place(path: "/" + names.joined(separator: "/")),
      Place(path: place, namesNeighbours: PathKey(place) == PathKey(own)),
    ]
  }

  private static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }
}
