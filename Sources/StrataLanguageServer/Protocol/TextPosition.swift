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
  package let bytes: [UInt8]
  /// The offset of the first byte of each line.
  private let starts: [Int]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = SourceFile.lineStarts(of: bytes)
  }

  /// The byte at a position. One behind the end of a line is the end of the line, one behind the last line the end of the
  /// text, and one between two halves of a character the character's start.
  package func offset(of position: TextPosition) -> Int {
    guard position.line < starts.count else { return bytes.count }
    var end = position.line + 1 < starts.count ? starts[position.line + 1] : bytes.count
    let start = starts[position.line]
    while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    var offset = start
    var units = 0
    while offset < end, units < position.character {
      let width = min(Self.width(bytes[offset]), end - offset)
      let own = width == 4 ? 2 : 1
      guard units + own <= position.character else { break }
      units += own
      offset += width
    }
    return offset
  }

  package func position(of offset: Int) -> TextPosition {
    let offset = min(max(offset, 0), bytes.count)
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    var units = 0
    for byte in bytes[starts[low]..<offset] where byte & 0xC0 != 0x80 {
      units += byte >= 0xF0 ? 2 : 1
    }
    return TextPosition(line: low, character: units)
  }

  func json(_ range: Range<Int>) -> JSON {
    ["start": position(of: range.lowerBound).json, "end": position(of: range.upperBound).json]
  }

  /// How many bytes a character takes that begins with this one.
  private static func width(_ byte: UInt8) -> Int {
    byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
  }
}
