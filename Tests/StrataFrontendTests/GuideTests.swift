import StrataFrontend
import StrataSchema
import StrataSource
import StrataYAML
import Testing

/// docs/language.md: its examples are schemas, and it mentions all that the language has.
@Suite struct GuideTests {
  static let text: String = {
    let path = String(testFolder.split(separator: "/Tests/")[0]) + "/docs/language.md"
    let file = try? SourceFolder.read(file: path)
    return file.map { $0.text(in: 0..<$0.bytes.count) } ?? ""
  }()

  static let examples: [String] = text.split(separator: "```yaml\n").dropFirst().map {
    String($0.split(separator: "```", omittingEmptySubsequences: false)[0])
  }

  @Test(arguments: examples) func anExampleIsASchema(text: String) {
    var diagnostics = Diagnostics()
    let file = SourceFile(path: "language.md", text: text)
    let schema = SchemaCompiler.compile([file], reporting: &diagnostics)?.schema
    #expect(schema != nil && diagnostics.isEmpty, "\(TextRenderer().render(diagnostics))")
  }

  @Test func everyWordOfTheLanguageIsInIt() {
    #expect(Self.examples.count >= 4)
    let words =
      ScalarType.allCases.map(\.rawValue) + PropertyKey.allCases.map(\.rawValue)
      + ModelKey.allCases.map(\.rawValue) + EnumKey.allCases.map(\.rawValue)
      + Property.DeleteRule.allCases.map(\.rawValue) + Property.Generator.allCases.map(\.rawValue)
    for word in words { #expect(Self.text.contains("`\(word)`"), "\(word)") }
  }
}
