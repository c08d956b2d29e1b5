/// A long text without line breaks as a raw string literal over several lines, which join to the text again.
struct LongTextLiteral {
  /// The bytes of text on a line.
  static let bytesOnALine = 88

  /// As many `#` as keep the text from ending the literal or escaping out of it.
  private let pounds: String
  let lines: [String]

  var opening: String { pounds + "\"\"\"" }
  var closing: String { "\"\"\"" + pounds }

  init(_ text: String) {
    let bytes = Array(text.utf8)
    let pounds = String(repeating: "#", count: Self.poundsNeeded(by: bytes))
    self.pounds = pounds

    var parts: [String] = []
    var start = 0
    while bytes.count - start > Self.bytesOnALine {
      var end = start + Self.bytesOnALine
      while bytes[end] & 0xC0 == 0x80 { end -= 1 }  // not inside of a character
      parts.append(String(decoding: bytes[start..<end], as: UTF8.self) + "\\" + pounds)
      start = end
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    lines = parts
  }

  /// One more than the longest run of `#` that follows a backslash or a quote.
  private static func poundsNeeded(by bytes: [UInt8]) -> Int {
    var longest = 0
    var run: Int?
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): run = 0
      case UInt8(ascii: "#"):
        if let length = run {
          run = length + 1
          longest = max(longest, length + 1)
        }
      default: run = nil
      }
    }
    return longest + 1
  }
}
