import StrataEvolution
import Testing

@Suite("Parameters of closures in Swift blocks")
struct ClosureParameterTests {
  /// The tokens that name parameters, by the text that stands before each.
  private func marked(_ text: String) -> [String] {
    let tokens = SwiftLexer.tokens(of: Array(text.utf8))
    return ClosureParameters(tokens).indexes.sorted().map { index in
      (index > 0 ? tokens[index - 1].text + " " : "") + tokens[index].text
    }
  }

  @Test(
    "A parameter is known behind its signature, up to the brace that closes",
    arguments: [
      ("{ old, new in f(old) } old", ["{ old", ", new", "( old"]),
      ("{ (old: old, _ new) throws -> new in new }", ["( old", ", _", "_ new", "in new"]),
      ("{ [old] old in old }", ["] old", "in old"]),
      ("{ a in { a in a }; a }", ["{ a", "{ a", "in a", "; a"]),
      ("{ a in { (b: C) in a + b } }", ["{ a", "( b", "in a", "+ b"]),
      ("{ ((a, b), c) in a }", ["( a", ", b", ", c", "in a"]),
      ("old { old }", []),
    ])
  func signatures(text: String, expected: [String]) {
    #expect(marked(text) == expected)
  }

  @Test(
    "In a type a parameter is not meant, also in brackets",
    arguments: [
      "let a: old = x", "let a: [old] = []", "var a: Set<old>? = nil", "let a: [Int: [old]]",
      "let a: Map<Int, (old, Int) -> [old]>", "let a: (old) async throws -> old",
      "let a: any Sendable & old", "let a: A.B<old>.old", "x as [old]", "x as? Set<old>",
      "x as! old", "x is [old]", "let a: @Sendable (old) -> Void",
    ])
  func types(text: String) {
    #expect(marked("{ old in \(text) }") == ["{ old"])
  }

  @Test(
    "Behind a type it is meant again",
    arguments: [
      ("let a: [Int] = [old]", "[ old"), ("let a: Int = old", "= old"), ("f(x: old)", ": old"),
      ("let a: Int; old.b()", "; old"), ("(x as Int, old)", ", old"), ("x < old", "< old"),
      ("if x is A { old.b() }", "{ old"), ("if x as! Int < old.limit {}", "< old"),
      ("if x as! Int < old.a && b > 3 {}", "< old"), ("x as Int <= old.a", "= old"),
      ("let b = x as! Int < old.a\nlet c = d > e", "< old"), ("f(x as Int < old.a)", "< old"),
      ("if x as! A<B> < old.a {}", "< old"), ("if x is A || y as Int < 3 || old.b {}", "| old"),
    ])
  func behindTypes(text: String, expected: String) {
    #expect(marked("{ old in \(text) }").last == expected)
  }

  /// Each of them was looked through to its end, and the names around it were copied.
  @Test(
    "However deeply brackets are nested, a token is looked at a few times",
    arguments: [
      ("{(", ""), ("{(", ")}"), ("{(a", ")in}"), ("{(", ")->"), ("{@a(", ")@"), ("{a in", "}"),
      ("{[", "]a in}"), ("let a: [", "]"), ("let a: Set<", ">"), ("x as (", ")"), ("{a, ", ""),
      ("x as A <", ""), ("x as A < (", ")"), ("x is A < x, ", ">"),
    ])
  func work(opening: String, closing: String) {
    let count = 2000
    let text =
      String(repeating: opening + " ", count: count)
      + String(repeating: closing + " ", count: count)
    let tokens = SwiftLexer.tokens(of: Array(text.utf8))
    #expect(ClosureParameters(tokens).lookCount <= 9 * tokens.count)
  }
}
