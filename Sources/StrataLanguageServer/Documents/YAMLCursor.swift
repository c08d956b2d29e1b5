import StrataSource

/// Where in the tree of a YAML text a place is, also while the text is being written and is no YAML yet.
struct YAMLCursor {
  /// The keys of the mappings around the place, outermost first; for a value its own key is the last.
  private(set) var keys: [String] = []
  /// Whether a key stands here, or will.
  private(set) var isKey = true
  /// The word before the place, which a completion replaces.
  private(set) var word: Range<Int>
  /// Keys that stand in the same mapping, as far as they come before the place.
  private(set) var siblings: Set<String> = []

  private struct Level {
    var indent: Int
    var key: String
    var siblings: Set<String> = []
  }

  private struct Bracket {
    var isMapping: Bool
    /// The key whose value is being read, and the keys before it.
    var key: String?
    var keys: Set<String> = []
  }

  init(_ bytes: [UInt8], at offset: Int) {
    let offset = min(max(offset, 0), bytes.count)
    var start = offset
    while start > 0, Self.isWord(bytes[start - 1]) { start -= 1 }
    word = start..<offset
    var levels: [Level] = []
    var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // Lines of a text behind | or > are deeper than its key.
    var textIndent: Int?
    while position <= start {
      var end = position
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
      let isLast = end >= start
      var content = position
      while content < min(end, start), bytes[content] == 0x20 { content += 1 }
      var indent = content - position
      if let deepest = textIndent {
        if indent > deepest || content == end, !isLast {
          position = end + 1
          continue
        }
        textIndent = nil
      }
      if !isLast, content == end || bytes[content] == UInt8(ascii: "#") {
        position = end + 1
        continue
      }
      var startsElement = false
      while content + 1 < min(end, start), bytes[content] == UInt8(ascii: "-"),
        bytes[content + 1] == 0x20
      {
        startsElement = true
        content += 2
        while content < min(end, start), bytes[content] == 0x20 { content += 1 }
        indent = content - position
      }
      var siblings: Set<String> = []
      // Taken out of the level, so that no set is copied for each key.
      while !levels.isEmpty, levels[levels.count - 1].indent >= indent {
        var last = levels.removeLast()
        guard last.indent == indent, !startsElement else { continue }
        last.siblings.insert(last.key)
        siblings = last.siblings
      }
      let limit = isLast ? start : end
      if let (key, value) = Self.key(bytes, content..<limit) {
        levels.append(Level(indent: indent, key: key, siblings: siblings))
        var first = value
        while first < end, bytes[first] == 0x20 { first += 1 }
        if first < limit, bytes[first] == UInt8(ascii: "|") || bytes[first] == UInt8(ascii: ">") {
          textIndent = indent
        }
        if first < limit, bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[") {
          // Brackets may span lines: go on behind their end, or stop inside of them.
          var scan = first
          if let inside = Self.scan(bytes, from: &scan, to: start) {
            keys = levels.map(\.key)
            finish(inside)
            return
          }
          if scan >= start {
            keys = levels.map(\.key)
            isKey = false
            return
          }
          end = max(end, scan)
          while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
        } else if isLast {
          keys = levels.map(\.key)
          isKey = false
          return
        }
      } else if isLast {
        keys = levels.map(\.key)
        isKey = true
        self.siblings = siblings
        return
      }
      position = end + 1
    }
    keys = levels.map(\.key)
  }

  private mutating func finish(_ brackets: [Bracket]) {
    isKey = false
    keys += brackets.compactMap(\.key)
    if let last = brackets.last, last.isMapping, last.key == nil {
      isKey = true
      siblings = last.keys
    }
  }

  /// Reads a text in brackets.
  ///
  /// - Returns: the brackets that are open at `end`; nil where all are closed before.
  private static func scan(_ bytes: [UInt8], from position: inout Int, to end: Int) -> [Bracket]? {
    var open: [Bracket] = []
    var wordStart = position
    // By bytes: to Swift, the two of a line break are one character.
    func isAround(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == UInt8(ascii: "\"")
        || byte == UInt8(ascii: "'")
    }
    func word() -> String {
      let text = bytes[wordStart..<position]
      guard let first = text.firstIndex(where: { !isAround($0) }),
        let last = text.lastIndex(where: { !isAround($0) })
      else { return "" }
      return decoding(text[first...last])
    }
    while position < end {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "{"):
        open.append(Bracket(isMapping: true))
        wordStart = position + 1
      case UInt8(ascii: "["):
        open.append(Bracket(isMapping: false))
        wordStart = position + 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if !open.isEmpty { open.removeLast() }
        if open.isEmpty {
          position += 1
          return nil
        }
        wordStart = position + 1
      case UInt8(ascii: ":"):
        if let last = open.indices.last, open[last].isMapping, open[last].key == nil,
          position + 1 >= end || [0x20, 0x0A, 0x0D].contains(bytes[position + 1])
        {
          open[last].key = word()
          wordStart = position + 1
        }
      case UInt8(ascii: ","):
        if let last = open.indices.last, let key = open[last].key {
          open[last].keys.insert(key)
          open[last].key = nil
        }
        wordStart = position + 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        position += 1
        while position < end, bytes[position] != byte {
          if byte == UInt8(ascii: "\""), bytes[position] == UInt8(ascii: "\\") { position += 1 }
          position += 1
        }
      default: break
      }
      position += 1
    }
    position = end
    return open.isEmpty ? nil : open
  }

  /// The key that a line begins with, and the place behind its colon.
  private static func key(_ bytes: [UInt8], _ range: Range<Int>) -> (String, Int)? {
    guard !range.isEmpty else { return nil }
    var index = range.lowerBound
    let quote = bytes[index]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      index += 1
      while index < range.upperBound, bytes[index] != quote { index += 1 }
      guard index + 1 < range.upperBound, bytes[index + 1] == UInt8(ascii: ":") else { return nil }
      return (decoding(bytes[range.lowerBound + 1..<index]), index + 2)
    }
    while index < range.upperBound {
      if bytes[index] == UInt8(ascii: ":"),
        index + 1 >= range.upperBound || bytes[index + 1] == 0x20
      {
        return (decoding(bytes[range.lowerBound..<index]), index + 1)
      }
      if bytes[index] == UInt8(ascii: "#"), index > range.lowerBound, bytes[index - 1] == 0x20 {
        return nil
      }
      index += 1
    }
    return nil
  }

  private static func decoding(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...: true
    default: false
    }
  }
}
