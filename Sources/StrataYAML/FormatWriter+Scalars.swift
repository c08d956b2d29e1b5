import StrataSource

extension FormatWriter {
  func keyText(_ entry: YAMLEntry) -> String {
    let first = file.bytes[entry.keyRange].first
    guard first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") else { return entry.key }
    return ScalarText.quoted(entry.key)
  }

  /// A scalar of one line; nil for others.
  func scalarText(_ scalar: YAMLScalar, _ node: YAMLNode) -> String? {
    switch scalar.style {
    case .block: return nil
    case .plain: return isOneLine(node.range) ? scalar.text : nil
    case .singleQuoted, .doubleQuoted:
      return isOneLine(node.range) ? ScalarText.quoted(scalar.text) : nil
    }
  }

  mutating func writeScalar(
    _ scalar: YAMLScalar, _ node: YAMLNode, behind prefix: String, indentation: Int
  ) {
    if scalar.text.isEmpty, scalar.isPlain {
      lines.append(prefix + trailingComment(behind: node.range.upperBound))
      return
    }
    let gap = prefix.isEmpty ? "" : " "
    if let text = scalarText(scalar, node) {
      var line = prefix
      line.reserveCapacity(prefix.utf8.count + 1 + text.utf8.count)
      line += gap
      line += text
      line += trailingComment(behind: node.range.upperBound)
      lines.append(line)
      return
    }
    if scalar.style == .block {
      writeBlock(scalar, node, behind: prefix, indentation: indentation)
      return
    }
    // Folded over several lines: the lines stay, their indentation does not count.
    let raw = sourceLines(node.range).map(trimmed)
    lines.append(prefix + gap + raw[0])
    for line in raw.dropFirst() { lines.append(line.isEmpty ? "" : spaces(indentation + 2) + line) }
    if let last = lines.popLast() {
      lines.append(last + trailingComment(behind: node.range.upperBound))
    }
  }

  /// `|` or `>` with its lines moved to their new indentation.
  mutating func writeBlock(
    _ scalar: YAMLScalar, _ node: YAMLNode, behind prefix: String, indentation: Int
  ) {
    let raw = sourceLines(node.range)
    let header = raw[0].prefix { $0 == "|" || $0 == ">" || $0 == "+" || $0 == "-" || $0.isNumber }
    let content = raw.dropFirst()
    let margin = content.first { !$0.allSatisfy { $0 == " " } }?.prefix { $0 == " " }.count
    // With its indentation as a number, or without lines, the text is written out instead.
    let comment = trailingComment(behind: node.range.lowerBound + header.utf8.count)
    guard let margin, !header.contains(where: \.isNumber) else {
      lines.append(
        prefix + (prefix.isEmpty ? "" : " ") + ScalarText.quoted(scalar.text) + comment)
      return
    }
    lines.append(prefix + (prefix.isEmpty ? "" : " ") + header + comment)
    for line in content {
      let text = line.dropFirst(min(margin, line.prefix { $0 == " " }.count))
      lines.append(text.isEmpty ? "" : spaces(indentation + 2) + text)
    }
    if header.contains("+") {
      // Empty lines at the end belong to the text.
      let count = scalar.text.reversed().prefix { $0 == "\n" }.count
      for _ in 1..<max(count, 1) { lines.append("") }
    }
  }

  func sourceLines(_ range: Range<Int>) -> [String] {
    var lines: [[UInt8]] = [[]]
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = file.bytes[index]
      index += 1
      if byte == 0x0A || byte == 0x0D {
        if byte == 0x0D, index < range.upperBound, file.bytes[index] == 0x0A { index += 1 }
        lines.append([])
      } else {
        lines[lines.count - 1].append(byte)
      }
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  func trimmed(_ line: String) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let bytes = Array(line.utf8)
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.count
    let end = (bytes.lastIndex { !isSpace($0) } ?? start - 1) + 1
    return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }

  func isOneLine(_ range: Range<Int>) -> Bool {
    !file.bytes[range].contains { $0 == 0x0A || $0 == 0x0D }
  }
}
