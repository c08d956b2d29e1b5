import StrataSchema

/// The content security policy of a page that holds its style and script itself: nothing is loaded, and no other script
/// runs.
struct ContentSecurity {
  let style: String
  let script: String

  var policy: String {
    "default-src 'none'; style-src 'sha256-\(Self.hash(style))'; script-src 'sha256-\(Self.hash(script))'; "
      + "img-src data:; base-uri 'none'; form-action 'none'"
  }

  private static func hash(_ text: String) -> String {
    Base64.encode(Hex.decode(Digest(of: text).description.utf8) ?? [])
  }
}

/// Base64 (RFC 4648, section 4).
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0) }
      for place in 0..<4 {
        text.append(
          place <= group.count
            ? alphabet[word >> (18 - 6 * place) & 0x3F] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
