import ArgumentParser
import StrataCodegen
import StrataEvolution
import StrataFrontend
import StrataProject
import StrataReport
import StrataSchema
import StrataSource

struct DocsCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "docs",
    abstract:
      "Writes a report on the schema and its history, as HTML, Markdown or a Mermaid diagram.",
    discussion: """
      With --output DIR: index.html and a page for each version, which load nothing and work from file://. --markdown tells \
      what a pull request changes: each change with its verdict, risks, rows touched on samples, a draft of the changelog. \
      --mermaid is the diagram of the newest version for GitHub. Without --output these two are printed.
      """)

  @Option(
    help: ArgumentHelp("Where the report is written.", valueName: "dir"),
    transform: PathArgument.name)
  var output: String?
  @Flag(help: "The change story as Markdown: changes.md, or on standard output.") var markdown =
    false
  @Flag(help: "The diagram for Mermaid: diagram.mmd, or on standard output.") var mermaid = false
  @Option(
    help: ArgumentHelp(
      "What the change story compares with: git:REVISION or vN. Versions that it does not have are told.",
      valueName: "git:revision|vN"))
  var against: String?
  @Option(
    help: ArgumentHelp("A folder of real files to count in.", valueName: "dir"),
    transform: PathArgument.name)
  var samples: String?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func validate() throws {
    guard output != nil || markdown || mermaid else {
      throw ValidationError("Name a folder with --output, or pass --markdown or --mermaid.")
    }
    guard !json || output != nil else {
      throw ValidationError(
        "--json lists the files that were written: name a folder with --output.")
    }
  }

  func run() throws {
    try key.apply()
    let (input, findings) = try examine()
    let story = ChangeStory(input, findings: findings)
    guard let output else { return printTexts(story, input) }
    let report = Report(input, findings: findings)
    var writer = ReportWriter(output)
    try writer.check(
      report.names + (markdown ? [ReportWriter.story] : [])
        + (mermaid ? [ReportWriter.diagram] : []))
    try report.forEachFile { try writer.write($0.name, $0.text) }
    if markdown { try writer.write(ReportWriter.story, story.markdown) }
    if mermaid { try writer.write(ReportWriter.diagram, diagram(of: input)) }
    let removed = writer.removeObsolete()
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.docs/1", "output": .string(output),
          "files": .array(writer.files.map(JSON.string)),
          "changed": .array(writer.changed.map(JSON.string)),
          "removed": .array(removed.map(JSON.string)),
        ]))
    } else {
      Terminal.print("\(OutputFolder(output).path)/index.html")
      Terminal.note(
        "\(writer.files.count) files, \(writer.changed.count) of them changed")
      for name in removed { Terminal.note("\(OutputFolder(output).path(of: name)) is removed") }
    }
  }

  private func examine() throws -> (CheckInput, Diagnostics) {
    let project = try Project.load(folders)
    if project.versions.isEmpty { try project.requireDeclarations() }
    let against = try project.baseline(against)
    let folder = samples.map(folders.sampleFolder)
    let (findings, input) = try ProjectCheck.examine(
      try project.files(), against: against, samplesIn: folder)
    if markdown || mermaid, !project.hasReadableDeclarations {
      // A text has no room for what was found, and would say that nothing is new.
      try findings.withoutHints.failOnErrors(status: ExitStatus.findings)
    }
    guard let input, !input.versions.isEmpty else {
      // Nothing can be shown of what cannot be read; the findings say why.
      try findings.failOnErrors()
      throw CommandFailure("\(project.schemasPath) holds no schema to report on.")
    }
    return (input, findings)
  }

  private func printTexts(_ story: ChangeStory, _ input: CheckInput) {
    if markdown { Terminal.write(story.markdown, to: Terminal.results) }
    guard mermaid else { return }
    let diagram = diagram(of: input)
    // Inside of a comment, GitHub draws a block of this language.
    Terminal.write(markdown ? "\n```mermaid\n\(diagram)```\n" : diagram, to: Terminal.results)
  }

  private func diagram(of input: CheckInput) -> String {
    input.versions.last.map { Mermaid.diagram($0.schema) } ?? "erDiagram\n"
  }
}

/// Writes the report's files where they are not up to date.
private struct ReportWriter {
  static let story = "changes.md"
  static let diagram = "diagram.mmd"

  let output: String
  private(set) var files: [String] = []
  private(set) var changed: [String] = []

  init(_ output: String) { self.output = output }

  /// Refuses to write over files that are none of a report, before any is written.
  func check(_ names: [String]) throws {
    for name in names {
      let path = OutputFolder(output).path(of: name)
      guard let bytes = try? SourceFolder.read(file: path).bytes, !bytes.isEmpty,
        !Self.isOurs(bytes, name)
      else { continue }
      throw CommandFailure(
        "\(path) is there, was not written by \(Tool.name) docs, and would be written over. Name another folder with --output, or "
          + "rename the file.")
    }
  }

  private static func isOurs(_ bytes: [UInt8], _ name: String) -> Bool {
    switch name {
    case story: bytes.starts(with: "## Schema ".utf8)
    case diagram: bytes.starts(with: "erDiagram".utf8)
    default: Report.isPage(bytes)
    }
  }

  mutating func write(_ name: String, _ text: String) throws {
    let path = OutputFolder(output).path(of: name)
    let written = try OutputFolder(path.folderOfPath).write([
      GeneratedFile(name: path.nameOfPath, text: text)
    ])
    files.append(name)
    if !written.isEmpty { changed.append(name) }
  }

  /// Removes pages of versions that the history does not have any more, such as of a working version that was given up:
  /// old links lead to them.
  func removeObsolete() -> [String] {
    let folder = OutputFolder(OutputFolder(output).path(of: Report.versionsFolder))
    let pages = ((try? SourceFolder.list(folder.path)) ?? []).filter { name in
      Report.isNameOfVersionPage(name) && !files.contains("\(Report.versionsFolder)/\(name)")
    }
    return pages.filter { name in
      guard let page = try? SourceFolder.read(file: folder.path(of: name)) else { return false }
      return Report.isPage(page.bytes) && (try? folder.remove(name)) != nil
    }.map { "\(Report.versionsFolder)/\($0)" }
  }
}
