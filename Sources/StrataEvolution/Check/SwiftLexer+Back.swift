extension SwiftLexer {
  /// Whether a block's file says with `step.back(…)` how objects go back.
  package static func saysBack(_ bytes: [UInt8]) -> Bool {
    let tokens = tokens(of: bytes)
    return tokens.indices.dropFirst().contains { index in
      tokens[index].kind == .identifier && tokens[index].text == "back"
        && tokens[index - 1].text.hasSuffix(".") && index + 1 < tokens.count
        && tokens[index + 1].text.hasPrefix("(")
    }
  }
}
