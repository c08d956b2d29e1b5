import StrataSource

/// How scalars are written.
enum ScalarText {
  /// In double quotes; in single ones where that saves escapes.
  static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let needsEscapes = scalars.contains { needsEscape($0) }
    if !needsEscapes, scalars.contains(where: { $0 == "\"" || $0 == "\\" }) {
      // By bytes: a quote with an accent on it is a quote.
      let doubled = text.utf8.flatMap { $0 == UInt8(ascii: "'") ? [$0, $0] : [$0] }
      return "'" + String(decoding: doubled, as: UTF8.self) + "'"
    }
    var result = "\""
    for scalar in scalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case "\0": result += "\\0"
      default:
        if needsEscape(scalar) {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          let width = scalar.value > 0xFFFF ? 8 : 4
          result += width == 8 ? "\\U" : "\\u"
          result += String(repeating: "0", count: width - digits.utf8.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// What YAML does not allow as it is, or what cannot be seen.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF: true
    default: false
    }
  }
}
