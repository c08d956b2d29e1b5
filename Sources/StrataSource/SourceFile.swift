/// A text that was read, with its name and where its lines begin.
///
/// The text is kept as bytes: every position of the compiler is a byte offset into it, and only what is
/// shown to people becomes lines, columns and strings.
package struct SourceFile: Sendable {
  /// The largest file that is read, 4 MiB. One byte more is kept of a larger one, so that the parser of
  /// the text sees that it is too large.
  package static let maximumSize = 4 << 20

  /// The name as people wrote it, for messages.
  package let path: String
  package let bytes: [UInt8]
  /// The offset of the first byte of each line. A line ends with LF, CR LF or CR.
  private let lineStarts: [Int]
  /// How many scalars begin before each block of bytes, so that no place in a long line is counted from its start.
  private let scalarsBefore: [Int]
  private static let blockSize = 1024

  package init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    self.lineStarts = Self.lineStarts(of: bytes)
    var count = 0
    scalarsBefore = stride(from: 0, through: bytes.count, by: Self.blockSize).map { start in
      defer { count += Self.scalars(in: bytes[start..<min(start + Self.blockSize, bytes.count)]) }
      return count
    }
  }

  /// Every scalar has exactly one byte that is no continuation.
  private static func scalars(in bytes: ArraySlice<UInt8>) -> Int {
    bytes.count { $0 & 0xC0 != 0x80 }
  }

  private func scalars(before offset: Int) -> Int {
    let block = offset / Self.blockSize
    return scalarsBefore[block] + Self.scalars(in: bytes[block * Self.blockSize..<offset])
  }

  package init(path: String, text: String) {
    self.init(path: path, bytes: Array(text.utf8))
  }

  /// The name without its folders.
  package var name: String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.index(after: $0)...]) }
      ?? path
  }

  /// The path of a file beside this one.
  package func path(ofSibling other: String) -> String {
    String(path.dropLast(name.count)) + other
  }

  /// How many bytes a byte order mark takes at the start: 3 or 0.
  package var byteOrderMarkLength: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  package var lineCount: Int { lineStarts.count }

  /// The first line break of the text, for lines that are added to it; LF where it has none.
  package var lineBreak: String {
    guard let first = bytes.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }), bytes[first] == 0x0D
    else { return "\n" }
    return bytes[(first + 1)...].first == 0x0A ? "\r\n" : "\r"
  }

  /// The bytes of a range as text; what is no UTF-8 is replaced.
  package func text(in range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }

  /// The bytes of a line, counted from 1, without its line break.
  package func rangeOfLine(_ line: Int) -> Range<Int> {
    guard (1...lineStarts.count).contains(line) else { return bytes.count..<bytes.count }
    var end = line < lineStarts.count ? lineStarts[line] : bytes.count
    let start = line == 1 ? min(byteOrderMarkLength, end) : lineStarts[line - 1]
    while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  package func location(at offset: Int) -> SourceLocation {
    let offset = min(max(offset, 0), bytes.count)
    var (low, high) = (0, lineStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    let start = low == 0 ? min(byteOrderMarkLength, offset) : lineStarts[low]
    let column = scalars(before: max(start, offset)) - scalars(before: start) + 1
    return SourceLocation(line: low + 1, column: column)
  }

  package func span(_ range: Range<Int>) -> SourceSpan {
    SourceSpan(
      path: path, range: range, start: location(at: range.lowerBound),
      end: location(at: range.upperBound))
  }

  /// The offset of the first byte of each line. A line ends with LF, CR LF or CR.
  package static func lineStarts(of bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      var starts = [0]
      starts.reserveCapacity(bytes.count / 32 + 1)
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        guard byte == 0x0A || byte == 0x0D else { continue }
        if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
        starts.append(index)
      }
      return starts
    }
  }
}
