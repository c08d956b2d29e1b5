import StrataSource

/// A question of a scaffold without an answer: `???`, alone or before what many would write.
package enum StepQuestion {
  package static let mark = "???"

  /// Comments above one question are read this far up.
  static let maximumLines = 64

  static func isOpen(_ text: String) -> Bool { text.hasPrefix(mark) }

  /// What stands behind the mark as an answer that would be accepted; nil where nothing does.
  static func proposal(in text: String) -> String? {
    let rest = text.dropFirst(mark.count).drop { $0 == " " }
    return rest.isEmpty ? nil : String(rest)
  }

  /// What is asked: the comment right above the line of an offset, as scaffolds write it.
  static func text(above offset: Int, in file: SourceFile) -> String? {
    let newline = UInt8(ascii: "\n")
    var end = file.bytes[..<offset].lastIndex(of: newline)
    var lines: [String] = []
    while let lineEnd = end, lines.count < maximumLines {
      let start = file.bytes[..<lineEnd].lastIndex(of: newline).map { $0 + 1 } ?? 0
      let line = file.bytes[start..<lineEnd].drop { $0 == UInt8(ascii: " ") }
      guard line.first == UInt8(ascii: "#") else { break }
      lines.append(
        String(decoding: line.dropFirst().drop { $0 == UInt8(ascii: " ") }, as: UTF8.self))
      end = start > 0 ? start - 1 : nil
    }
    return lines.isEmpty ? nil : lines.reversed().joined(separator: "; ")
  }
}
