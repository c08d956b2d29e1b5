/// Looks whether a sentence names a file: by its whole path, not by the end or the beginning of another one's.
struct Mention {
  private let path: [UInt8]

  init(of path: String) { self.path = Array(path.utf8) }

  func stands(in sentence: String) -> Bool {
    let bytes = Array(sentence.utf8)
    guard !path.isEmpty, bytes.count >= path.count else { return false }
    return (0...(bytes.count - path.count)).contains { start in
      bytes[start...].starts(with: path) && isBeginning(bytes[..<start])
        && isEnd(bytes[(start + path.count)...])
    }
  }

  /// What may stand before a path and behind it, each as its bytes: of some of them other characters have bytes, too, `À` the last one of “.
  private static let before = bytes(of: " \n(“'\"`")
  private static let behind = bytes(of: ".,:;)”'\"`")
  private static let spaces = bytes(of: " \n")

  private static func bytes(of characters: String) -> [[UInt8]] {
    characters.unicodeScalars.map { Array(String($0).utf8) }
  }

  private func isBeginning(_ before: ArraySlice<UInt8>) -> Bool {
    before.isEmpty
      || Self.before.contains { before.suffix($0.count).elementsEqual($0) }
  }

  /// A full stop may begin an ending, `.old`.
  private func isEnd(_ after: ArraySlice<UInt8>) -> Bool {
    var rest = after
    while let mark = Self.behind.first(where: { rest.starts(with: $0) }) {
      rest = rest.dropFirst(mark.count)
    }
    return rest.isEmpty || Self.spaces.contains { rest.starts(with: $0) }
  }
}
