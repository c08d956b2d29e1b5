import StrataFrontend
import StrataReference
import StrataSource

/// Texts that are nearly right, or not at all.
struct FuzzedText {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  private static let corpus: [[UInt8]] =
    [WholeLanguage.schema, WholeLanguage.step].map { Array($0.utf8) }
    + DiagnosticCatalogue.pages.flatMap { $0.failing + $0.repaired }.map(\.source.bytes)
    .filter { $0.count < 20_000 }

  private static let tokens: [[UInt8]] =
    [
      "&a ", "*a", "!!int ", "!x", "%YAML 1.1\n", "---\n", "...\n", "? ", ": ", "- ", "-", "|",
      "|+\n", ">-\n",
      "[", "]", "{", "}", ",", "#", " #", "'", "\"", "\\", "\t", "\r\n", "\r", "\n\n", "  ",
      "\u{FEFF}",
      "\u{85}", "\u{2028}", "e\u{301}", "\u{E9}", "😀", "null", "~", "true", "yes", "0x1F", "1e400",
      ".nan",
      "2026-02-29", "type: ", "default: ", "extends: ", "[string?]", "set<int>", "map<", "?",
      "$ref",
      "linkingObjects: ", "Person", "Person.boss", "embedded: true", "abstract: true",
      "{ type: int }",
      "deleteRule: cascade", "primaryKey: [a, b]", "a: &b [*b]", "_row", "sqlite_", "old.a + 1",
    ].map { Array($0.utf8) } + [
      [0], [0xFF], [0xED, 0xA0, 0x80], [0xC3], [0xEF, 0xBB, 0xBF], [0x07], [0x7F],
    ]

  mutating func next() -> [UInt8] {
    if random.next() % 20 == 0 { return noise() }
    var text = random.element(Self.corpus)
    for _ in 0...Int(random.next() % 6) { mutate(&text) }
    return Array(text.prefix(60_000))
  }

  /// Nothing but tokens, or bytes.
  private mutating func noise() -> [UInt8] {
    let isText = random.next() % 2 == 0
    return (0..<Int(random.next() % 200)).flatMap { _ in
      isText ? random.element(Self.tokens) : [UInt8(truncatingIfNeeded: random.next())]
    }
  }

  private mutating func mutate(_ text: inout [UInt8]) {
    let place = text.isEmpty ? 0 : Int(random.next() % UInt64(text.count))
    switch random.next() % 10 {
    case 0 where !text.isEmpty: text[place] = UInt8(truncatingIfNeeded: random.next())
    case 1 where !text.isEmpty: text.remove(at: place)
    case 2, 3, 4: text.insert(contentsOf: random.element(Self.tokens), at: place)
    case 5:
      let end = min(text.count, place + Int(random.next() % 40))
      text.removeSubrange(place..<end)
    case 6:
      let end = min(text.count, place + Int(random.next() % 60))
      let part = Array(text[place..<end])
      for _ in 0..<Int(random.next() % 8) { text.insert(contentsOf: part, at: place) }
    case 7: mutateLines(&text)
    case 8:
      let other = random.element(Self.corpus)
      let start = other.isEmpty ? 0 : Int(random.next() % UInt64(other.count))
      text.insert(contentsOf: other[start...].prefix(Int(random.next() % 300)), at: place)
    default: text.insert(UInt8(ascii: " "), at: place)
    }
  }

  private mutating func mutateLines(_ text: inout [UInt8]) {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    let first = Int(random.next() % UInt64(lines.count))
    let second = Int(random.next() % UInt64(lines.count))
    switch random.next() % 3 {
    case 0: lines.swapAt(first, second)
    case 1: lines.insert(lines[first], at: second)
    default: lines[first] = lines[first].drop { $0 == 0x20 }
    }
    text = Array(lines.joined(separator: [0x0A]))
  }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func element<Element>(_ elements: [Element]) -> Element {
    elements[Int(next() % UInt64(elements.count))]
  }
}
