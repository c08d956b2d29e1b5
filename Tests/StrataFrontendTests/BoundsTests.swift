import StrataFrontend
import StrataSource
import Testing

/// Texts that are made to cost as much as possible.
@Suite struct BoundsTests {
  func codes(_ texts: [String]) -> [String] {
    var diagnostics = Diagnostics()
    let files = texts.enumerated().map { SourceFile(path: "\($0).yaml", text: $1) }
    _ = SchemaCompiler.compile(files, reporting: &diagnostics)
    return diagnostics.sorted.map(line)
  }

  @Test(arguments: ["[", "{", "- ", "? ", "[{", "{a: ", "a: [", "- - ? "])
  func fourMebibytesOfOpenings(opening: String) {
    let count = SourceFile.maximumSize / opening.utf8.count
    let found = codes([String(repeating: opening, count: count)])
    #expect(found.count == 1)
    #expect(found[0].contains("STR1005") || found[0].contains("STR1001"), "\(found)")
  }

  @Test func nestingIsBoundedExactly() {
    func nested(_ depth: Int) -> String {
      "x: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(!codes([nested(31)]).contains { $0.contains("STR1005") })
    #expect(codes([nested(32)]).contains { $0.hasPrefix("1:35-1:36 STR1005") })
  }

  @Test func aliasBombsDoNotGoOff() {
    var text = "a0: &a0 [x, x]\n"
    for level in 1...30 {
      text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1)]\n"
    }
    let found = codes([text])
    #expect(found.count { $0.contains("STR1007") } == 31 + 90)
  }

  @Test func charactersThatAreNoneAreRefused() {
    func refused(_ bytes: [UInt8]) -> [String] {
      var diagnostics = Diagnostics()
      let file = SourceFile(path: "a", bytes: Array("doc: é".utf8) + bytes + Array("\n".utf8))
      _ = SchemaCompiler.compile([file], reporting: &diagnostics)
      return diagnostics.sorted.map { String(line($0).prefix(15)) }
    }
    #expect(refused([0]) == ["1:7-1:8 STR1004"])
    #expect(refused([0x1B]) == ["1:7-1:8 STR1004"])
    #expect(refused([0xED, 0xA0, 0x80]) == ["1:7-1:8 STR1003"])
    #expect(refused([0xFF]) == ["1:7-1:8 STR1003"])
    #expect(refused([0xC3]) == ["1:7-1:8 STR1003"])
    #expect(refused([0xF4, 0x90, 0x80, 0x80]) == ["1:7-1:8 STR1003"])
  }

  @Test func sixteenBitTextsAreRefused() {
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] {
      var diagnostics = Diagnostics()
      _ = SchemaCompiler.compile([SourceFile(path: "a", bytes: bytes)], reporting: &diagnostics)
      #expect(diagnostics.sorted.map(line).map { String($0.prefix(15)) } == ["1:1-1:2 STR1003"])
    }
  }

  @Test func tenThousandModelsAreReadAndOneMoreIsNot() {
    func models(_ numbers: Range<Int>) -> String {
      "models:\n" + numbers.map { "  M\($0): { properties: { a: int } }\n" }.joined()
    }
    let header = "schema: Large\nversion: 0\n"
    #expect(codes([header + models(0..<5_000), models(5_000..<10_000)]).isEmpty)
    let found = codes([header + models(0..<5_000), models(5_000..<10_001)])
    #expect(found == ["5002:3-5002:9 STR2801 the schema has 10001 models, more than 10000"])
  }

  @Test func aThousandPropertiesAreReadAndOneMoreIsNot() {
    func model(_ count: Int, _ rest: String = "") -> String {
      "schema: Large\nversion: 0\nmodels:\n  M:\n    properties:\n"
        + (0..<count).map { "      p\($0): int\n" }.joined() + rest
    }
    #expect(codes([model(1_000)]).isEmpty)
    #expect(
      codes([model(1_001)])
        == ["1006:7-1006:12 STR3904 'M' has 1001 properties, more than 1000"])
    #expect(
      codes([model(1_000, "  N: { extends: M, properties: { a: int } }\n")]) == [
        "1006:3-1006:4 STR3904 'N' has 1001 properties with those it inherits, more than 1000"
      ])
  }

  @Test func whatIsInheritedIsBounded() {
    var text = "schema: Large\nversion: 0\nmodels:\n  Base:\n    properties:\n"
    for number in 0..<1_000 { text += "      p\(number): int\n" }
    for number in 0..<1_000 { text += "  M\(number): { extends: Base }\n" }
    let found = codes([text])
    #expect(found.count == 1 && found[0].contains("STR2801"), "\(found)")
  }

  @Test func chainsOfLinksMayBeLong() {
    var text = "schema: Large\nversion: 0\nmodels:\n  M0: {}\n"
    for number in 1..<10_000 {
      text += "  M\(number): { properties: { n: { type: M\(number - 1), deleteRule: cascade } } }\n"
    }
    #expect(codes([text]).isEmpty)
    let closed = text.replacing(
      "M0: {}", with: "M0: { properties: { n: { type: M9999, deleteRule: deny } } }")
    #expect(codes([closed]).count == 1)
  }

  @Test func manyMistakesAreFoundInTime() {
    var text = "schema: Large\nversion: 0\nmodels:\n"
    for number in 0..<9_000 { text += "  Model\(number): { properties: { a: Mdel\(number)x } }\n" }
    #expect(codes([text]).count == 9_000)
  }
}
