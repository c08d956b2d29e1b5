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
    let header = file.bytes[node.range].prefix { "|>+-0123456789".utf8.contains($0) }
    let comment = trailingComment(behind: header.endIndex)
    let start = prefix.isEmpty ? "" : prefix + " "
    // By bytes: a space with an accent on it is a space.
    let text = Array(scalar.text.utf8)
    // Without a word the text is written out instead. So it is with U+2028 and U+2029, because they end a line in YAML 1.1, and to
    // libyaml, and want indentation behind them, which YAML 1.2 would read as a part of the text: only in quotes it is one text.
    guard let first = text.first(where: { $0 != 0x0A }),
      let last = text.lastIndex(where: { $0 != 0x0A }),
      !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A }),
      !scalar.text.unicodeScalars.contains(where: { $0 == "\u{2028}" || $0 == "\u{2029}" })
    else {
      lines.append(start + ScalarText.quoted(scalar.text) + comment)
      return
    }
    let folded = header.first == UInt8(ascii: ">") ? foldedLines(text, node) : nil
    let content = folded ?? text[...last].split(separator: 0x0A, omittingEmptySubsequences: false)
    // The text of a file that ends within a block has no line break, and the file gets one.
    let breaks = text.count - 1 - last
    let keepsBreaks = breaks > 1 || header.contains(UInt8(ascii: "+"))
    var head = folded == nil ? "|" : ">"
    // A text that begins with white space needs to say where its lines begin.
    if first == 0x20 || first == 0x09 { head += "2" }
    if breaks == 0 { head += "-" } else if keepsBreaks { head += "+" }
    lines.append(start + head + comment)
    let margin = spaces(indentation + 2)
    for line in content {
      lines.append(line.isEmpty ? "" : margin + String(decoding: line, as: UTF8.self))
    }
    // Empty lines at the end belong to the text.
    for _ in 1..<max(breaks, 1) { lines.append("") }
  }

  /// The lines of a `>` as they were broken, without the white space before all of them; nil where one ends with a
  /// character that ends lines in YAML alone.
  private func foldedLines(_ text: [UInt8], _ node: YAMLNode) -> [ArraySlice<UInt8>]? {
    // White space behind the last word belongs to the text, but not to the node.
    var end = node.range.upperBound
    while end < file.bytes.count, file.bytes[end] == 0x20 || (0x09...0x0D).contains(file.bytes[end])
    {
      end += 1
    }
    let range = node.range.lowerBound..<end
    // U+0085 is the only one that is not in the text.
    guard
      !zip(file.bytes[range], file.bytes[range].dropFirst()).contains(where: { $0 == (0xC2, 0x85) })
    else { return nil }
    let source = sourceBytes(range).dropFirst()
    func indentation(_ line: some Sequence<UInt8>) -> Int { line.prefix { $0 == 0x20 }.count }
    guard let first = source.first(where: { line in line.contains { $0 != 0x20 } }) else {
      return nil
    }
    // What the text itself begins with is not taken away.
    let own = text.prefix { $0 == 0x20 || $0 == 0x0A }.reversed().prefix { $0 == 0x20 }.count
    let margin = max(indentation(first) - own, 0)
    var lines = source.map { $0.dropFirst(min(margin, indentation($0))) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  func sourceLines(_ range: Range<Int>) -> [String] {
    sourceBytes(range).map { String(decoding: $0, as: UTF8.self) }
  }

  private func sourceBytes(_ range: Range<Int>) -> [[UInt8]] {
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
    return lines
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
