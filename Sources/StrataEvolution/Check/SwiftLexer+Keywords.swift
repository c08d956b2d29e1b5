import StrataSchema

extension SwiftLexer {
  /// Whether the token is Swift's word and no name: one that has to be in backticks as a name, or that stands before what it is
  /// about, as in `final class`.
  static func isKeyword(_ index: Int, in tokens: [SwiftToken]) -> Bool {
    let token = tokens[index]
    guard !token.isInBackticks else { return false }
    return SwiftWords.reserved.contains(token.text)
      || SwiftWords.beforeTypes.contains(token.text) && index + 1 < tokens.count
        && tokens[index + 1].kind == .identifier
  }
}

extension SwiftToken {
  /// Whether it stands in backticks, which its text leaves out.
  var isInBackticks: Bool { kind == .identifier && range.count > text.utf8.count }
}
