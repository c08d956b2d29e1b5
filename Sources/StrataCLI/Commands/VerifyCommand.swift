import ArgumentParser
import Strata
import StrataExpression
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource
import StrataTesting

struct VerifyCommand: JSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Proves that every path through the versions gives the same data.",
    discussion: """
      For every frozen version objects of all kinds are generated, and upgraded straight, step by step, over each \
      version between, fused and apart, and backwards. The first difference is shown on the smallest data. \
      Exit status 1 where the proof fails; a failure points at the step that makes the difference.
      """)

  @Option(help: "Decides what the objects are; the same seed makes the same ones.")
  var seed: UInt64 = 0
  @Option(
    help: ArgumentHelp("A folder with database files that are upgraded as well.", valueName: "dir"),
    transform: PathArgument.name)
  var samples: String?
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Show no progress.") var noProgress = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  /// Empty: no argument names what is proven.
  var subject: [String: JSON] { [:] }

  func run() throws {
    try key.apply()
    try KeyFile.checkIsFile(for: "verify")
    var proof = MigrationProof(
      target: try folders.upgradeTarget(), seed: seed, samples: samples)
    let isVisible = !noProgress && Terminal.isErrorTerminal
    Interruption.watch()
    let here = ProofWorker(folders, isElsewhere: false)
    let elsewhere = ProofWorker(folders, isElsewhere: true)
    defer {
      here.end()
      elsewhere.end()
    }
    proof.engine = { upgrade, _ in try here.run(upgrade) }
    proof.otherProcess = { upgrade, _ in try elsewhere.run(upgrade) }
    proof.progress = { path, count in
      if Interruption.isRequested {
        if isVisible { Terminal.write(Self.clearLine, to: 2) }
        throw ProofWorker.interrupted
      }
      guard isVisible else { return }
      let line = "\(grouped(count)) paths · \(path)"
      Terminal.write(Self.clearLine + line.prefix(max(20, Terminal.width - 1)), to: 2)
    }
    proof.note = { Terminal.note("note: \($0)") }
    let report = try proof.run()
    if isVisible { Terminal.write(Self.clearLine, to: 2) }
    print(report)
    if !report.isProven { throw ExitCode(ExitStatus.findings) }
  }

  private func print(_ report: MigrationProofReport) {
    let findings = ProofFindings(files: stepFiles(of: report))
    let format = json ? .json : folders.printing.format.format
    switch format {
    case .json: Terminal.answer(report.json(findings))
    case .text:
      let text = format.render(
        findings.diagnostics(of: report), usesColour: Terminal.usesColour(on: Terminal.results))
      if !text.isEmpty { Terminal.write(text, to: Terminal.results) }
      Terminal.print(report.description, keepingLines: true)
    default:
      Terminal.write(findings.diagnostics(of: report).rendered(as: format), to: Terminal.results)
    }
  }

  /// Where the steps stand that were proven; nowhere for a tool with blocks that is run away from its project.
  private func stepFiles(of report: MigrationProofReport) -> ProjectFiles {
    // What is wrong with the folders is not the proof's: it is made of what is in the tool.
    let files = OutputChoice.keepingFindings { () -> ProjectFiles? in
      guard let project = try? Project.load(folders), let history = try? project.history(),
        history.name + "Migrations" == report.name
      else { return nil }
      return try? project.files()
    }
    return files ?? ProjectFiles()
  }

  private static let clearLine = "\r\u{1B}[2K"
}

extension MigrationProofReport {
  /// It may be larger than a number with a sign.
  private var seedJSON: JSON {
    if let number = Int64(exactly: seed) { return .int(number) }
    return .number(String(seed))
  }

  func json(_ findings: ProofFindings) -> JSON {
    .object([
      "format": "strata.verify/1", "versions": .array(versions.map { .int(Int64($0)) }),
      "paths": .int(Int64(paths)), "objects": .int(Int64(objects)),
      "seed": seedJSON,
      "failures": .array(
        failures.map { failure in
          let finding = findings.finding(failure)
          let (start, end) = (finding.span?.start, finding.span?.end)
          return .object([
            "code": .string(finding.code), "rule": .string(finding.rule),
            "message": .string(finding.message), "explanation": .string(failure.plainExplanation),
            "file": finding.span.map { .string($0.path) } ?? .null,
            "line": start.map { .int(Int64($0.line)) } ?? .null,
            "column": start.map { .int(Int64($0.column)) } ?? .null,
            "endLine": end.map { .int(Int64($0.line)) } ?? .null,
            "endColumn": end.map { .int(Int64($0.column)) } ?? .null,
            "object": .string(failure.object),
            "property": failure.property.map(JSON.string) ?? .null,
            "path": .string(failure.path), "step": .int(Int64(failure.step)),
          ])
        }),
      "notes": .array(notes.map(JSON.string)),
    ])
  }
}

extension MigrationProofReport.Failure {
  /// Without the indentation that it has in the report.
  fileprivate var plainExplanation: String {
    explanation.split(separator: "\n").map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0 }
      .joined(separator: "\n")
  }
}
