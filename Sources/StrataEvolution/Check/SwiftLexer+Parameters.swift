import StrataSchema

extension SwiftLexer {
  /// The tokens that stand for parameters of closures: in a closure's signature, and in its braces behind it.
  ///
  /// Where a type has to stand a parameter is not meant, whatever its name.
  static func parameters(in tokens: [SwiftToken]) -> Set<Int> {
    var parameters: Set<Int> = []
    /// The names that each pair of open braces knows, with those of the braces around it.
    var scopes: [Set<String>] = []
    var declaring = 0..<0
    for (index, token) in tokens.enumerated() {
      switch (token.kind, token.text) {
      case (.sign, "{"):
        let (names, end) = signature(of: tokens, from: index + 1)
        parameters.formUnion(names)
        declaring = index + 1..<end
        scopes.append((scopes.last ?? []).union(names.map { tokens[$0].text }))
      case (.sign, "}"): _ = scopes.popLast()
      case (.identifier, _):
        // What a signature says itself is said outside of the closure.
        let names = declaring.contains(index) ? scopes.dropLast().last : scopes.last
        if names?.contains(token.text) == true, !isType(index, in: tokens) {
          parameters.insert(index)
        }
      default: break
      }
    }
    return parameters
  }

  /// Whether the token is Swift's word and no name: one that has to be in backticks as a name, or that stands before what it is
  /// about, as in `final class`.
  static func isKeyword(_ index: Int, in tokens: [SwiftToken]) -> Bool {
    let token = tokens[index]
    guard !token.isInBackticks else { return false }
    return SwiftWords.reserved.contains(token.text)
      || SwiftWords.beforeTypes.contains(token.text) && index + 1 < tokens.count
        && tokens[index + 1].kind == .identifier
  }

  /// `let x: T`, `as T`, `is T`, `-> T`.
  private static func isType(_ index: Int, in tokens: [SwiftToken]) -> Bool {
    func text(_ before: Int) -> String { index >= before ? tokens[index - before].text : "" }
    switch text(1) {
    case ":": return ["let", "var"].contains(text(3))
    case "as", "is": return true
    case ">": return text(2) == "-"
    case "?", "!": return text(2) == "as"
    default: return false
    }
  }

  /// The signature of a closure: `old, new in`, `(old: A, new: B) async throws -> C in`, with captures before it.
  ///
  /// - Returns: the tokens that name parameters, and where the signature ends; none and `start` for braces without one.
  private static func signature(of tokens: [SwiftToken], from start: Int) -> (Set<Int>, Int) {
    var index = start
    func text(_ index: Int) -> String { index < tokens.count ? tokens[index].text : "" }
    func isName(_ index: Int) -> Bool { index < tokens.count && tokens[index].kind == .identifier }
    var names: Set<Int> = []
    while text(index) == "@" {
      index += 2
      if text(index) == "(" { index = end(ofBracketsAt: index, in: tokens) }
    }
    if text(index) == "[" { index = end(ofBracketsAt: index, in: tokens) }
    if text(index) == "(" {
      let end = end(ofBracketsAt: index, in: tokens)
      names = parameters(ofList: index + 1..<max(index + 1, end - 1), in: tokens)
      index = end
    } else {
      while isName(index), text(index + 1) == "," {
        names.insert(index)
        index += 2
      }
      if isName(index), text(index) != "in" || tokens[index].isInBackticks {
        names.insert(index)
        index += 1
      }
    }
    while text(index) == "async" || text(index) == "throws" {
      index += 1
      if text(index) == "(" { index = end(ofBracketsAt: index, in: tokens) }
    }
    if text(index) == "-", text(index + 1) == ">" {
      while index < tokens.count, !["in", "{", "}"].contains(text(index)) { index += 1 }
    }
    guard text(index) == "in", index > start else { return ([], start) }
    return (names, index + 1)
  }

  /// The names in `old: A, _ new: B`, which stand before a type or a comma.
  private static func parameters(ofList list: Range<Int>, in tokens: [SwiftToken]) -> Set<Int> {
    var names: Set<Int> = []
    var depth = 0
    var isType = false
    for index in list {
      switch tokens[index].text {
      case "(", "[", "<": depth += 1
      case ")", "]": depth -= 1
      case ">" where tokens[index - 1].text != "-": depth -= 1
      case ":" where depth == 0: isType = true
      case "," where depth == 0: isType = false
      default: if !isType, tokens[index].kind == .identifier { names.insert(index) }
      }
    }
    return names
  }

  /// The place behind the bracket that closes the one at `start`.
  private static func end(ofBracketsAt start: Int, in tokens: [SwiftToken]) -> Int {
    var depth = 0
    for index in start..<tokens.count where tokens[index].kind == .sign {
      switch tokens[index].text {
      case "(", "[", "{", "\\(": depth += 1
      case ")", "]", "}": depth -= 1
      default: break
      }
      if depth == 0 { return index + 1 }
    }
    return tokens.count
  }
}

extension SwiftToken {
  /// Whether it stands in backticks, which its text leaves out.
  fileprivate var isInBackticks: Bool { kind == .identifier && range.count > text.utf8.count }
}
