/// The closure of `step.each(V0.Person.self, V1.Person.self) { old, new in … }`.
struct EachClosure {
  /// The model of its new objects, as Swift has it.
  var model: String
  /// Where `each` stands, and the whole statement from `try` to the brace that closes it.
  var call: Int
  var statement: Range<Int>
  /// What it calls the new object.
  var object: String
  /// Its tokens behind `in`.
  var body: Range<Int>

  /// Those whose new objects are of a model.
  static func all(in tokens: [SwiftToken], of model: String) -> [EachClosure] {
    all(in: tokens).filter { $0.model == model }
  }

  static func all(in tokens: [SwiftToken]) -> [EachClosure] {
    calls(in: tokens).compactMap { call in
      brace(of: call, tokens).flatMap { closure(tokens, call, $0) }
    }
  }

  /// Whether nothing happens to an object: the body is empty, or a `return` alone.
  func isEmpty(in tokens: [SwiftToken]) -> Bool {
    tokens[body].allSatisfy { [";", "return"].contains($0.text) }
  }

  /// Whether objects or the step itself are handed to a function: `each(V0.Person.self, V1.Person.self, fill)`, `fill(step)`.
  static func isHandedOn(in tokens: [SwiftToken]) -> Bool {
    let isHidden = calls(in: tokens).contains { call in
      brace(of: call, tokens).flatMap { closure(tokens, call, $0) } == nil
    }
    return isHidden || handsOnStep(tokens)
  }

  /// Where `each` stands, of each call.
  private static func calls(in tokens: [SwiftToken]) -> [Int] {
    tokens.indices.dropFirst().filter {
      tokens[$0].text == "each" && tokens[$0].kind == .identifier && tokens[$0 - 1].text == "."
    }
  }

  /// The brace of `each(V0.Person.self, V1.Person.self) {`; nil for a call of another form.
  private static func brace(of call: Int, _ tokens: [SwiftToken]) -> Int? {
    let end = tokens[(call + 1)...].prefix(16).firstIndex { $0.text == ")" }
    guard let end, end - call >= 4, tokens[end - 1].text == "self", end + 1 < tokens.count,
      tokens[end + 1].text == "{"
    else { return nil }
    return end + 1
  }

  /// Whether what `Step(to: 1) { step in` names stands anywhere without a dot behind it.
  private static func handsOnStep(_ tokens: [SwiftToken]) -> Bool {
    let name = tokens.indices.dropFirst(2).first {
      tokens[$0].text == "in" && tokens[$0 - 2].text == "{" && tokens[$0 - 1].kind == .identifier
    }.map { tokens[$0 - 1].text }
    return tokens.indices.contains { index in
      guard tokens[index].kind == .identifier, tokens[index].text == name ?? "$0",
        index + 1 < tokens.count, index == 0 || tokens[index - 1].text != "."
      else { return false }
      return ![".", ":", "in"].contains(tokens[index + 1].text)
    }
  }

  private static func closure(
    _ tokens: [SwiftToken], _ call: Int, _ open: Int
  ) -> EachClosure? {
    var depth = 0
    let close = tokens[open...].firstIndex {
      if $0.kind == .sign, $0.text == "{" { depth += 1 }
      if $0.kind == .sign, $0.text == "}" { depth -= 1 }
      return depth == 0
    }
    guard let close else { return nil }
    // `try step.each`
    let isTried = call >= 3 && tokens[call - 3].text == "try"
    var each = EachClosure(
      model: tokens[open - 4].text, call: call,
      statement: (isTried ? call - 3 : call - 2)..<(close + 1), object: "$1",
      body: (open + 1)..<close)
    let head = tokens[(open + 1)..<close].prefix(16)
    guard let start = head.firstIndex(where: { $0.text == "in" }) else { return each }
    // (old, new), old, new, or with types.
    let names = head.prefix(upTo: start).filter { $0.kind == .identifier }
    let comma = head.prefix(upTo: start).firstIndex { $0.text == "," }
    guard let comma, comma + 1 < start, names.count >= 2 else { return nil }
    each.object = tokens[comma + 1].text
    each.body = (start + 1)..<close
    return each
  }
}
