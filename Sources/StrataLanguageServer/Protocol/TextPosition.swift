package import StrataSchema
import StrataSource

/// A place in a text as editors count it: lines from 0, in a line UTF-16 units from 0.
package struct TextPosition: Hashable, Sendable, Comparable {
  package var line: Int
  package var character: Int

  package init(line: Int, character: Int) {
    self.line = line
    self.character = character
  }

  init?(_ json: JSON?) {
    guard let line = json?["line"]?.int, let character = json?["character"]?.int, line >= 0,
      character >= 0
    else { return nil }
    self.init(line: Int(line), character: Int(character))
  }

  package var json: JSON { ["line": .int(Int64(line)), "character": .int(Int64(character))] }

  package static func < (left: Self, right: Self) -> Bool {
    (left.line, left.character) < (right.line, right.character)
  }
}

/// Converts between bytes of a text and the positions of editors.
package struct TextLines: Sendable {
  package private(set) var bytes: [UInt8]
  /// The offset of the first byte of each line.
  private var starts: [Int]
  /// How many UTF-16 units begin before each block of bytes, so that no place in a long line is counted from the line's start. Empty
  /// where no line is longer than a block, and from `replace` to `countUnits`.
  private var unitsBefore: [Int] = []
  private static let blockSize = 1024

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = SourceFile.lineStarts(of: bytes)
    countUnits()
  }

  /// Counts the units of long lines. `replace` leaves that to its caller, because many changes come in one message.
  mutating func countUnits() {
    unitsBefore = []
    let ends = starts.dropFirst() + [bytes.count]
    guard zip(starts, ends).contains(where: { $1 - $0 > Self.blockSize }) else { return }
    var count = 0
    unitsBefore = stride(from: 0, through: bytes.count, by: Self.blockSize).map { start in
      defer { count += Self.units(bytes[start..<min(start + Self.blockSize, bytes.count)]) }
      return count
    }
  }

  /// Puts other bytes in the place of some. Lines are counted in the new bytes only, as one message may have thousands of changes.
  package mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
    bytes.replaceSubrange(range, with: text)
    unitsBefore = []
    // Whether a line starts at a byte is told by that byte and the one before it.
    let end = range.lowerBound + text.count
    var new: [Int] = []
    for offset in range.lowerBound...end where offset > 0 && isStart(offset) { new.append(offset) }
    let first = max(1, line(after: range.lowerBound - 1))
    let last = max(first, line(after: range.upperBound))
    let shift = text.count - range.count
    if shift != 0 { for line in last..<starts.count { starts[line] += shift } }
    starts.replaceSubrange(first..<last, with: new)
  }

  private func isStart(_ offset: Int) -> Bool {
    switch bytes[offset - 1] {
    case 0x0A: true
    case 0x0D: offset == bytes.count || bytes[offset] != 0x0A
    default: false
    }
  }

  /// The first line that starts behind a byte; the number of lines where none does.
  private func line(after offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The byte at a position. One behind the end of a line is the end of the line, one behind the last line the end of the
  /// text, and one between two halves of a character the character's start.
  package func offset(of position: TextPosition) -> Int { place(of: position).offset }

  /// The same; nil between two halves of a character.
  func wholeOffset(of position: TextPosition) -> Int? {
    let (offset, isInside) = place(of: position)
    return isInside ? nil : offset
  }

  private func place(of position: TextPosition) -> (offset: Int, isInside: Bool) {
    guard position.line < starts.count else { return (bytes.count, false) }
    var end = position.line + 1 < starts.count ? starts[position.line + 1] : bytes.count
    let start = starts[position.line]
    while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    var offset = start
    var units = 0
    while offset < end, units < position.character {
      let width = min(Self.width(bytes[offset]), end - offset)
      let own = width == 4 ? 2 : 1
      guard units + own <= position.character else { return (offset, true) }
      units += own
      offset += width
    }
    return (offset, false)
  }

  /// Whether two U+FFFD meet at a byte. Where they stand for the halves of a pair, the editor has one character there.
  func mayJoinHalves(at offset: Int) -> Bool {
    let width = Self.replacement.count
    return offset >= width && offset + width <= bytes.count
      && bytes[offset - width..<offset].elementsEqual(Self.replacement)
      && bytes[offset..<offset + width].elementsEqual(Self.replacement)
  }

  /// What `MessageDecoder` puts in the place of half a pair.
  private static let replacement = Array("\u{FFFD}".utf8)

  package func position(of offset: Int) -> TextPosition {
    var count = 0
    return position(of: offset, counting: &count)
  }

  /// - Parameter count: grows by the bytes that are looked at in the line.
  package func position(of offset: Int, counting count: inout Int) -> TextPosition {
    let offset = min(max(offset, 0), bytes.count)
    let line = line(after: offset) - 1
    let start = starts[line]
    func units(_ range: Range<Int>) -> Int {
      count += range.count
      return Self.units(bytes[range])
    }
    /// Of the whole text before a byte.
    func units(before end: Int) -> Int {
      let block = end / Self.blockSize
      return unitsBefore[block] + units(block * Self.blockSize..<end)
    }
    let isNear = unitsBefore.isEmpty || offset - start <= Self.blockSize
    return TextPosition(
      line: line,
      character: isNear ? units(start..<offset) : units(before: offset) - units(before: start))
  }

  func json(_ range: Range<Int>) -> JSON {
    ["start": position(of: range.lowerBound).json, "end": position(of: range.upperBound).json]
  }

  /// How many UTF-16 units the characters have that begin in the bytes.
  private static func units(_ bytes: ArraySlice<UInt8>) -> Int {
    var units = 0
    for byte in bytes where byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
    return units
  }

  /// How many bytes a character takes that begins with this one.
  private static func width(_ byte: UInt8) -> Int {
    byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
  }
}
