/// How wide a text is, about, in pixels, before a browser has measured it.
enum TextWidth {
  /// A text of more characters is cut in a diagram; its full form is in the tooltip and in the table of its model.
  static let maximumCharacters = 34

  static func pixels(_ text: String, size: Int = 12) -> Int {
    let ems = text.unicodeScalars.reduce(0.0) { $0 + width(of: $1) }
    return Int((ems * Double(size)).rounded(.up))
  }

  /// The text, or its beginning and an ellipsis.
  static func cut(_ text: String, to limit: Int = maximumCharacters) -> String {
    text.count <= limit ? text : text.prefix(limit - 1) + "…"
  }

  private static func width(of scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", "!", ".", ",", ":", ";", "'", "|": 0.3
    case "f", "t", "r", "(", ")", "[", "]", " ", "-": 0.38
    case "m", "w", "M", "W", "@", "%": 0.9
    case "A"..."Z": 0.7
    case "\u{20}"..."\u{7E}": 0.58
    case "\u{300}"..."\u{36F}": 0
    case "\u{1100}"..."\u{11FF}", "\u{2E80}"..."\u{D7FF}", "\u{1F000}"...: 1.1
    default: 0.66
    }
  }
}
