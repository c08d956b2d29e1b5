/// Where each bracket of a Swift file is closed, whatever kind of bracket closes it.
struct SwiftBrackets {
  /// By the place of the bracket that opens; nil for other tokens, and where nothing closes it.
  private let closers: [Int?]

  init(_ tokens: [SwiftToken]) {
    var closers = [Int?](repeating: nil, count: tokens.count)
    var open: [Int] = []
    for (index, token) in tokens.enumerated() where token.kind == .sign {
      switch token.text {
      case "(", "[", "{", "\\(": open.append(index)
      case ")", "]", "}":
        if let opener = open.popLast() { closers[opener] = index }
      default: break
      }
    }
    self.closers = closers
  }

  /// The place behind the bracket that closes the one at `index`; nil where nothing does.
  func end(at index: Int) -> Int? { closers[index].map { $0 + 1 } }
}
