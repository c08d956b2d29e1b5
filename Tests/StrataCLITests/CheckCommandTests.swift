import Foundation
import Testing

/// `strata check` and its repairs, on folders as people have them.
@Suite("strata check")
struct CheckCommandTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func write(_ name: String, _ text: String) throws {
    let url = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Declarations of one version: lines below `models:`.
  private func declare(_ version: Int, _ models: [String]) throws {
    try write(
      "schemas/a.yaml",
      "schema: Test\nversion: \(version)\nmodels:\n"
        + models.map { "  \($0)\n" }.joined())
  }

  private func freeze() throws {
    #expect(try run.strata("freeze", "--date", "2026-11-21").status == 0)
  }

  /// 10,010 properties that are new are as many hints, and come before the model that loses one.
  @Test func anErrorBehindTenThousandHintsIsAnError() throws {
    let models = (0..<11).map { "M\($0): { properties: { id: int" }
    let added = (0..<910).map { ", p\($0): int?" }.joined()
    try declare(0, models.map { $0 + " } }" } + ["Z: { properties: { id: int, gone: int? } }"])
    try freeze()
    try declare(1, models.map { $0 + added + " } }" } + ["Z: { properties: { id: int } }"])

    let text = try run.strata("check")
    #expect(text.status == 1)
    #expect(text.output.contains("error: 'Z.gone' is removed"), "\(text.output)")
    #expect(text.output.hasSuffix("\ncheck: 1 error\n"))

    let json = try run.strata("check", "--json")
    #expect(json.status == 1)
    #expect((json.json["findings"] as? [Any])?.count == 10_000)
    #expect(json.json["omitted"] as? Int == 11)
  }
}
