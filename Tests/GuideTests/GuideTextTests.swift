import Foundation
import StrataTestSupport
import Testing

/// The guide and the tests say the same: every block of the page stands in a source file of the tests, line by line.
@Suite struct GuideTextTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Without what a terminal shows, which is marked as text.
  static let blocks = PageBlock.blocks(of: (try? text("docs/guide.md")) ?? "")
    .filter { $0.language != "text" }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func sources(_ folder: String, _ ending: String) throws -> [[String]] {
    try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
      .filter { $0.hasSuffix(ending) }.sorted()
      .map { try normalized(text(folder + "/" + $0).components(separatedBy: "\n")) }
  }

  /// Lines without their indentation, which a test's is another one.
  private static func normalized(_ lines: [String]) -> [String] {
    lines.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func thereAreBlocks() {
    #expect(Self.blocks.count { $0.language == "swift" } >= 10)
    #expect(Self.blocks.allSatisfy { ["swift", "yaml"].contains($0.language) })
  }

  @Test(arguments: blocks) func aBlockIsCompiledAndRun(_ block: PageBlock) throws {
    let wanted = Self.normalized(block.lines)
    let files =
      block.language == "yaml"
      ? try Self.sources("Tests/GuideModels", ".yaml")
      : try Self.sources("Tests/GuideTests", ".swift")
        + Self.sources("Tests/GuideModels", ".swift")
    let isThere = files.contains { lines in
      lines.indices.contains { lines[$0...].starts(with: wanted) }
    }
    #expect(isThere, "docs/guide.md and the tests have come apart at:\n\(block.lines)")
  }
}
