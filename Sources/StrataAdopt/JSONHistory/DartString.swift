/// A string as Dart's source code writes it.
enum DartString {
  /// - Parameter text: with its quotes.
  /// - Returns: nil for anything but one string without interpolation.
  static func read(_ text: String) -> String? {
    var rest = Substring(text.drop { $0.isWhitespace })
    while rest.last?.isWhitespace == true { rest.removeLast() }
    let isRaw = rest.first == "r"
    if isRaw { rest.removeFirst() }
    guard let quote = rest.first, quote == "'" || quote == "\"", rest.count >= 2,
      rest.last == quote
    else { return nil }
    let mark = String(repeating: quote, count: 3)
    let width = rest.count >= 6 && rest.hasPrefix(mark) && rest.hasSuffix(mark) ? 3 : 1
    rest = rest.dropFirst(width).dropLast(width)
    if isRaw { return rest.contains(quote) && width == 1 ? nil : String(rest) }
    var result = ""
    while let next = rest.popFirst() {
      switch next {
      case "$": return nil
      case quote where width == 1: return nil
      case "\\":
        guard let character = escaped(&rest) else { return nil }
        result.append(character)
      default: result.append(next)
      }
    }
    return result
  }

  /// What stands for the characters behind a backslash.
  private static func escaped(_ rest: inout Substring) -> Character? {
    guard let mark = rest.popFirst() else { return nil }
    switch mark {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "v": return "\u{B}"
    case "x", "u":
      var digits: Substring
      if mark == "u", rest.first == "{" {
        digits = rest.dropFirst().prefix { $0 != "}" }
        rest = rest.dropFirst(digits.count + 2)
      } else {
        digits = rest.prefix(mark == "x" ? 2 : 4)
        rest = rest.dropFirst(digits.count)
      }
      return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map(Character.init)
    default: return mark
    }
  }
}
