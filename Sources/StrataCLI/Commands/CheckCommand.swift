import ArgumentParser
import StrataCodegen
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Judges declarations, their history and the steps: what a change would do to data.",
    discussion: """
      Exits with 1 when there is a finding at or above --fail-on. Hints are left out of the text unless -v is given; a version \
      that was frozen before is judged only where something is wrong with it.
      """)

  enum Level: String, CaseIterable, ExpressibleByArgument {
    case error
    case warning
    case info
  }

  @Option(
    help: ArgumentHelp(
      "What to compare with: git:REVISION or vN. Versions that it does not have count as new.",
      valueName: "git:revision|vN"))
  var against: String?
  @Option(help: ArgumentHelp("A folder of real files to count in.", valueName: "dir"))
  var samples: String?
  @Flag(help: "Ask for each repair that is known whether to make it.") var fix = false
  @Flag(name: .shortAndLong, help: "Make repairs without asking.") var yes = false
  @Option(help: "The least severity to fail for.") var failOn: Level = .error
  @Option(help: "text, json, github, junit or sarif.") var format: OutputFormat = .text
  @Flag(help: "The same as --format json.") var json = false
  @Flag(name: .shortAndLong, help: "Print hints, too.") var verbose = false
  @OptionGroup var folders: FolderOptions

  func run() throws {
    let project = try Project.load(folders)
    let files = try project.files()
    let against = try project.baseline(against ?? project.settings.baseline)
    let folder = samples.map { SampleFolder(path: $0, target: try? folders.upgradeTarget()) }
    var failure: (any Error)?
    let diagnostics = ProjectCheck.run(
      files, against: against,
      samples: folder.map { folder in
        { input in
          do {
            return try folder.samples(for: input)
          } catch {
            failure = error
            return []
          }
        }
      })
    if let failure { throw failure }
    if fix { return try repair(diagnostics) }
    print(diagnostics)
    let threshold = Severity(rawValue: failOn.rawValue) ?? .error
    if diagnostics.sorted.contains(where: { $0.severity >= threshold }) {
      throw ExitCode(ExitStatus.findings)
    }
  }

  // MARK: Output

  private func print(_ diagnostics: Diagnostics) {
    let format = json ? .json : self.format.format
    guard format == .text else {
      let text = format.render(
        diagnostics, kinds: RuleCatalogue.kinds, toolVersion: Tool.version)
      return Terminal.print(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    let shown = verbose ? diagnostics : diagnostics.dropping { $0.severity == .info }
    let text = format.render(shown, usesColour: Terminal.usesColour(on: STDOUT_FILENO))
    if !text.isEmpty { Terminal.write(text, to: STDOUT_FILENO) }
    Terminal.print(summary(diagnostics))
  }

  private func summary(_ diagnostics: Diagnostics) -> String {
    let findings = diagnostics.sorted
    func count(_ severity: Severity, _ word: String) -> String? {
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
    }
    let parts = [
      count(.error, "error"), count(.warning, "warning"), verbose ? count(.info, "hint") : nil,
    ].compactMap { $0 }
    return parts.isEmpty ? "check: ok" : "check: " + parts.joined(separator: ", ")
  }

  // MARK: Repair

  private func repair(_ diagnostics: Diagnostics) throws {
    let application = FixItApplication(diagnostics) { finding in
      guard let title = finding.fixIt?.title else { return false }
      if yes { return true }
      Terminal.note("\(finding.message) [\(finding.code)]")
      Terminal.write("\(title)? [y/N] ", to: STDERR_FILENO)
      return (readLine() ?? "").lowercased().hasPrefix("y")
    }
    for (path, file) in application.files.sorted(by: { $0.key < $1.key }) {
      try OutputFolder(path.folderOfPath).write([
        GeneratedFile(
          name: path.nameOfPath, text: String(decoding: file.bytes, as: UTF8.self))
      ])
      Terminal.print("repaired \(path)")
    }
    if application.conflictCount > 0 {
      Terminal.note(
        "\(application.conflictCount) repairs stand in each other's way; run this again")
    }
    if application.repaired.isEmpty { Terminal.print("nothing was repaired") }
  }
}

extension Project {
  /// What `--against` names.
  func baseline(_ name: String?) throws -> ProjectCheck.Against? {
    guard let name else { return nil }
    if name.hasPrefix("git:") {
      let revision = try GitRevision(String(name.dropFirst(4)), of: schemasPath)
      let ancestor = try revision.commonAncestor().map {
        try files(at: $0).lock ?? SourceFile(path: "schema.lock", text: VersionLock().text)
      }
      return .files(try files(at: revision), name: name, ancestorLock: ancestor)
    }
    let digits = name.hasPrefix("v") ? name.dropFirst() : Substring(name)
    guard let number = Int(digits) else {
      throw CommandFailure(
        "'\(name)' is neither git:REVISION nor a version such as v3.", status: ExitStatus.usage)
    }
    return .version(number)
  }
}

/// `--format`.
struct OutputFormat: ExpressibleByArgument {
  let format: DiagnosticFormat

  static let text = OutputFormat(.text)

  init(_ format: DiagnosticFormat) { self.format = format }

  init?(argument: String) {
    guard let format = DiagnosticFormat(rawValue: argument) else { return nil }
    self.init(format)
  }

  var defaultValueDescription: String { format.rawValue }
  static var allValueStrings: [String] { DiagnosticFormat.allCases.map(\.rawValue) }
}

extension RuleCatalogue {
  /// All rules, for formats that describe what could be found.
  static var kinds: [DiagnosticKind] {
    all.map { DiagnosticKind($0.code, $0.name, $0.summary, severity: $0.severity) }
  }
}

extension Diagnostics {
  /// Without some of its findings.
  func dropping(_ isUnwanted: (Diagnostic) -> Bool) -> Diagnostics {
    var result = Diagnostics()
    for source in sources.values { result.add(source) }
    for finding in sorted where !isUnwanted(finding) { result.report(finding) }
    return result
  }
}
