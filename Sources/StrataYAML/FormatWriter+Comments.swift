import StrataSource

// Comments and empty lines.
extension FormatWriter {
  /// Comments that stand before a byte and were not written yet, on lines of their own.
  mutating func writeComments(before offset: Int, indentation: Int, isFirst: Bool) {
    var isFirst = isFirst
    while nextComment < comments.count, comments[nextComment].range.lowerBound < offset {
      let comment = comments[nextComment]
      nextComment += 1
      if !isFirst || (indentation == 0 && !lines.isEmpty), comment.isAlone,
        hasEmptyLine(before: comment.range.lowerBound)
      {
        writeEmptyLine()
      }
      lines.append(spaces(indentation) + file.text(in: comment.range))
      isFirst = false
    }
    // An empty line between the comments at the top and what follows is meant.
    if isFirst == false, indentation == 0, offset < file.bytes.count,
      hasEmptyLine(before: offset), lines.last?.hasPrefix("#") == true
    {
      writeEmptyLine()
    }
  }

  /// Comments on lines of their own behind a value that are indented deeper than the entry that holds
  /// it: they belong to it, not to what follows.
  mutating func writeDanglingComments(behind value: YAMLNode, indentation: Int) {
    guard indentation >= 0, !isFlowOrScalar(value) else { return }
    let column = columnOfEntries(value)
    let end = value.range.upperBound
    while nextComment < comments.count {
      let comment = comments[nextComment]
      guard comment.isAlone, comment.range.lowerBound >= end, comment.column >= column, column > 0,
        isNext(comment, behind: end)
      else { return }
      nextComment += 1
      if hasEmptyLine(before: comment.range.lowerBound) { writeEmptyLine() }
      lines.append(spaces(indentation + 2) + file.text(in: comment.range))
    }
  }

  /// Whether only white space and comments stand between an offset and the comment.
  func isNext(_ comment: YAMLComment, behind end: Int) -> Bool {
    var position = end
    while position < comment.range.lowerBound {
      let byte = file.bytes[position]
      if byte == UInt8(ascii: "#") {
        while position < file.bytes.count, file.bytes[position] != 0x0A { position += 1 }
      } else if byte == 0x20 || (0x09...0x0D).contains(byte) {
        position += 1
      } else {
        return false
      }
    }
    return true
  }

  func isFlowOrScalar(_ node: YAMLNode) -> Bool {
    switch node.content {
    case .mapping(let entries, let isFlow): isFlow || entries.isEmpty
    case .sequence(let elements, let isFlow): isFlow || elements.isEmpty
    default: true
    }
  }

  /// Where the entries of a block begin on their lines, in bytes from 0.
  func columnOfEntries(_ node: YAMLNode) -> Int {
    let start = node.range.lowerBound
    var lineStart = start
    while lineStart > 0, file.bytes[lineStart - 1] != 0x0A, file.bytes[lineStart - 1] != 0x0D {
      lineStart -= 1
    }
    return start - lineStart
  }

  /// The comment on the line of a key whose value follows below it; other comments before the value wait.
  mutating func keyComment(before value: YAMLNode, isFlow: Bool) -> String {
    // Behind a bracket that is not written any more there may be one, too.
    if isFlow,
      comments.dropFirst(nextComment).first.map({ !value.range.contains($0.range.lowerBound) })
        ?? false
    {
      return trailingComment(behind: value.range.upperBound)
    }
    guard nextComment < comments.count else { return "" }
    let comment = comments[nextComment]
    guard !comment.isAlone, comment.range.lowerBound < firstByte(of: value) || isFlow,
      !isFlow || comment.range.lowerBound < firstChild(of: value)
    else { return "" }
    nextComment += 1
    return "  " + file.text(in: comment.range)
  }

  /// The comment on the same line behind an offset.
  mutating func trailingComment(behind end: Int) -> String {
    guard nextComment < comments.count else { return "" }
    let comment = comments[nextComment]
    guard comment.range.lowerBound >= end, !comment.isAlone,
      !file.bytes[end..<comment.range.lowerBound].contains(where: { $0 == 0x0A || $0 == 0x0D }),
      file.bytes[end..<comment.range.lowerBound].allSatisfy({ isSeparator($0) })
    else { return "" }
    nextComment += 1
    return "  " + file.text(in: comment.range)
  }

  func isSeparator(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":")
  }

  /// The first byte of a node, a dash or a bracket included.
  func firstByte(of node: YAMLNode) -> Int { node.range.lowerBound }

  /// The first byte of what stands in brackets.
  func firstChild(of node: YAMLNode) -> Int {
    switch node.content {
    case .mapping(let entries, _): entries.first?.keyRange.lowerBound ?? node.range.upperBound
    case .sequence(let elements, _): elements.first?.range.lowerBound ?? node.range.upperBound
    default: node.range.upperBound
    }
  }

  /// Whether the line before the one with this offset is empty.
  func hasEmptyLine(before offset: Int) -> Bool {
    var position = offset
    var breaks = 0
    while position > 0 {
      let byte = file.bytes[position - 1]
      if byte == 0x0A || byte == 0x0D {
        breaks += 1
        if byte == 0x0A, position > 1, file.bytes[position - 2] == 0x0D { position -= 1 }
        if breaks == 2 { return true }
      } else if byte != 0x20, byte != 0x09, byte != UInt8(ascii: "-") || breaks > 0 {
        return false
      }
      position -= 1
    }
    return false
  }

  /// One, unless an empty line stands there: one of white space is the last of a block, of whose text another one might
  /// become a part.
  mutating func writeEmptyLine() {
    if let last = lines.last, last.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) {
      lines.append("")
    }
  }

  func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  func room(_ used: Int) -> Int { YAMLFormatter.lineLength - used }
}
