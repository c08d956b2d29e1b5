import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSource
import Testing

@Suite("Expressions in canonical form")
struct SourceFormatterTests {
  private func format(_ text: String) throws -> String {
    var diagnostics = Diagnostics()
    let file = SourceFormatter.format(
      SourceFile(path: "1.yaml", text: text), reporting: &diagnostics)
    return try #require(file.map { $0.text(in: 0..<$0.bytes.count) })
  }

  private func expectFormatted(
    _ untidy: String, _ tidy: String, at location: Testing.SourceLocation = #_sourceLocation
  ) throws {
    #expect(try format(untidy) == tidy, sourceLocation: location)
    #expect(try format(tidy) == tidy, sourceLocation: location)
  }

  @Test("In a step: set, back, delete and repair")
  func steps() throws {
    try expectFormatted(
      """
      to: 1
      set: { P: { b: "((old.a)+1)", c: old.a+' '+old.b, d: 5 } }  # why
      back: { P: { a: (new.b)-1 } }
      delete: { P: 'old.a==nil or(old.b > 1)' }
      repair:
        P.adult:
          set: { a: a+1 }  # grown
          delete: "not (a<0)"
      accept: [{ rule: x, at: P.a, because: (1)+(2) }]
      """,
      """
      to: 1
      set: { P: { b: "old.a + 1", c: old.a + ' ' + old.b, d: 5 } }  # why
      back: { P: { a: new.b - 1 } }
      delete: { P: "old.a == nil OR old.b > 1" }
      repair:
        P.adult:
          set: { a: a + 1 }  # grown
          delete: "NOT a < 0"
      accept: [{ rule: x, at: P.a, because: (1)+(2) }]

      """)
  }

  @Test("In declarations: the rules, and nothing else")
  func declarations() throws {
    try expectFormatted(
      """
      models:
        P:
          doc: (a)+(b)
          rules:
            r: "(a>=1)and(a<5)"
            s: { that: 'a in{1,2}', says: (a) }
          properties: { a: { type: int, default: 1 } }
      """,
      """
      models:
        P:
          doc: (a)+(b)
          rules:
            r: "a >= 1 AND a < 5"
            s: { that: "a IN {1, 2}", says: (a) }
          properties: { a: { type: int, default: 1 } }

      """)
  }

  @Test("What is broken into lines, has mistakes or is a question stays")
  func left() throws {
    let text = """
      to: 1
      set:
        P:
          a: (old.a) +
            1
          b: |
            (old.b)+1
          c: (old.c
          d: ???  # (1)+2
          e: "(old.e) +
            1"
          f:
          g: ~

      """
    #expect(try format(text) == text)
  }

  @Test(
    "What is broken into lines stays so in a block with its indentation as a number",
    arguments: ["|2-", "|-2", "|2"])
  func leftInABlock(head: String) throws {
    func text(_ head: String) -> String {
      "models:\n  P:\n    rules:\n      r: \(head)\n        k > 3 AND\n        k < 9\n"
    }
    try expectFormatted(text(head), text(head.replacing("2", with: "")))
  }

  /// Expressions with too many parentheses and odd spaces, in every style of YAML.
  @Test("Formatting keeps what is meant, and comments", arguments: 0..<40)
  func random(seed: UInt64) throws {
    var words = RandomExpressions(seed: seed)
    for _ in 0..<25 {
      let (set, condition) = (words.value(depth: 4), words.condition(depth: 4))
      let text = """
        to: 1
        set: { P: { a: \(words.scalar(set, isFlow: true)) } }  # one
        delete:
          # two
          P: \(words.scalar(condition, isFlow: false))  # three
        """
      let once = try format(text)
      var diagnostics = Diagnostics()
      let before = StepReader.read(SourceFile(path: "1.yaml", text: text), reporting: &diagnostics)
      let after = StepReader.read(SourceFile(path: "1.yaml", text: once), reporting: &diagnostics)
      let step = try #require(before, "\(text) \(diagnostics.sorted)").step
      #expect(step == after?.step, "\(text)\n\(once)")
      #expect(try format(once) == once)
      #expect(["# one", "# two", "# three"].allSatisfy(once.contains))
      for expression in [step.set["P"]?["a"], step.delete["P"]].compactMap({ $0?.text }) {
        let inYAML = [expression, expression.replacing("\"", with: "\\\"")]
        #expect(inYAML.contains(where: once.contains), "\(expression) in \(once)")
      }
    }
  }
}

/// Texts of expressions with needless parentheses and odd spaces.
private struct RandomExpressions {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  private mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func pick(_ items: [String]) -> String { items[next(items.count)] }
  private mutating func gap() -> String { pick(["", " ", "  "]) }

  mutating func value(depth: Int) -> String {
    if depth == 0 || next(4) == 0 {
      return pick([
        "old.a", "old.b.c", "5", "1.50", "'x y'", "'é'", "nil", "true", "date('2001-01-02')",
      ])
    }
    let (left, right) = (value(depth: depth - 1), value(depth: depth - 1))
    switch next(5) {
    case 0: return "(\(gap())\(left)\(gap()))"
    case 1: return "\(left)\(gap())??\(gap())(\(right))"
    case 2: return "if( \(condition(depth: depth - 1)),\(left),\(right))"
    case 3: return "-(\(left))"
    default: return "(\(left))\(gap())\(pick(["+", "-", "*", "/"]))\(gap())(\(right))"
    }
  }

  mutating func condition(depth: Int) -> String {
    if depth == 0 || next(3) == 0 {
      let (left, right) = (value(depth: min(depth, 1)), value(depth: min(depth, 1)))
      return "(\(left))\(gap())\(pick(["==", "!=", "<", ">=", "<>", "="]))\(gap())(\(right))"
    }
    let (left, right) = (condition(depth: depth - 1), condition(depth: depth - 1))
    switch next(4) {
    case 0: return "(\(left))"
    case 1: return "\(pick(["not", "NOT", "!"]))(\(left))"
    case 2: return "(\(left))\(pick(["and", "&&", "AND"]))(\(right))"
    default: return "(\(left)) \(pick(["or", "||", "Or"])) (\(right))"
    }
  }

  /// The text as a scalar: without quotes where it may stand so, in single or in double ones.
  mutating func scalar(_ text: String, isFlow: Bool) -> String {
    let isPlain = !text.hasPrefix("!") && !text.hasPrefix("'") && !text.hasPrefix("-")
    switch next(3) {
    case 0 where isPlain && !(isFlow && text.contains(",")): return text
    case 1: return "'" + text.replacing("'", with: "''") + "'"
    default: return "\"" + text + "\""
    }
  }
}
