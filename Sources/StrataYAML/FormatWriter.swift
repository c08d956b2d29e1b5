import StrataSource

/// Walks a document and writes it line by line; comments are taken from their list as the walk passes them.
struct FormatWriter {
  let file: SourceFile
  let root: YAMLNode?
  let comments: [YAMLComment]
  var nextComment = 0
  var lines: [String] = []

  init(_ document: YAMLDocument) {
    file = document.file
    root = document.root
    comments = YAMLComment.all(of: document)
  }

  mutating func write() -> [UInt8] {
    if let root {
      switch root.content {
      case .mapping(let entries, _) where !entries.isEmpty: writeMapping(entries, indentation: 0)
      case .sequence(let elements, _) where !elements.isEmpty:
        writeSequence(elements, indentation: 0)
      case .scalar(let scalar) where scalar.isPlain && scalar.text.isEmpty: break
      default:
        writeComments(before: root.range.lowerBound, indentation: 0, isFirst: true)
        writeValue(root, behind: "", indentation: 0)
      }
    }
    writeComments(before: file.bytes.count, indentation: 0, isFirst: lines.isEmpty)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.bytes.count + file.bytes.count / 8)
    for line in lines {
      bytes.append(contentsOf: line.utf8)
      bytes.append(0x0A)
    }
    return bytes
  }

  // MARK: - Collections

  mutating func writeMapping(_ entries: [YAMLEntry], indentation: Int) {
    for (index, entry) in entries.enumerated() {
      writeComments(
        before: entry.keyRange.lowerBound, indentation: indentation, isFirst: index == 0)
      let isRoot = lines.isEmpty
      if index > 0, !isRoot, hasEmptyLine(before: entry.keyRange.lowerBound) { writeEmptyLine() }
      var key = spaces(indentation)
      key += keyText(entry)
      key += ":"
      writeValue(entry.value, behind: key, indentation: indentation)
      writeDanglingComments(behind: entry.value, indentation: indentation)
    }
  }

  mutating func writeSequence(_ elements: [YAMLNode], indentation: Int) {
    for (index, element) in elements.enumerated() {
      let start = firstByte(of: element)
      writeComments(before: start, indentation: indentation, isFirst: index == 0)
      if index > 0, hasEmptyLine(before: start) { writeEmptyLine() }
      let first = lines.count
      switch element.content {
      case .mapping(let entries, false) where !entries.isEmpty:
        writeMapping(entries, indentation: indentation + 2)
      case .sequence(let inner, false) where !inner.isEmpty:
        writeSequence(inner, indentation: indentation + 2)
      case .mapping(let entries, true)
      where !entries.isEmpty && oneLine(element, room(indentation + 2)) == nil:
        writeMapping(entries, indentation: indentation + 2)
      case .sequence(let inner, true)
      where !inner.isEmpty && oneLine(element, room(indentation + 2)) == nil:
        writeSequence(inner, indentation: indentation + 2)
      default:
        writeValue(element, behind: spaces(indentation) + "-", indentation: indentation)
        writeDanglingComments(behind: element, indentation: indentation)
        continue
      }
      // Comments before the first entry, and empty lines between them, stand above the dash.
      if let line = lines[first...].firstIndex(where: {
        !$0.isEmpty && !$0.drop { $0 == " " }.hasPrefix("#")
      }) {
        lines[line] = spaces(indentation) + "- " + lines[line].dropFirst(indentation + 2)
        for above in first..<line {
          lines[above] = String(lines[above].dropFirst(2))
        }
      }
    }
  }

  /// The value of an entry behind its key, or of an element behind its dash.
  mutating func writeValue(_ value: YAMLNode, behind prefix: String, indentation: Int) {
    // What stands between a key and a value below it goes where there is a place for it.
    let gap = prefix.isEmpty ? "" : " "
    switch value.content {
    case .scalar(let scalar):
      writeScalar(scalar, value, behind: prefix, indentation: indentation)
    case .mapping(let entries, let isFlow):
      if entries.isEmpty || isFlow, let text = oneLine(value, room(prefix.unicodeScalars.count + 1))
      {
        lines.append(prefix + gap + text + trailingComment(behind: value.range.upperBound))
      } else {
        lines.append(prefix + keyComment(before: value, isFlow: isFlow))
        writeMapping(entries, indentation: indentation + 2)
      }
    case .sequence(let elements, let isFlow):
      if elements.isEmpty || isFlow,
        let text = oneLine(value, room(prefix.unicodeScalars.count + 1))
      {
        lines.append(prefix + gap + text + trailingComment(behind: value.range.upperBound))
      } else {
        lines.append(prefix + keyComment(before: value, isFlow: isFlow))
        writeSequence(elements, indentation: indentation + 2)
      }
    case .refused: break
    }
  }

  /// A collection on one line; nil where it does not fit, holds a comment, or a scalar of several lines.
  func oneLine(_ node: YAMLNode, _ room: Int) -> String? {
    if holdsComment(node.range) { return nil }
    guard let text = flowText(node), text.unicodeScalars.count <= room else { return nil }
    return text
  }

  func holdsComment(_ range: Range<Int>) -> Bool {
    var (low, high) = (0, comments.count)
    while low < high {
      let middle = (low + high) / 2
      if comments[middle].range.lowerBound < range.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < comments.count && range.contains(comments[low].range.lowerBound)
  }

  func flowText(_ node: YAMLNode) -> String? {
    var text = ""
    return appendFlow(node, to: &text) ? text : nil
  }

  /// False where a scalar of several lines is inside.
  private func appendFlow(_ node: YAMLNode, to text: inout String) -> Bool {
    switch node.content {
    case .scalar(let scalar):
      guard let own = scalar.isNull ? "null" : scalarText(scalar, node) else { return false }
      text += own
    case .sequence(let elements, _):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        guard appendFlow(element, to: &text) else { return false }
      }
      text += "]"
    case .mapping(let entries, _):
      guard !entries.isEmpty else {
        text += "{}"
        return true
      }
      for (index, entry) in entries.enumerated() {
        text += index > 0 ? ", " : "{ "
        text += keyText(entry)
        text += ": "
        guard appendFlow(entry.value, to: &text) else { return false }
      }
      text += " }"
    case .refused: return false
    }
    return true
  }
}
