import Foundation
import StrataTestSupport
import Testing

/// The page and the steps that are run say the same: every block of docs/migrations.md stands in a file of the examples.
@Suite("docs/migrations.md")
struct StepPageTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  static let blocks = PageBlock.blocks(of: (try? text("docs/migrations.md")) ?? "")

  /// Without comments behind a line, indentation and empty lines: the page explains more than a file does.
  private static func normalized(_ lines: [String]) -> [String] {
    lines.map { line in
      let end = line.range(of: "  #")?.lowerBound ?? line.endIndex
      return line[..<end].trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty }
  }

  private static func files(_ folder: String, _ ending: String) throws -> [[String]] {
    try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
      .filter { $0.hasSuffix(ending) }.sorted()
      .map { try normalized(text(folder + "/" + $0).components(separatedBy: "\n")) }
  }

  @Test("There is an example of each kind of step")
  func isComplete() {
    let text = Self.blocks.flatMap(\.lines).joined(separator: "\n")
    for key in [
      "to:", "rename:", "set:", "back:", "delete:", "deduplicate:", "drop:", "swift:", "accept:",
      "step.each(", "step.objects(", "step.object(", "primaryKey:", "step.counterpart(",
      "step.create(", "step.delete(", "step.uuid(for:",
    ] {
      #expect(text.contains(key), "no example has \(key)")
    }
    #expect(Self.blocks.allSatisfy { ["swift", "yaml"].contains($0.language) })
  }

  @Test("Each block is in a file that is compiled and run", arguments: blocks)
  func isRun(_ block: PageBlock) throws {
    let wanted = Self.normalized(block.lines)
    let folder = "Tests/StepExamples/migrations"
    let files = try Self.files(folder, block.language == "yaml" ? ".yaml" : ".swift")
    let isThere = files.contains { file in
      // A step is shown whole; of a Swift file its import may be left out.
      block.language == "yaml"
        ? file == wanted : file.filter { !$0.hasPrefix("import ") } == wanted
    }
    let tests = try Self.files("Tests/StepExampleTests", ".swift")
    let isInTest =
      block.language == "swift"
      && tests.contains { lines in lines.indices.contains { lines[$0...].starts(with: wanted) } }
    #expect(
      isThere || isInTest, "docs/migrations.md and the examples have come apart at:\n\(block.lines)"
    )
  }

  @Test("Each file of the examples is on the page")
  func isShown() throws {
    let folder = "Tests/StepExamples/migrations"
    let shown = Self.blocks.map { Self.normalized($0.lines) }
    for ending in [".yaml", ".swift"] {
      for file in try Self.files(folder, ending) {
        let text = file.filter { !$0.hasPrefix("import ") }
        #expect(
          shown.contains(text) || text.allSatisfy { $0.hasPrefix("//") },
          "not on the page: \(text.first ?? "")")
      }
    }
  }
}
