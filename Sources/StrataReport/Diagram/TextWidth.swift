/// How wide a text is, about, in pixels, before a browser has measured it: as in DejaVu Sans, which is wider than most fonts.
enum TextWidth {
  /// A text of more characters is cut in a diagram; its full form is in the tooltip and in the table of its model.
  static let maximumCharacters = 34

  static func pixels(_ text: String, size: Int = 12, isBold: Bool = false) -> Int {
    let ems = text.unicodeScalars.reduce(0.0) { $0 + width(of: $1) }
    return Int((ems * Double(size) * (isBold ? 1.14 : 1)).rounded(.up))
  }

  /// The text, or its beginning and an ellipsis.
  static func cut(_ text: String, to limit: Int = maximumCharacters) -> String {
    text.count <= limit ? text : text.prefix(limit - 1) + "…"
  }

  private static func width(of scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", "!", ".", ",", ":", ";", "'", "|": 0.3
    case "f", "t", "r", "(", ")", "[", "]", " ", "-": 0.38
    case "m", "W", "@", "%": 1
    case "w", "M": 0.88
    case "D", "G", "H", "N", "O", "Q", "U": 0.8
    case "A"..."Z": 0.75
    case "\u{20}"..."\u{7E}": 0.6
    case "\u{300}"..."\u{36F}": 0
    case "Щ": 1.17
    case "Ж", "Ш", "Ю", "Љ", "Њ": 1.09
    case "ж", "ш", "щ", "ю", "ф", "ы", "М", "Ф", "Ы", "Ъ": 0.94
    case "А"..."Я", "\u{370}"..."\u{3FF}": 0.78
    case "\u{530}"..."\u{58F}", "\u{600}"..."\u{6FF}", "\u{10A0}"..."\u{10FF}": 0.9
    case "\u{1100}"..."\u{11FF}", "\u{2E80}"..."\u{D7FF}", "\u{1F000}"...: 1.1
    default: 0.68
    }
  }
}
