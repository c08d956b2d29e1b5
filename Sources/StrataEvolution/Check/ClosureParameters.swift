/// The tokens that stand for parameters of closures: in a closure's signature, and in its braces behind it.
///
/// Where a type has to stand a parameter is not meant, whatever its name. However brackets are nested, a token is looked at a few
/// times.
package struct ClosureParameters {
  package private(set) var indexes: Set<Int> = []
  /// How often a token was looked at.
  package private(set) var lookCount = 0

  private let tokens: [SwiftToken]
  private let brackets: SwiftBrackets
  /// From each token on the first that ends what a closure returns: `in`, or a brace.
  private let ends: [Int]
  /// Where each `<` is closed that begins generic arguments; another one compares.
  private let closings: [Int: Int]

  package init(_ tokens: [SwiftToken]) {
    self.tokens = tokens
    brackets = SwiftBrackets(tokens)
    var ends = [Int](repeating: tokens.count, count: tokens.count + 1)
    for index in tokens.indices.reversed() {
      ends[index] = ["in", "{", "}"].contains(tokens[index].text) ? index : ends[index + 1]
    }
    self.ends = ends
    closings = Self.closings(in: tokens)
    lookCount = 3 * tokens.count
    read()
  }

  private mutating func read() {
    /// The names that each pair of open braces adds.
    var scopes: [Set<String>] = []
    /// How many of the open braces add a name.
    var known: [String: Int] = [:]
    var declaring = 0..<0
    var typeEnd = 0
    for (index, token) in tokens.enumerated() {
      lookCount += 1
      // A type ends before another one begins.
      if index >= typeEnd, beginsType(index) { typeEnd = end(ofTypeAt: index) }
      switch (token.kind, token.text) {
      case (.sign, "{"):
        let (names, end) = signature(from: index + 1)
        indexes.formUnion(names)
        declaring = index + 1..<end
        scopes.append(Set(names.map { tokens[$0].text }))
        for name in scopes.last ?? [] { known[name, default: 0] += 1 }
      case (.sign, "}"):
        for name in scopes.popLast() ?? [] { known[name, default: 0] -= 1 }
      case (.identifier, _):
        // What a signature says itself is said outside of the closure.
        let isOwn = declaring.contains(index) && scopes.last?.contains(token.text) == true
        if known[token.text, default: 0] > (isOwn ? 1 : 0), index >= typeEnd {
          indexes.insert(index)
        }
      default: break
      }
    }
  }

  private func text(_ index: Int) -> String {
    tokens.indices.contains(index) ? tokens[index].text : ""
  }

  private func isName(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .identifier
  }

  // MARK: - Signatures

  /// The signature of a closure: `old, new in`, `(old: A, new: B) async throws -> C in`, with captures before it.
  ///
  /// - Returns: the tokens that name parameters, and where the signature ends; none and `start` for braces without one.
  private mutating func signature(from start: Int) -> (Set<Int>, Int) {
    var index = start
    var names: Set<Int> = []
    var list = 0..<0
    while text(index) == "@", isName(index + 1) {
      index = skipping("(", at: index + 2)
      lookCount += 1
    }
    index = skipping("[", at: index)
    if text(index) == "(" {
      let end = skipping("(", at: index)
      list = index + 1..<max(index + 1, end - 1)
      index = end
    } else {
      while isName(index), text(index + 1) == "," {
        names.insert(index)
        index += 2
        lookCount += 1
      }
      if isName(index), text(index) != "in" || tokens[index].isInBackticks {
        names.insert(index)
        index += 1
      }
    }
    while text(index) == "async" || text(index) == "throws" {
      index = skipping("(", at: index + 1)
      lookCount += 1
    }
    if text(index) == "-", text(index + 1) == ">" { index = ends[index] }
    guard text(index) == "in", index > start else { return ([], start) }
    return (list.isEmpty ? names : parameters(ofList: list), index + 1)
  }

  /// The place behind the brackets that begin here; `index` where others, or none, do. What is not closed ends with the file.
  private func skipping(_ bracket: String, at index: Int) -> Int {
    text(index) == bracket ? brackets.end(at: index) ?? tokens.count : index
  }

  /// The names in `old: A, _ new: B`, which stand before a type or a comma.
  private mutating func parameters(ofList list: Range<Int>) -> Set<Int> {
    var names: Set<Int> = []
    var depth = 0
    var isType = false
    var index = list.lowerBound
    while index < list.upperBound {
      lookCount += 1
      switch text(index) {
      case "{":
        // Of a closure in the list the names are its own.
        index = skipping("{", at: index)
        continue
      case "(", "[", "<": depth += 1
      case ")", "]": depth -= 1
      case ">" where text(index - 1) != "-": depth -= 1
      case ":" where depth == 0: isType = true
      case "," where depth == 0: isType = false
      default: if !isType, isName(index) { names.insert(index) }
      }
      index += 1
    }
    return names
  }

  // MARK: - Types

  /// Behind `let x:`, `as`, `is` and `->`.
  private func beginsType(_ index: Int) -> Bool {
    switch text(index - 1) {
    case ":": ["let", "var"].contains(text(index - 3))
    case "as", "is": isName(index - 1)
    case ">": text(index - 2) == "-"
    case "?", "!": text(index - 2) == "as"
    default: false
    }
  }

  /// What may stand before a type and belongs to it.
  private static let wordsBefore: Set<String> = [
    "any", "some", "each", "repeat", "inout", "borrowing", "consuming", "sending",
  ]

  /// The place behind a type: `A.B<[C]>?`, `[A: (B) throws -> C]`, `any A & B`.
  private mutating func end(ofTypeAt start: Int) -> Int {
    var index = start
    while index < tokens.count {
      lookCount += 1
      if text(index) == "@", isName(index + 1) {
        index = skipping("(", at: index + 2)
        continue
      }
      if isName(index) {
        let isPrefix = Self.wordsBefore.contains(text(index))
        index += 1
        if isPrefix { continue }
      } else if text(index) == "(" || text(index) == "[", let end = brackets.end(at: index) {
        index = end
      } else {
        return index
      }
      index = end(ofSuffixesAt: index)
      if text(index) == "&" {
        index += 1
      } else if text(index) == "-", text(index + 1) == ">" {
        index += 2
      } else {
        return index
      }
    }
    return index
  }

  /// The place behind what follows a type's name or brackets: `<A>`, `.B`, `?`, and `throws` before an arrow.
  private mutating func end(ofSuffixesAt start: Int) -> Int {
    var index = start
    while index < tokens.count {
      lookCount += 1
      switch text(index) {
      case "<":
        guard let closing = closings[index] else { return index }
        index = closing + 1
      case "?", "!", "async": index += 1
      case "throws": index = skipping("(", at: index + 1)
      case "." where isName(index + 1): index += 2
      default: return index
      }
    }
    return index
  }

  // MARK: - Generic arguments

  /// For each `<` the `>` that closes it before something that cannot stand in types, or the statement's end. All are found in one
  /// pass, because a look ahead from each of many comparisons would take time by the square.
  private static func closings(in tokens: [SwiftToken]) -> [Int: Int] {
    var closings: [Int: Int] = [:]
    /// Open `<`, and the brackets around them.
    var open: [(index: Int, isLess: Bool)] = []
    func giveUp(_ open: inout [(index: Int, isLess: Bool)]) {
      while open.last?.isLess == true { open.removeLast() }
    }
    for (index, token) in tokens.enumerated() {
      let before = index > 0 ? tokens[index - 1] : nil
      switch (token.kind, token.text) {
      case (.sign, "<"): open.append((index, true))
      case (.sign, ">"):
        if before?.text != "-", open.last?.isLess == true {
          closings[open.removeLast().index] = index
        }
      case (.sign, "("), (.sign, "["): open.append((index, false))
      case (.sign, "{"):
        giveUp(&open)
        open.append((index, false))
      case (.sign, ")"), (.sign, "]"), (.sign, "}"):
        giveUp(&open)
        _ = open.popLast()
      case (.sign, "-"):
        if index + 1 == tokens.count || tokens[index + 1].text != ">" { giveUp(&open) }
      case (.sign, "&"): if before?.text == "&" { giveUp(&open) }
      case (.sign, let sign): if !signsInTypes.contains(sign) { giveUp(&open) }
      case (.identifier, let name):
        // Two names in a row end a statement where no word of types is one of them.
        guard let before, before.kind == .identifier, !wordsBefore.contains(before.text) else {
          break
        }
        if name != "async" && name != "throws" { giveUp(&open) }
      case (.string, _): giveUp(&open)
      case (.number, _): break
      }
    }
    return closings
  }

  private static let signsInTypes: Set<String> = [".", ",", "?", "!", ":", "@", "~"]
}
