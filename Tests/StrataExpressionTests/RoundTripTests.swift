import StrataExpression
import StrataSchema
import Testing

@Suite("Canonical text")
struct RoundTripTests {
  @Test("A generated tree's text parses back to an equal tree", arguments: 0..<20)
  func roundTrip(seed: UInt64) throws {
    var generator = TreeGenerator(seed: seed)
    for _ in 0..<300 {
      let tree = generator.tree(depth: 5)
      let text = tree.text
      let parsed = try Expression.parse(text)
      #expect(parsed == tree, "\(text)")
      #expect(parsed.text == text)
    }
  }

  // Of a list without its type the compiler thinks for ten seconds.
  private static let literals: [Value] = [
    .null, .bool(true), .int(.min), .int(.max), .int(-1), .double(-0.0), .double(.infinity),
    .double(-.infinity), .double(.nan), .double(Double(nan: 5, signaling: false)), .double(-.nan),
    .double(.leastNonzeroMagnitude), .double(1.7976931348623157e308), .float(.nan), .float(-0.0),
    .float(.infinity),
    .float(.leastNonzeroMagnitude), .float(Float(nan: 3, signaling: false)), .string(""),
    .string("it's \"\\ \u{0}\n\r\t\u{1F}\u{7F}\u{85}\u{2028}\u{FEFF} é e\u{301} 👩‍👩‍👧"),
    .data([]), .data([0, 255]), .date(0), .date(0.1), .date(-1e9 + 0.001), .date(795_218_400.123),
    .date(.nan), .date(.infinity), .date(1e300), .date(-0.0), .date(-63_114_076_800.5),
    .uuid(UUIDValue(high: 1, low: 2)), .objectID(ObjectIDValue(high: 1, low: 2)),
    .decimal(DecimalValue("-1.50") ?? .zero), .decimal(.notANumber), .link(-5),
    .object(model: "Per'son", identity: 5),
  ]

  @Test("Every literal has a spelling that keeps its bits", arguments: literals)
  func literal(value: Value) throws {
    let expression = Expression(.literal(value))
    #expect(try Expression.parse(expression.text) == expression)
  }

  @Test("A conversion of a literal is the value; in parentheses it stays a conversion")
  func literalCalls() throws {
    let parsed = try Expression.parse("date('2001-01-02')")
    #expect(parsed.kind == .literal(.date(86400)))
    #expect(parsed.text == "date('2001-01-02T00:00:00Z')")
    let call = Expression(.call(.date, [Expression(.literal(.string("soon")))]))
    #expect(call.text == "date(('soon'))")
    #expect(try Expression.parse(call.text) == call)
  }
}

/// Trees of every kind, by a seed.
private struct TreeGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func pick<T>(_ items: [T]) -> T { items[next(items.count)] }

  mutating func name() -> String {
    pick([
      "a", "name", "dogs", "contains", "old", "in", "ANY", "größe", "_x1", "first", "self", "if",
      "date", "x",
    ])
  }

  mutating func literal() -> Value {
    switch next(12) {
    case 0: .null
    case 1: .bool(next(2) == 0)
    case 2: .int(Int64(bitPattern: next()))
    case 3: .int(Int64(next(10)) - 5)
    case 4: .double(Double(bitPattern: next()))
    case 5: .float(Float(bitPattern: UInt32(truncatingIfNeeded: next())))
    case 6:
      .string(
        String(
          (0..<next(6)).map { _ in pick(["a", "'", "\\", "\n", "é", "😀", "%", "\"", " "]) }.joined()
        ))
    case 7: .data((0..<next(4)).map { _ in UInt8(truncatingIfNeeded: next()) })
    case 8: .date(pick([Double(bitPattern: next()), Double(next(1_000_000_000)) / 8]))
    case 9: .uuid(UUIDValue(high: next(), low: next()))
    case 10: .decimal(DecimalValue("\(Int64(bitPattern: next())).\(next(1000))") ?? .zero)
    default: .link(Int64(next(100)))
    }
  }

  mutating func tree(depth: Int) -> Expression {
    Expression(depth == 0 ? leaf() : kind(depth: depth - 1))
  }

  private mutating func leaf() -> Expression.Kind {
    switch next(6) {
    case 0: .argument(next(3))
    case 1: .object(pick([.subject, .old, .variable("d")]))
    case 2: .member(base: Expression(.object(.subject)), name: name())
    case 3: .member(base: Expression(.object(.old)), name: name())
    default: .literal(literal())
    }
  }

  private mutating func kind(depth: Int) -> Expression.Kind {
    switch next(17) {
    case 0: return leaf()
    case 16:
      let model = Expression(.member(base: Expression(.object(.subject)), name: name()))
      return .lookup(model: model, key: (0...next(2)).map { _ in tree(depth: depth) })
    case 1: return .member(base: tree(depth: depth), name: name())
    case 2: return .element(of: tree(depth: depth), at: tree(depth: depth))
    case 3: return .unary(pick([.negate, .not]), tree(depth: depth))
    case 4, 5, 6:
      return .binary(pick(BinaryOperator.allCases), tree(depth: depth), tree(depth: depth))
    case 7:
      return .comparison(
        pick(ComparisonOperator.allCases), tree(depth: depth), tree(depth: depth),
        TextOptions(rawValue: UInt8(next(4))))
    case 8:
      return .between(tree(depth: depth), lower: tree(depth: depth), upper: tree(depth: depth))
    case 9:
      return .oneOf(
        tree(depth: depth), (0..<next(4)).map { _ in tree(depth: depth) },
        TextOptions(rawValue: UInt8(next(4))))
    case 10: return .quantified(pick(Quantifier.allCases), tree(depth: depth))
    case 11: return .aggregate(pick(Aggregate.allCases), of: tree(depth: depth))
    case 12:
      return .subquery(
        collection: tree(depth: depth), variable: "d", condition: tree(depth: depth))
    case 13:
      let function = pick(Function.allCases)
      let count = function.arity.lowerBound + next(min(2, function.arity.count))
      return .call(function, (0..<count).map { _ in tree(depth: depth) })
    case 14:
      return .conditional(
        tree(depth: depth), then: tree(depth: depth), else: tree(depth: depth))
    default: return .list((0..<next(4)).map { _ in tree(depth: depth) })
    }
  }
}
