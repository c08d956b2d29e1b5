import StrataSchema

/// How paths were given that commands spell otherwise: `file:a.db`, with which they work as `./file:a.db`.
struct GivenPaths {
  /// By the spelling that commands work with.
  private var paths: [PathKey: String] = [:]
  /// The lengths of these spellings, the longest first: of thousands of names there are few.
  private(set) var lengths: [Int] = []

  /// How each path begins that is spelled otherwise.
  private static let beginnings = ["./file:", "./:memory:"].map { Array($0.utf8) }

  var isEmpty: Bool { paths.isEmpty }

  /// Whether a part of a path might be taken for another path.
  static func isInQuestion(_ path: String) -> Bool {
    let bytes = Array(path.utf8)
    return bytes.indices.contains { begins(bytes[$0...]) }
  }

  private static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == UInt8(ascii: ".") && beginnings.contains { bytes.starts(with: $0) }
  }

  /// - Parameter plain: how commands spell it. A path that was given in that spelling, too, keeps it.
  mutating func add(_ path: String, spelled plain: String) {
    let key = PathKey(plain)
    guard let known = paths[key] else {
      paths[key] = path
      let length = plain.utf8.count
      let place = lengths.firstIndex { $0 <= length } ?? lengths.endIndex
      if place == lengths.endIndex || lengths[place] != length {
        lengths.insert(length, at: place)
      }
      return
    }
    if PathKey(known) != key { paths[key] = path }
  }

  /// A path, or a sentence in which paths stand, as they were given.
  func asGiven(_ text: String) -> String {
    guard !isEmpty else { return text }
    if let path = paths[PathKey(text)] { return path }
    return Self.replacingPaths(in: Array(text.utf8)) { bytes, position in
      Self.isBoundary(bytes[..<position]) && Self.begins(bytes[position...])
        ? longest(in: bytes[position...]) : nil
    }
  }

  /// A text with other spellings of the paths in it.
  ///
  /// - Parameter path: the spelling of a path that begins at a position, and how many bytes the path takes; nil where none does.
  static func replacingPaths(
    in text: [UInt8],
    by path: (_ text: [UInt8], _ position: Int) -> (path: String, length: Int)?
  ) -> String {
    var result: [UInt8] = []
    var position = 0
    while position < text.count {
      if let (path, length) = path(text, position) {
        result += path.utf8
        position += length
      } else {
        result.append(text[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The same of every text of an answer.
  func asGiven(_ json: JSON) -> JSON {
    switch json {
    case .string(let text): .string(asGiven(text))
    case .array(let elements): .array(elements.map { asGiven($0) })
    case .object(let members): .object(members.mapValues { asGiven($0) })
    default: json
    }
  }

  /// The longest path that a text begins with: what an upgrade has beside a file is called as the file is, with more behind it.
  private func longest(in text: ArraySlice<UInt8>) -> (path: String, length: Int)? {
    for length in lengths where length <= text.count {
      if let path = paths[PathKey(text.prefix(length))] { return (path, length) }
    }
    return nil
  }

  /// Whether a path may begin behind a text: `../file:a.db` and `a./file:a.db` are other ones.
  static func isBoundary(_ text: ArraySlice<UInt8>) -> Bool {
    guard let last = text.last else { return true }
    return separators.contains(last) || quotes.contains { text.suffix($0.count).elementsEqual($0) }
  }

  private static let separators = Set(" \t\n\"'`([{<=,;:|".utf8)
  private static let quotes = ["\u{201C}", "\u{2018}", "\u{AB}"].map { Array($0.utf8) }
}
