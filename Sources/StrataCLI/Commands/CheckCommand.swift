import ArgumentParser
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataReport
import StrataSchema
import StrataSource

struct CheckCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Judges declarations, their history and the steps: what a change would do to data.",
    discussion: """
      Exits with 1 when there is a finding at or above --fail-on. Hints are left out of the text unless -v is given; a version \
      that was frozen before is judged only where something is wrong with it. --format markdown prints the change story that \
      `docs --markdown` writes, with the findings: the text of a comment on a pull request.
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
  @Option(
    help: ArgumentHelp("A folder of real files to count in.", valueName: "dir"),
    transform: PathArgument.name)
  var samples: String?
  @Flag(
    help:
      "Make all repairs that are known; where one is a guess, a rename or a name that may be meant, ask first."
  )
  var fix = false
  @Flag(name: .shortAndLong, help: "With --fix: ask nothing.") var yes = false
  @Option(help: "The least severity to fail for.") var failOn: Level = .error
  @Flag(help: "The same as --format json.") var json = false
  @Flag(name: .shortAndLong, help: "Print hints, too.") var verbose = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func run() throws {
    try key.apply()
    var project = try Project.load(folders)
    // A lock alone says which versions are gone.
    if project.versions.isEmpty, project.seal == nil { try project.requireDeclarations() }
    let against = try project.baseline(against)
    func examine(_ project: Project) throws -> (findings: Diagnostics, input: CheckInput?) {
      // What files would be upgraded by may be another thing after a repair.
      let folder = samples.map(folders.sampleFolder)
      return try ProjectCheck.examine(try project.files(), against: against, samplesIn: folder)
    }
    var (findings, input) = try examine(project)
    if fix, try repair(project, findings, against, samples: input?.samples) {
      project = try Project.load(folders)
      (findings, input) = try examine(project)
    }
    // Declarations that cannot be read would be told as if nothing were new.
    if isMarkdown, let input, !input.versions.isEmpty, project.hasReadableDeclarations {
      let story = ChangeStory(input, findings: findings, tellsNewestStep: false)
      Terminal.write(story.markdown + "\n### Findings\n\n", to: Terminal.results)
    }
    try conclude(findings, input?.stepReturns ?? [])
  }

  private var isMarkdown: Bool { !json && folders.printing.format.format == .markdown }

  private func conclude(_ diagnostics: Diagnostics, _ returns: [StepReturn]) throws {
    print(diagnostics, returns)
    if diagnostics.hasFindings(from: threshold) {
      throw ExitCode(ExitStatus.findings)
    }
  }

  /// The least severity that the command fails for.
  private var threshold: Severity { Severity(rawValue: failOn.rawValue) ?? .error }

  // MARK: Output

  private func print(_ diagnostics: Diagnostics, _ returns: [StepReturn]) {
    let format = json ? .json : folders.printing.format.format
    if format == .json,
      case .object(var members)? = try? JSON.parse(Array(diagnostics.rendered(as: format).utf8))
    {
      members["steps"] = .array(returns.map(\.json))
      return Terminal.answer(JSON.object(members))
    }
    guard format == .text else {
      let text = diagnostics.rendered(as: format, failingFrom: threshold)
      return Terminal.write(text, to: Terminal.results)
    }
    let shown = showsHints ? diagnostics : diagnostics.withoutHints
    let text = format.render(shown, usesColour: Terminal.usesColour(on: Terminal.results))
    if !text.isEmpty { Terminal.write(text, to: Terminal.results) }
    if verbose { for step in returns { Terminal.print(step.text) } }
    Terminal.print(summary(diagnostics))
  }

  /// What the command fails for is shown.
  private var showsHints: Bool { verbose || failOn == .info }

  private func summary(_ diagnostics: Diagnostics) -> String {
    let findings = diagnostics.sorted
    func count(_ severity: Severity, _ word: String) -> String? {
      let count =
        findings.count { $0.severity == severity } + diagnostics.omittedCount(of: severity)
      return count == 0 ? nil : counted(count, word)
    }
    let parts = [
      count(.error, "error"), count(.warning, "warning"), showsHints ? count(.info, "hint") : nil,
    ].compactMap { $0 }
    return parts.isEmpty ? "check: ok" : "check: " + parts.joined(separator: ", ")
  }

  // MARK: Repair

  /// How many rounds there are at most beside one for each repair that is found at first.
  private static let maximumRounds = 20

  /// Applies what is known to repair findings, in rounds, because repairs may stand in each other's way, or bring to light what
  /// others hid.
  ///
  /// - Parameter samples: what real files held at the beginning, so that a finding says the same in each round.
  /// - Returns: whether a file is another one now.
  private func repair(
    _ project: Project, _ found: Diagnostics, _ against: ProjectCheck.Against?,
    samples: [Sample]?
  ) throws -> Bool {
    var diagnostics = found
    var paths: Set<String> = []
    var answers = RepairAnswers(asksNothing: yes)
    var count = 0
    for _ in 0..<Self.maximumRounds + found.sorted.count(where: { $0.fixIt != nil }) {
      answers.begin(diagnostics.sorted)
      let application = FixItApplication(diagnostics) { answers.areYes(to: $0) }
      answers.end(repaired: application.repaired)
      guard !application.repaired.isEmpty else { break }
      for (path, file) in application.files {
        try file.writeInPlace()
        paths.insert(path)
      }
      count += application.repaired.count
      diagnostics = ProjectCheck.run(
        try Project.load(folders).files(), against: against,
        samples: samples.map { known in { _ in known } })
    }
    for path in paths.sorted() { Terminal.note("repaired \(path)") }
    Terminal.note(
      count == 0
        ? "nothing was repaired" : "\(counted(count, "repair")) made")
    let unanswered = answers.unansweredCount
    if unanswered > 0 {
      Terminal.note(
        "\(counted(unanswered, "guess was", "guesses were")) not made, because there was no answer; --yes agrees to \(unanswered == 1 ? "it" : "all of them")"
      )
    }
    return count > 0
  }
}

extension Project {
  /// What is compared with.
  ///
  /// - Parameter option: what `--against` names; nil for the `baseline:` of the settings.
  func baseline(_ option: String?) throws -> ProjectCheck.Against? {
    if let option { return try against(option) }
    guard let name = settings.baseline else { return nil }
    do {
      return try against(name)
    } catch let failure as CommandFailure {
      throw CommandFailure(
        ProjectProblem(.baseline, of: settings, failure.message).message, code: failure.code)
    }
  }

  private func against(_ name: String) throws -> ProjectCheck.Against {
    if name.hasPrefix("git:") {
      let revision = try GitRevision(String(name.dropFirst(4)), of: schemasPath)
      let ancestor = try revision.commonAncestor().map(lock(at:))
      let merged = try revision.mergedSides().map { side in
        ProjectCheck.MergedLock(
          lock: try lock(at: side.side), ancestor: try lock(at: side.ancestor))
      }
      let there = try files(at: revision)
      if there.schemas.isEmpty, there.versions.isEmpty, there.lock == nil {
        Terminal.note(
          "note: \(name) has nothing in \(schemasPath), so that everything counts as new")
      }
      return .files(there, name: name, ancestorLock: ancestor, merged: merged)
    }
    let digits = name.hasPrefix("v") ? name.dropFirst() : Substring(name)
    guard let number = Int(digits) else {
      throw CommandFailure(
        "'\(name)' is neither git:REVISION nor a version such as v3.", status: ExitStatus.usage)
    }
    guard versions.contains(where: { StepReader.number(of: $0) == number }) else {
      throw CommandFailure("there is no frozen version \(number).")
    }
    return .version(number)
  }
}

extension CheckInput {
  /// How changes go back over each step; those that cannot be read say nothing.
  var stepReturns: [StepReturn] {
    zip(versions, versions.dropFirst()).compactMap { older, newer in
      guard !newer.hasUnreadableStep else { return nil }
      return StepReturn(
        older: older.schema, newer: newer.schema, step: newer.step?.step,
        blockSaysBack: newer.blocks.contains { SwiftLexer.saysBack($0.bytes) })
    }
  }
}
