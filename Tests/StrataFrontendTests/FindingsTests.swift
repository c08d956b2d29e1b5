import StrataFrontend
import StrataSource
import Testing

/// Declarations with mistakes, and all that is said about them: a file of `Findings/` each.
@Suite struct FindingsTests {
  static let folder = testFolder + "/Findings"
  static let separator = "======== findings\n"

  static var cases: [String] {
    get throws { try SourceFolder.list(folder).filter { $0.hasSuffix(".txt") } }
  }

  @Test(arguments: try cases) func findings(name: String) throws {
    let file = try SourceFolder.read(file: "\(Self.folder)/\(name)")
    let parts = file.text(in: 0..<file.bytes.count).split(
      separator: Self.separator, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    #expect(TextRenderer().render(Self.check(String(parts[0]))) == parts[1])
  }

  /// A text without a header stands below one, in another file.
  static func check(_ text: String) -> Diagnostics {
    let header = SourceFile(path: "header.yaml", text: "schema: Test\nversion: 0\n")
    let file = SourceFile(path: "test.yaml", text: text)
    let isWhole = text.hasPrefix("schema:") || text.hasPrefix("version:")
    var diagnostics = Diagnostics()
    _ = SchemaCompiler.compile(isWhole ? [file] : [header, file], reporting: &diagnostics)
    return diagnostics
  }
}

/// The folder of this file.
let testFolder: String = {
  let path = #filePath
  return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
}()
