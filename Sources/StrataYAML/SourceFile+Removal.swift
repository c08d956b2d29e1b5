package import StrataSource

extension SourceFile {
  /// The bytes to remove so that an entry of a mapping is gone, with its comma or its line. `value` may be
  /// empty.
  package func removalRange(ofKey key: Range<Int>, value: Range<Int>) -> Range<Int> {
    var end = max(key.upperBound, value.upperBound)
    if value.isEmpty {
      let colon = skipSpaces(from: key.upperBound)
      if colon < bytes.count, bytes[colon] == UInt8(ascii: ":") { end = colon + 1 }
    }
    return removalRange(of: key.lowerBound..<end)
  }

  /// The bytes to remove so that an element of a list, or an entry of a mapping, is gone.
  package func removalRange(of part: Range<Int>) -> Range<Int> {
    if let lines = wholeLines(of: part) { return lines }
    let next = skipSpaces(from: part.upperBound)
    if next < bytes.count, bytes[next] == UInt8(ascii: ",") {
      return part.lowerBound..<skipSpaces(from: next + 1)
    }
    var before = part.lowerBound
    while before > 0, isSpace(bytes[before - 1]) { before -= 1 }
    if before > 0, bytes[before - 1] == UInt8(ascii: ",") { return before - 1..<part.upperBound }
    return part
  }

  /// The lines of a part that stands alone on them, but for a dash before it and a comma and a comment behind it.
  private func wholeLines(of part: Range<Int>) -> Range<Int>? {
    var start = part.lowerBound
    var hasDash = false
    while start > 0, bytes[start - 1] != 0x0A, bytes[start - 1] != 0x0D {
      start -= 1
      if bytes[start] == UInt8(ascii: "-"), !hasDash {
        hasDash = true
      } else if bytes[start] != 0x20 {
        return nil
      }
    }
    var end = skipSpaces(from: part.upperBound)
    if end < bytes.count, bytes[end] == UInt8(ascii: ",") { end = skipSpaces(from: end + 1) }
    if end < bytes.count, bytes[end] == UInt8(ascii: "#") {
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    }
    guard end < bytes.count else { return start..<end }
    if bytes[end] == 0x0D, end + 1 < bytes.count, bytes[end + 1] == 0x0A { return start..<end + 2 }
    return bytes[end] == 0x0A || bytes[end] == 0x0D ? start..<end + 1 : nil
  }

  private func skipSpaces(from start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] == 0x20 || bytes[end] == 0x09 { end += 1 }
    return end
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
