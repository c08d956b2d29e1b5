/// Takes entries out of the text of a step file, with the comments above them, and the keys that are left without any.
package struct EntryRemoval {
  private var bytes: [UInt8]

  /// - Parameter ranges: the entries, each from its first byte to behind its last one.
  package static func text(_ bytes: [UInt8], without ranges: [Range<Int>]) -> [UInt8] {
    var removal = EntryRemoval(bytes: bytes)
    // From the end, so that the other ranges stay where they are.
    for range in ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) { removal.remove(range) }
    return removal.bytes
  }

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")

  private mutating func remove(_ range: Range<Int>) {
    let start = lineStart(range.lowerBound)
    let end = lineEnd(range.upperBound)
    let before = bytes[start..<range.lowerBound].drop { $0 == Self.space }
    let after = bytes[range.upperBound..<end].drop { $0 == Self.space || $0 == UInt8(ascii: "\r") }
    let isLine =
      (before.isEmpty || before.elementsEqual("- ".utf8))
      && (after.first.map { $0 == Self.newline || $0 == UInt8(ascii: "#") } ?? true)
    guard isLine else { return removeFromFlow(range) }
    removeLines(start..<end)
  }

  /// An entry between braces goes with one of its commas.
  private mutating func removeFromFlow(_ range: Range<Int>) {
    func isBlank(_ byte: UInt8) -> Bool { Self.isBlank(byte) || byte == Self.newline }
    let comma = UInt8(ascii: ",")
    let next = bytes[range.upperBound...].firstIndex { !isBlank($0) }
    if let next, bytes[next] == comma {
      let end = bytes[(next + 1)...].firstIndex { !isBlank($0) } ?? bytes.endIndex
      bytes.removeSubrange(range.lowerBound..<end)
      return
    }
    if let last = bytes[..<range.lowerBound].lastIndex(where: { !isBlank($0) }),
      bytes[last] == comma
    {
      bytes.removeSubrange(last..<range.upperBound)
      return
    }
    bytes.removeSubrange(range)
  }

  private mutating func removeLines(_ range: Range<Int>) {
    let depth = indentation(at: range.lowerBound)
    let isItem = bytes[(range.lowerBound + depth)...].starts(with: "- ".utf8)
    var start = range.lowerBound
    while start > 0, isComment(lineStart(start - 1), indentedBy: depth) {
      start = lineStart(start - 1)
    }
    bytes.removeSubrange(start..<range.upperBound)
    // A key above that has nothing below it any more; between the two there may be comments.
    var above = start
    repeat {
      guard above > 0 else { return }
      above = lineStart(above - 1)
    } while content(ofLine: above).isEmpty
    let keyDepth = indentation(at: above)
    guard content(ofLine: above).last == UInt8(ascii: ":"),
      keyDepth < depth || isItem && keyDepth == depth
    else { return }
    var next = start
    while next < bytes.count, content(ofLine: next).isEmpty { next = lineEnd(next) }
    let isEmpty =
      next == bytes.count || indentation(at: next) < depth
      || isItem && keyDepth == depth && !bytes[(next + depth)...].starts(with: "- ".utf8)
    if isEmpty { removeLines(above..<start) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  /// A line without its comment, and without the blanks at its end, of which a line break of two bytes has one.
  private func content(ofLine start: Int) -> ArraySlice<UInt8> {
    var line = bytes[start..<lineEnd(start)].prefix { $0 != Self.newline }
    let comment = line.indices.first { index in
      line[index] == UInt8(ascii: "#") && (index == start || Self.isBlank(line[index - 1]))
    }
    if let comment { line = line[..<comment] }
    while let last = line.last, Self.isBlank(last) { line.removeLast() }
    return line
  }

  private func lineStart(_ offset: Int) -> Int {
    bytes[..<offset].lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
  }

  /// Behind the line break.
  private func lineEnd(_ offset: Int) -> Int {
    bytes[offset...].firstIndex(of: Self.newline).map { $0 + 1 } ?? bytes.endIndex
  }

  private func indentation(at start: Int) -> Int {
    bytes[start...].prefix { $0 == Self.space }.count
  }

  private func isComment(_ start: Int, indentedBy depth: Int) -> Bool {
    depth > 0 && indentation(at: start) == depth
      && bytes[(start + depth)...].first == UInt8(ascii: "#")
  }
}
