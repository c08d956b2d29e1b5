/// Whether a block assigns a property on every path, as far as tokens tell.
///
/// It knows the statements that branch and the ones that leave: `if`, `guard`, `switch`, loops, `do`, `return`, `throw`.
/// Wherever it cannot see what happens (the object is handed to a function, an assignment stands in a closure) it takes the
/// property for assigned: what it finds is wrong, and what it does not find may be.
struct DefiniteAssignment {
  /// How deeply statements may be nested; below, everything counts as assigned.
  private static let maximumNesting = 64

  private let tokens: [SwiftToken]
  private let object: String
  private let property: String
  /// The token that begins or ends a path without an assignment; nil also where the body has no token at all.
  private(set) var culprit: SwiftToken?
  /// Whether no path leaves the property without a value.
  private(set) var isAssigned = true

  /// - Parameters:
  ///   - body: the tokens between the braces of a closure, its parameters left out.
  ///   - object: what the closure calls the object, `new`.
  init(body: ArraySlice<SwiftToken>, object: String, property: String) {
    tokens = Array(body)
    self.object = object
    self.property = property
    let end = scan(tokens.indices, assigned: false, nesting: 0)
    if end.goesOn, !end.isAssigned {
      culprit = culprit ?? unassigning ?? tokens.last
      isAssigned = false
    }
    if culprit != nil { isAssigned = false }
  }

  /// A branch that goes on without the assignment that another one makes.
  private var unassigning: SwiftToken?

  private struct End {
    var isAssigned: Bool
    /// Whether what stands behind is reached.
    var goesOn = true
  }

  // MARK: Statements

  private mutating func scan(_ range: Range<Int>, assigned: Bool, nesting: Int) -> End {
    guard nesting < Self.maximumNesting else { return End(isAssigned: true) }
    var isAssigned = assigned
    var index = range.lowerBound
    while index < range.upperBound {
      let token = tokens[index]
      guard token.kind != .string, token.kind != .number else {
        index += 1
        continue
      }
      switch token.text {
      case "if" where !isMember(index), "switch" where !isMember(index),
        "do" where !isMember(index):
        let (end, next) = branch(index, range, isAssigned, nesting)
        if !end.goesOn { return end }
        isAssigned = end.isAssigned
        index = next
      case "guard" where !isMember(index):
        let open = brace(after: index, range)
        let close = closing(open, range)
        isAssigned = isAssigned || holdsAssignment(index..<open)
        _ = scan(inside(open, close), assigned: isAssigned, nesting: nesting + 1)
        index = close + 1
      case "for" where !isMember(index), "while" where !isMember(index):
        let open = brace(after: index, range)
        let close = closing(open, range)
        isAssigned = isAssigned || holdsAssignment(index..<open)
        let known = unassigning
        _ = scan(inside(open, close), assigned: isAssigned, nesting: nesting + 1)
        if isEndless(index, open), holdsAssignment(inside(open, close)) {
          // Its body runs, and which assignment stands before a `break` is not followed.
          isAssigned = true
          unassigning = known
        }
        index = close + 1
      case "return" where !isMember(index):
        if !isAssigned { culprit = culprit ?? token }
        return End(isAssigned: isAssigned, goesOn: false)
      case "throw", "fatalError", "preconditionFailure", "continue", "fallthrough":
        return End(isAssigned: isAssigned, goesOn: false)
      case "break": return End(isAssigned: isAssigned)
      case "{":
        // A closure, or the body of `repeat` and `defer`: who knows when it runs.
        let close = closing(index, range)
        isAssigned = isAssigned || holdsAssignment(index..<close)
        let isRepeat = index > 0 && tokens[index - 1].text == "repeat"
        index = isRepeat && close + 1 < range.upperBound ? close + 2 : close + 1
      default:
        if assigns(index, range) { isAssigned = true }
        index += 1
      }
    }
    return End(isAssigned: isAssigned)
  }

  /// `if`, `switch` or `do` with all that belongs to it; where the next statement begins.
  private mutating func branch(
    _ start: Int, _ range: Range<Int>, _ assigned: Bool, _ nesting: Int
  ) -> (End, next: Int) {
    let open = brace(after: start, range)
    var close = closing(open, range)
    var ends: [End] = []
    var assigned = assigned || holdsAssignment(start..<open)
    if tokens[start].text == "switch" {
      for part in cases(inside(open, close)) {
        ends.append(scan(part, assigned: assigned, nesting: nesting + 1))
      }
    } else {
      ends.append(scan(inside(open, close), assigned: assigned, nesting: nesting + 1))
      let isCondition = tokens[start].text == "if"
      var isComplete = !isCondition
      while close + 1 < range.upperBound,
        tokens[close + 1].text == (isCondition ? "else" : "catch"), !isMember(close + 1)
      {
        isComplete =
          !isCondition || close + 2 < range.upperBound && tokens[close + 2].text != "if"
        let open = brace(after: close + 1, range)
        assigned = assigned || holdsAssignment(close + 1..<open)
        close = closing(open, range)
        ends.append(scan(inside(open, close), assigned: assigned, nesting: nesting + 1))
      }
      if !isComplete { ends.append(End(isAssigned: assigned)) }
    }
    let reached = ends.filter(\.goesOn)
    let isAssigned = reached.allSatisfy(\.isAssigned)
    if !isAssigned, reached.contains(where: \.isAssigned) || ends.contains(where: { !$0.goesOn }) {
      unassigning = unassigning ?? tokens[start]
    }
    return (End(isAssigned: isAssigned, goesOn: ends.isEmpty || !reached.isEmpty), close + 1)
  }

  /// The statements of each case of a `switch`.
  private func cases(_ range: Range<Int>) -> [Range<Int>] {
    var starts: [Int] = []
    var depth = 0
    for index in range {
      switch tokens[index].text {
      case "{", "(", "[": depth += 1
      case "}", ")", "]": depth -= 1
      case "case", "default":
        // `if case` has its own braces, so that it stands here only behind `if`, `guard`, `while` or a comma.
        let before = index > range.lowerBound ? tokens[index - 1].text : ""
        if depth == 0, !["if", "guard", "while", "for", ",", "."].contains(before) {
          starts.append(index)
        }
      default: break
      }
    }
    return zip(starts, starts.dropFirst() + [range.upperBound]).map { $0..<$1 }
  }

  // MARK: Tokens

  /// Whether a word is no statement: a member, a label, or a condition of the compiler.
  private func isMember(_ index: Int) -> Bool {
    index > 0 && [".", "#"].contains(tokens[index - 1].text)
  }

  /// `while true`.
  private func isEndless(_ start: Int, _ open: Int) -> Bool {
    tokens[start].text == "while"
      && tokens[start..<open].dropFirst().map(\.text).filter { $0 != "(" && $0 != ")" } == ["true"]
  }

  private func holdsAssignment(_ range: Range<Int>) -> Bool {
    range.contains { assigns($0, tokens.indices) }
  }

  /// Whether the property gets a value here, or may get one out of sight of this check.
  private func assigns(_ index: Int, _ range: Range<Int>) -> Bool {
    // An object without a name, `{ old, _ in`, gets nothing: `_ = old.name` gives a value away.
    guard tokens[index].kind == .identifier, tokens[index].text == object, object != "_",
      !isMember(index)
    else { return false }
    func text(_ offset: Int) -> String {
      index + offset < range.upperBound ? tokens[index + offset].text : ""
    }
    // A label, `f(new: …)`.
    if text(1) == ":", index > 0, ["(", ","].contains(tokens[index - 1].text) { return false }
    guard text(1) == "." else { return true }
    // A method of the object may be an extension's: `new.fill(from: old)`.
    if text(3) == "(" { return true }
    guard text(2) == property else { return false }
    if text(3) == "=" && text(4) != "=" || ["+", "-", "*", "/", "."].contains(text(3)) {
      return true
    }
    return isHandedOver(index) || isInAssignedTuple(index + 3, range)
  }

  /// `fill(&new.name)`.
  private func isHandedOver(_ index: Int) -> Bool {
    guard index > 0, tokens[index - 1].text == "&" else { return false }
    return index == 1 || tokens[index - 2].text != "&"
  }

  /// Whether the parentheses around a token are assigned to: `(new.name, new.age) = ("", 0)`.
  private func isInAssignedTuple(_ start: Int, _ range: Range<Int>) -> Bool {
    var depth = 0
    for index in start..<max(start, range.upperBound) {
      switch tokens[index].text {
      case "(", "[", "{": depth += 1
      case "]", "}": depth -= 1
      case ")" where depth > 0: depth -= 1
      case ")":
        let next = tokens[min(index + 1, tokens.count - 1)].text
        if next == "=" { return index + 2 >= tokens.count || tokens[index + 2].text != "=" }
        // A tuple in a tuple.
        guard next == "," || next == ")" else { return false }
      case "," where depth == 0: break
      default: if depth == 0, index == start { return false }
      }
      if depth < 0 { return false }
    }
    return false
  }

  /// The brace that opens the body of a statement: the first one outside of parentheses.
  private func brace(after start: Int, _ range: Range<Int>) -> Int {
    var depth = 0
    for index in start..<range.upperBound where tokens[index].kind == .sign {
      switch tokens[index].text {
      case "(", "[", "\\(": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return index
      default: break
      }
    }
    return range.upperBound
  }

  private func closing(_ open: Int, _ range: Range<Int>) -> Int {
    var depth = 0
    for index in open..<max(open, range.upperBound) where tokens[index].kind == .sign {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return range.upperBound
  }

  private func inside(_ open: Int, _ close: Int) -> Range<Int> {
    min(open + 1, close)..<close
  }
}
