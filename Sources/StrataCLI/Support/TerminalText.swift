import StrataSource

/// Text as a terminal shows it.
enum TerminalText {
  /// Names without what would move the cursor, change colours, begin another line or turn the direction of text: `\n`,
  /// `\u{1B}`.
  static func plain(_ text: String, keepingLines: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isControl(scalar), !(keepingLines && scalar == "\n") {
        plain.append(contentsOf: escaped(scalar).unicodeScalars)
      } else {
        plain.append(scalar)
      }
    }
    return String(plain)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isShowable || scalar == "\t"
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": #"\n"#
    case "\t": #"\t"#
    case "\r": #"\r"#
    default: #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }

  /// How many columns of a terminal a text takes.
  static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

  /// What follows its first scalar stands on it, or is joined with it.
  private static func columns(of character: Character) -> Int {
    character.unicodeScalars.first?.columns ?? 0
  }

  /// The end of a text, which tells one path from another, where all of it takes more columns than there are.
  static func end(of text: String, columns limit: Int) -> String {
    guard columns(of: text) > limit else { return text }
    guard limit > 0 else { return "" }
    var rest: [Character] = []
    var taken = 1
    for character in text.reversed() {
      taken += columns(of: character)
      guard taken <= limit else { break }
      rest.append(character)
    }
    return "…" + String(rest.reversed())
  }

  /// The beginning of a text, as much as fits.
  static func beginning(of text: String, columns limit: Int) -> String {
    var beginning = ""
    var taken = 0
    for character in text {
      taken += columns(of: character)
      guard taken <= limit else { break }
      beginning.append(character)
    }
    return beginning
  }
}
