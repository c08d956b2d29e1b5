import StrataSource

/// A comment of a YAML text: libyaml leaves them out, so that they are looked for between its scalars.
struct YAMLComment {
  /// From the `#` to the end of the line, white space at its end left out.
  var range: Range<Int>
  /// Whether nothing but white space stands before it on its line.
  var isAlone: Bool
  /// From 0, in bytes.
  var column: Int

  /// All comments of a document, in order.
  static func all(of document: YAMLDocument) -> [YAMLComment] {
    guard document.file.bytes.contains(UInt8(ascii: "#")) else { return [] }
    var scalars: [Range<Int>] = []
    if let root = document.root { collect(root, document.file.bytes, into: &scalars) }
    let bytes = document.file.bytes
    var comments: [YAMLComment] = []
    var position = document.file.byteOrderMarkLength
    for scalar in scalars + [bytes.count..<bytes.count] {
      while position < scalar.lowerBound {
        guard bytes[position] == UInt8(ascii: "#"), isCommentStart(position, in: document.file)
        else {
          position += 1
          continue
        }
        let comment = comment(at: position, in: bytes)
        comments.append(comment)
        position = comment.range.upperBound
      }
      position = max(position, scalar.upperBound)
    }
    return comments
  }

  private static func collect(
    _ node: YAMLNode, _ bytes: [UInt8], into scalars: inout [Range<Int>]
  ) {
    switch node.content {
    case .scalar(let scalar) where scalar.style == .block:
      // Between `|` and the first line of the text a comment may stand.
      let header = rangeOfHeader(node.range, bytes)
      scalars.append(header.lowerBound..<header.lowerBound)
      scalars.append(header.upperBound..<node.range.upperBound)
    case .scalar, .refused: scalars.append(node.range)
    case .sequence(let elements, _):
      for element in elements { collect(element, bytes, into: &scalars) }
    case .mapping(let entries, _):
      for entry in entries {
        scalars.append(entry.keyRange)
        collect(entry.value, bytes, into: &scalars)
      }
    }
  }

  /// The first line of a block's text: `|`, `>-` or `|2+`, and what stands behind it.
  private static func rangeOfHeader(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
    let end = bytes[range].firstIndex { $0 == 0x0A || $0 == 0x0D }
    return range.lowerBound..<(end ?? range.upperBound)
  }

  private static func isCommentStart(_ position: Int, in file: SourceFile) -> Bool {
    guard position > file.byteOrderMarkLength else { return true }
    let before = file.bytes[position - 1]
    return before == 0x20 || (0x09...0x0D).contains(before)
  }

  private static func comment(at start: Int, in bytes: [UInt8]) -> YAMLComment {
    var end = start
    while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    while bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    var lineStart = start
    var isAlone = true
    while lineStart > 0, bytes[lineStart - 1] != 0x0A, bytes[lineStart - 1] != 0x0D {
      lineStart -= 1
      if bytes[lineStart] != 0x20, bytes[lineStart] != 0x09 { isAlone = false }
    }
    // A byte order mark is no character of its line.
    if lineStart == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]), start == 3 { isAlone = true }
    return YAMLComment(range: start..<end, isAlone: isAlone, column: start - lineStart)
  }
}
