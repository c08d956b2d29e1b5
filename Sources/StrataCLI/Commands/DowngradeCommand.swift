import ArgumentParser
import Strata
import StrataCodegen
import StrataSQLite
import StrataSchema

struct DowngradeCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "downgrade",
    abstract: "Takes a file back to the version of an older one, with what has changed since.",
    discussion: """
      The old file is upgraded anew, which gives what the upgrade gave then; what the file has otherwise was changed since, and goes \
      back along the steps into the old file. What was not changed is as it was, exactly.

      What cannot go back is listed before anything is written, and refused without --accept-loss. Whatever goes wrong, the file is \
      as it was or taken back.
      """)

  @Argument(help: "A database file of a later version.", transform: PathArgument.parse)
  var file: String
  @Option(
    help: ArgumentHelp(
      "The file as it was before the upgrade; it is only read. Otherwise the one that an app has kept beside.",
      valueName: "old"), transform: PathArgument.parse)
  var from: String?
  @Option(
    help: ArgumentHelp(
      "Write the older file here and leave the newer one alone.", valueName: "new"),
    transform: PathArgument.parse)
  var output: String?
  @Option(
    help: ArgumentHelp("Keep a copy of the newer file here.", valueName: "path"),
    transform: PathArgument.parse)
  var backup: String?
  @Option(
    help: ArgumentHelp("Write the report here, as JSON.", valueName: "path"),
    transform: PathArgument.parse)
  var report: String?
  @Flag(help: "Say what would go back and what would be lost, and change nothing.")
  var dryRun = false
  @Flag(help: "Give up what cannot go back.") var acceptLoss = false
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(name: .shortAndLong, help: "Print nothing but errors.") var quiet = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func validate() throws {
    guard output == nil || output != backup else {
      throw ValidationError("--output and --backup name the same place.")
    }
    guard output == nil || backup == nil else {
      throw ValidationError("With --output the newer file stays as it is: leave out --backup.")
    }
  }

  func run() throws {
    try key.apply()
    Interruption.watch()
    var options = Downgrade.Options()
    options.output = output
    options.backup = backup
    options.acceptsLoss = acceptLoss
    options.isDryRun = dryRun
    options.progress = { _ in Interruption.isRequested ? .cancel : .proceed }
    let target = try folders.upgradeTarget(allowsQuestions: true, needsSealedSteps: true)
    try checkReport(besides: [file, from, output, backup].compactMap(\.self))
    let place =
      try from
      ?? Downgrade.keptFile(of: file, target, isDryRun: dryRun, acceptsLoss: acceptLoss)
    try checkReport(besides: [place])
    // For people and programs; the file itself is read by its place.
    let old = PathArgument.asGiven(message: place)
    var refused: DowngradeReport?
    options.report = { found in
      refused = found
      // Until the file is written it is not, whatever stops it, and that there is room for a report is known before.
      if let report, !OutputFile(report).isStream {
        try write(found, old, isWritten: false, to: report)
      }
    }
    do {
      let found = try Downgrade(path: file, from: place, target: target, options: options).run()
      if let report { try conclude(found, old, to: report) }
      if json {
        Terminal.answer(
          found.json(file: file, old: old, output: output, isWritten: !dryRun))
      } else if !quiet {
        let what = dryRun ? "would be taken back" : "taken back"
        Terminal.print(
          "\(file): version \(found.from) → \(found.to) \(what)\(output.map { ", written to \($0)" } ?? "")"
        )
        Terminal.print(found.text, keepingLines: true)
      }
      if dryRun, !acceptLoss, !found.isLossless { throw ExitCode(ExitStatus.findings) }
    } catch let error as MigrationError where error.kind == .losesData {
      Terminal.error(error.description, code: error.code)
      if let refused, let report, OutputFile(report).isStream {
        try write(refused, old, isWritten: false, to: report)
      }
      if json, let refused {
        Terminal.answer(
          refused.json(file: file, old: old, output: output, isWritten: false))
      }
      throw ExitCode(ExitStatus.findings)
    }
  }

  private func checkReport(besides databases: [String]) throws {
    guard let report else { return }
    // What goes to a reader takes no file's place.
    guard !OutputFile(report).isStream else { return try OutputFile(report).checkPlace() }
    try WrittenNames.check(
      report, "--report", databases: databases, inputs: [key.path].compactMap(\.self))
    let folder = FilePaths.folder(of: report)
    guard try POSIXFiles().exists(folder) else {
      throw MigrationError(
        .inputOutput, "\(report) cannot be written: its folder \(folder) does not exist.")
    }
    try OutputFile(report).checkPlace()
  }

  private func conclude(_ found: DowngradeReport, _ old: String, to path: String) throws {
    do {
      try write(found, old, isWritten: !dryRun, to: path)
    } catch  where !dryRun {
      let done =
        output.map { "\($0) was written at version \(found.to)" }
        ?? "\(file) was taken back to version \(found.to)"
      // What a file says is what was written before the way back.
      let missing =
        OutputFile(path).isStream
        ? "Only the report of it is missing" : "Only the report does not say so"
      throw CommandFailure("\(done). \(missing): \(error).")
    }
  }

  private func write(_ found: DowngradeReport, _ old: String, isWritten: Bool, to path: String)
    throws
  {
    let json = found.json(file: file, old: old, output: output, isWritten: isWritten)
    try OutputFile(path).write(PathArgument.asGiven(json).prettyText + "\n")
  }
}
