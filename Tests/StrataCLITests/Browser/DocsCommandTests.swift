import Foundation
import Testing

/// `strata docs`, as files and texts.
@Suite("strata docs")
struct DocsCommandTests {
  let run: CommandRunner
  let folders: [String]

  init() throws {
    run = try CommandRunner()
    let root = CommandRunner.root.path
    folders = ["--schemas", "\(root)/schemas", "--migrations", "\(root)/migrations"]
  }

  private func write(_ name: String, _ text: String) throws {
    let url = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @Test("A page for each version; what is up to date stays untouched")
  func files() throws {
    let first = try run.strata(["docs", "--output", "report", "--json"] + folders)
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.json["files"] as? [String]
        == ["index.html"] + (0...5).map { "versions/\($0).html" })
    let again = try run.strata(["docs", "--output", "report", "--json"] + folders)
    #expect(again.json["changed"] as? [String] == [])
    let page = try String(
      contentsOfFile: run.path("report/versions/5.html"), encoding: .utf8)
    #expect(page.contains("before(old.fullName"))
    // Nothing is loaded from anywhere.
    #expect(!page.contains("src=\"") && !page.contains("@import") && !page.contains("url(http"))
  }

  @Test("The page of a version that was given up is removed, and no file of others")
  func givenUp() throws {
    let schema = "schema: Club\nversion: %\nmodels: { Person: { properties: { name: string } } }\n"
    try write("schemas/Club.yaml", schema.replacingOccurrences(of: "%", with: "0"))
    #expect(try run.strata("freeze", "--date", "2026-11-21").status == 0)
    try write("schemas/Club.yaml", schema.replacingOccurrences(of: "%", with: "1"))
    #expect(try run.strata("docs", "--output", "report").status == 0)
    for name in ["notes.html", "01.html", "7.html"] {
      try write("report/versions/\(name)", "<p>mine</p>")
    }
    try write("schemas/Club.yaml", schema.replacingOccurrences(of: "%", with: "0"))

    let result = try run.strata("docs", "--output", "report", "--json")

    #expect(result.json["removed"] as? [String] == ["versions/1.html"], "\(result.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: run.path("report/versions")).sorted()
        == ["0.html", "01.html", "7.html", "notes.html"])
    let again = try run.strata("docs", "--output", "report", "--json")
    #expect(again.json["removed"] as? [String] == [])
  }

  @Test("Declarations under the number of a frozen version have their own page as long as they do")
  func editedUnderAFrozenNumber() throws {
    let schema = "schema: Club\nversion: %\nmodels: { Person: { properties: { name: string } } }\n"
    try write("schemas/Club.yaml", schema.replacingOccurrences(of: "%", with: "0"))
    #expect(try run.strata("freeze", "--date", "2026-11-21").status == 0)
    let edited = schema.replacingOccurrences(of: "string }", with: "string, age: int? }")
    try write("schemas/Club.yaml", edited.replacingOccurrences(of: "%", with: "0"))

    let first = try run.strata("docs", "--output", "report", "--json")
    let again = try run.strata("docs", "--output", "report", "--json")

    let names = ["index.html", "versions/0.html", "versions/working.html"]
    #expect(first.json["files"] as? [String] == names, "\(first.errors)")
    #expect(first.json["changed"] as? [String] == names)
    #expect(again.json["files"] as? [String] == names)
    #expect(again.json["changed"] as? [String] == [])
    try write("schemas/Club.yaml", edited.replacingOccurrences(of: "%", with: "1"))
    let numbered = try run.strata("docs", "--output", "report", "--json")
    #expect(
      numbered.json["files"] as? [String] == ["index.html", "versions/0.html", "versions/1.html"])
    #expect(numbered.json["removed"] as? [String] == ["versions/working.html"])
  }

  @Test(
    "A file that is none of a report is not written over, and nothing is written then",
    arguments: ["index.html", "versions/3.html", "changes.md", "diagram.mmd"])
  func foreign(name: String) throws {
    let docs = ["docs", "--markdown", "--mermaid", "--output", "report"] + folders
    try write("report/\(name)", "<p>mine</p>")

    let result = try run.strata(docs)

    #expect(result.status == 3)
    #expect(result.errors.contains("report/\(name) is there"), "\(result.errors)")
    #expect(
      try String(contentsOfFile: run.path("report/\(name)"), encoding: .utf8) == "<p>mine</p>")
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: run.path("report")).filter {
        $0.contains(".")
      } == [name])
    // What it has written itself is written over, and so is an empty file.
    try write("report/\(name)", "")
    #expect(try run.strata(docs).status == 0)
    #expect(try run.strata(docs).status == 0)
  }

  @Test("The change story and the diagram are printed, or written beside the report")
  func texts() throws {
    let story = try run.strata(["docs", "--markdown", "--against", "v4"] + folders)
    #expect(story.status == 0, "\(story.errors)")
    #expect(story.output.contains("| 🟡 | 'Dog' is renamed to 'Pet' | automatic | `STR3104`"))
    #expect(story.output.contains("### Draft of the changelog"))
    let diagram = try run.strata(["docs", "--mermaid"] + folders)
    #expect(diagram.output.hasPrefix("erDiagram\n"))
    #expect(diagram.output.contains("\"Person\" }o..o{ \"Pet\" : \"dogs\""))
    let both = try run.strata(
      ["docs", "--markdown", "--mermaid", "--output", "report", "--json"] + folders)
    let files = both.json["files"] as? [String] ?? []
    #expect(files.contains("changes.md") && files.contains("diagram.mmd"))
  }

  @Test(
    "Declarations that cannot be read are no story and no diagram: what is wrong with them is told",
    arguments: ["--markdown", "--mermaid"])
  func unreadable(form: String) throws {
    let schema = "schema: Club\nversion: 0\nmodels: { Person: { properties: { name: string } } }\n"
    try write("schemas/Club.yaml", schema)
    #expect(try run.strata("freeze", "--date", "2026-11-21").status == 0)
    try write("schemas/Club.yaml", schema.replacingOccurrences(of: "string", with: "strnig"))

    let printed = try run.strata("docs", form)
    let written = try run.strata("docs", form, "--output", "report")

    for result in [printed, written] {
      #expect(result.status == 1)
      #expect(result.output == "")
      #expect(result.errors.contains("schemas/Club.yaml:3:"), "\(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: run.path("report")))
  }

  @Test("Rows of samples are counted")
  func samples() throws {
    try FileManager.default.createDirectory(
      atPath: run.path("samples"), withIntermediateDirectories: true)
    #expect(
      try run.strata(
        ["create", "samples/old.db", "--version", "4", "--sample", "7"] + folders
      ).status == 0)
    let story = try run.strata(
      ["docs", "--markdown", "--against", "v4", "--samples", "samples"] + folders)
    #expect(
      story.output.contains("| `samples/old.db` (v4) | v5 | `Dog` | 7 | renamed to Pet |"),
      "\(story.output)\(story.errors)")
  }

  @Test("Something to write has to be named")
  func usage() throws {
    let result = try run.strata(["docs"] + folders)
    #expect(result.status == 64)
    #expect(result.errors.contains("--output"))
  }
}
