package import StrataSource

/// Where the parts of a scalar's text stand in its file: quotes, escapes and folded lines make the text different from the bytes that say
/// it. For many parts of one scalar, which is followed once.
package struct ScalarPlaces {
  private let range: Range<Int>
  /// Where in the file each byte of the text stands, and one more for its end; nil where the text cannot be followed.
  private let offsets: [Int]?

  /// - Parameter range: that of the scalar's node.
  package init(of scalar: YAMLScalar, at range: Range<Int>, in file: SourceFile) {
    self.range = range
    offsets = scalar.offsets(at: range, in: file)
  }

  /// The bytes of the file that say a part of the text. The whole node where the text cannot be followed.
  package func place(of part: Range<Int>) -> Range<Int> {
    guard let offsets, part.lowerBound >= 0, part.upperBound < offsets.count else { return range }
    let start = offsets[part.lowerBound]
    // An end behind white space of the text stands behind the last byte, not before the next one.
    let end = part.isEmpty ? start : offsets[part.upperBound - 1] + 1
    return start..<max(start, min(end, range.upperBound))
  }
}

extension YAMLScalar {
  /// The bytes of the file that say one part of the scalar's text; `range` is the scalar's node's.
  package func place(of part: Range<Int>, at range: Range<Int>, in file: SourceFile) -> Range<Int> {
    ScalarPlaces(of: self, at: range, in: file).place(of: part)
  }

  fileprivate func offsets(at range: Range<Int>, in file: SourceFile) -> [Int]? {
    let text = Array(self.text.utf8)
    guard range.upperBound <= file.bytes.count else { return nil }
    let source = file.bytes
    var place = range.lowerBound
    switch style {
    case .plain: break
    case .singleQuoted, .doubleQuoted: place += 1
    case .block:
      while place < range.upperBound, source[place] != 0x0A, source[place] != 0x0D { place += 1 }
      while place < range.upperBound, isSpace(source[place]) { place += 1 }
    }
    var offsets: [Int] = []
    offsets.reserveCapacity(text.count + 1)
    var index = 0
    while index < text.count {
      guard place < range.upperBound else {
        // Line breaks at the end of a block are not part of its range.
        guard text[index...].allSatisfy(isSpace) else { return nil }
        offsets += Array(repeating: place, count: text.count - index)
        break
      }
      if style == .doubleQuoted, source[place] == UInt8(ascii: "\\") {
        guard let escape = Escape(source, at: place) else { return nil }
        for _ in 0..<escape.textLength { offsets.append(place) }
        index += escape.textLength
        place += escape.length
      } else if isSpace(text[index]) {
        // A run of white space of the text is one of the file, perhaps with line breaks in it.
        while index < text.count, isSpace(text[index]) {
          offsets.append(place)
          index += 1
          if place + 1 < range.upperBound, isSpace(source[place + 1]), index < text.count,
            isSpace(text[index])
          {
            place += 1
          }
        }
        while place < range.upperBound, isSpace(source[place]) { place += 1 }
      } else {
        guard text[index] == source[place] else { return nil }
        offsets.append(place)
        index += 1
        place += style == .singleQuoted && source[place] == UInt8(ascii: "'") ? 2 : 1
      }
    }
    offsets.append(place)
    return offsets
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// `\n`, `\x41`, `\u00e9` … of a double-quoted text.
private struct Escape {
  /// Of the escape in the file.
  var length: Int
  /// Of what it stands for, in UTF-8.
  var textLength: Int

  init?(_ source: [UInt8], at place: Int) {
    guard place + 1 < source.count else { return nil }
    let digits: Int
    switch source[place + 1] {
    case UInt8(ascii: "x"): digits = 2
    case UInt8(ascii: "u"): digits = 4
    case UInt8(ascii: "U"): digits = 8
    case UInt8(ascii: "N"), UInt8(ascii: "_"):
      (length, textLength) = (2, 2)
      return
    case UInt8(ascii: "L"), UInt8(ascii: "P"):
      (length, textLength) = (2, 3)
      return
    case 0x0A, 0x0D:
      // An escaped line break joins two lines.
      var end = place + 2
      while end < source.count, source[end] == 0x20 || (0x09...0x0D).contains(source[end]) {
        end += 1
      }
      (length, textLength) = (end - place, 0)
      return
    default:
      (length, textLength) = (2, 1)
      return
    }
    let end = place + 2 + digits
    guard end <= source.count,
      let code = UInt32(String(decoding: source[place + 2..<end], as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(code)
    else { return nil }
    (length, textLength) = (2 + digits, UTF8.width(scalar))
  }
}
