import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema
import Testing

@Suite("Tokens of Swift blocks")
struct SwiftTokenTests {
  func tokens(_ text: String) -> [String] {
    SwiftLexer.tokens(of: Array(text.utf8)).map(\.text)
  }

  func digest(_ text: String) -> Digest { StepDigest.digest(ofBlock: Array(text.utf8)) }

  @Test("Names, numbers and signs")
  func plain() {
    #expect(
      tokens("let `class` = a.b_1 + 0x1F - 1.5e-3 /* x /* y */ z */ // end\n  return $0") == [
        "let", "class", "=", "a", ".", "b_1", "+", "0x1F", "-", "1.5e-3", "return", "$0",
      ])
    #expect(tokens("0..<10") == ["0", ".", ".", "<", "10"])
    #expect(tokens("größe=1") == ["größe", "=", "1"])
  }

  @Test("String literals in all forms")
  func strings() {
    #expect(tokens(#""a // \" b" + c"#) == [#"a // \" b"#, "+", "c"])
    #expect(tokens(##"#"a " \(no) \#(yes) "#"##) == [#"a " \(no) "#, "\\(", "yes", ")", " "])
    #expect(
      tokens(#""\(f(")")) and \(x)""#) == [
        "", "\\(", "f", "(", ")", ")", ")", " and ", "\\(", "x", ")", "",
      ])
    #expect(tokens("\"\"\"\n  a \"b\"\n    c\n  \"\"\"\nd") == ["\na \"b\"\n  c\n", "d"])
    #expect(tokens("#/a \" b/# + 1") == ["#/a \" b/#", "+", "1"])
  }

  @Test("Regular expressions, and what only looks like one")
  func regularExpressions() {
    #expect(tokens(#"let r = /"/; f()"#) == ["let", "r", "=", #"/"/"#, ";", "f", "(", ")"])
    #expect(
      tokens(#"x.matches(of: /a\/\/b/) // end"#) == [
        "x", ".", "matches", "(", "of", ":", #"/a\/\/b/"#, ")",
      ])
    #expect(tokens("return /[a-z]+/") == ["return", "/[a-z]+/"])
    #expect(tokens("a ? /x/ : /y/") == ["a", "?", "/x/", ":", "/y/"])
    #expect(tokens("a / b / c") == ["a", "/", "b", "/", "c"])
    #expect(tokens("(a)/b/c") == ["(", "a", ")", "/", "b", "/", "c"])
    #expect(tokens("x!/2 + y[0]/2") == ["x", "!", "/", "2", "+", "y", "[", "0", "]", "/", "2"])
    #expect(tokens("f(/, 1)") == ["f", "(", "/", ",", "1", ")"])
    #expect(tokens("#/\n a \" // no comment\n/# + 1").suffix(2) == ["+", "1"])
    #expect(tokens("##/ a /# b /## + 1").suffix(2) == ["+", "1"])
  }

  @Test("Raw and long literals, interpolations in interpolations, conditions of the compiler")
  func nasty() {
    #expect(tokens(###"##"a "# \#(b) \##(c)"##"###) == [##"a "# \#(b) "##, "\\(", "c", ")", ""])
    #expect(
      tokens(#""\(a ? "x\("y")" : "/*")" + b /* " */"#).suffix(2) == ["+", "b"])
    #expect(tokens("#\"\"\"\n  \"\"\" \\(no)\n  \"\"\"#\n.b") == ["\n\"\"\" \\(no)\n", ".", "b"])
    #expect(tokens("\"\"\"\n  a\\\n  b\n  \"\"\"").count == 1)
    #expect(tokens("/* /* UUID() */ Date() */ a") == ["a"])
    #expect(tokens("/**/a/***/b") == ["a", "b"])
    #expect(
      tokens("#if DEBUG\nx\n#else\ny\n#endif") == [
        "#", "if", "DEBUG", "x", "#", "else", "y", "#", "endif",
      ])
    #expect(tokens("`default`.`in` = `self`") == ["default", ".", "in", "=", "self"])
    #expect(tokens("\u{FEFF}let 🐕 = é") == ["\u{FEFF}let", "🐕", "=", "é"])
    #expect(tokens("a\r\n// b\r\nc") == ["a", "c"])
  }

  @Test("What is not closed ends with the line or the file")
  func broken() {
    #expect(tokens("\"abc\nd") == ["abc", "d"])
    #expect(tokens("a /* b") == ["a"])
    #expect(tokens("\"\"\"\nabc") == ["\nabc"])
    #expect(tokens("\"\\") == ["\\"])
    #expect(tokens("\"\\(a") == ["", "\\(", "a", ""])
    _ = tokens(String(repeating: "\"\\(", count: 1000))
  }

  @Test("Comments, white space and indentation don't count, literals do")
  func digests() {
    let block = "let x = \"a b\" // note\nlet y = \"\"\"\n  one\n    two\n  \"\"\"\n"
    #expect(
      digest(block)
        == digest("let x   =\n\"a b\"\nlet y=\"\"\"\n      one\n        two\n      \"\"\""))
    #expect(digest(block) != digest(block.replacing("a b", with: "a  b")))
    #expect(digest(block) != digest(block.replacing("two", with: " two")))
    #expect(digest("a b") != digest("ab"))
    #expect(digest("\"a\"") != digest("a"))
    #expect(digest("\"\\(a)\"") != digest("\"(a)\""))
  }

  @Test("A step's digest is of its meaning and its blocks")
  func steps() throws {
    let one = try step("to: 1\nset: { Person: { name: 'old.a + 1' } }\n")
    let same = try step(
      "to: 1\n# why\nset:\n  Person:\n    name: old.a   +1\naccept: [{rule: x, at: Person, because: y}]\n"
    )
    #expect(StepDigest.digest(of: one, blocks: []) == StepDigest.digest(of: same, blocks: []))
    #expect(StepDigest.digest(of: nil, blocks: []) == nil)
    #expect(StepDigest.digest(of: try step("to: 1\n"), blocks: []) == nil)
    let (a, b) = (Array("let a = 1".utf8), Array("let b = 2".utf8))
    #expect(
      StepDigest.digest(of: nil, blocks: [a, b]) == StepDigest.digest(of: nil, blocks: [b, a]))
    #expect(StepDigest.digest(of: one, blocks: [a]) != StepDigest.digest(of: one, blocks: [b]))
    #expect(StepDigest.digest(of: nil, blocks: [a]) != nil)
  }

  /// Files out there were sealed with these: an algorithm is never changed, only followed by another one.
  @Test("Digests stay what they are")
  func golden() throws {
    let one = try step("to: 1\nset: { Person: { name: 'old.a' } }\nswift: [Person]\n")
    let block = Array("extension M { static let toVersion1 = Step(to: 1) { \"\\(a) b\" } }".utf8)
    #expect(
      StepDigest.digest(of: one, blocks: [block])?.description
        == "baae7d0c3f14f281557106644ec2af8058d0971d3807afa8e55321f125c43b00")
    let schema = try compile(CanonicalYAMLTests.declarations)
    #expect(
      schema.shape.description == "45980d28e6da4f4b7e19a4bd435c0f3f724a001568f08b8bf6608d9cf097a516"
    )
    let line = VersionLock.Line(
      version: 3, date: "2026-11-21", shape: Digest(of: "shape"), step: nil,
      after: Digest(of: "chain"))
    #expect(
      line.chain.description == "d4f8668c527462bad3eea1daa382aa14c4810e8b1a195444b0dff429dbef105b")
  }
}
