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

  private func isBeginning(_ before: ArraySlice<UInt8>) -> Bool {
    before.last.map { " \n(“'\"`".utf8.contains($0) } ?? true
  }

  /// A full stop may begin an ending, `.old`.
  private func isEnd(_ after: ArraySlice<UInt8>) -> Bool {
    let rest = after.drop { ".,:;)”'\"`".utf8.contains($0) }
    return rest.first.map { " \n".utf8.contains($0) } ?? true
  }
}
