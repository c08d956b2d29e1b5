import ArgumentParser
import Strata
import StrataExpression
import StrataSQLite
import StrataSchema

/// Where a command's schema history comes from: the migrations compiled into the tool, or the project's folders.
struct FolderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder of the schema.", valueName: "dir"), transform: PathArgument.name)
  var schemas: String?

  @Option(
    help: ArgumentHelp("The folder of the steps.", valueName: "dir"), transform: PathArgument.name)
  var migrations: String?

  @OptionGroup var printing: OutputOptions

  /// The same options for another process. Behind `=` a name that begins with a dash is none of an option.
  var arguments: [String] { named.map { "\($0.option)=\($0.value)" } }

  /// The same options in a line for a shell.
  var inShell: [String] {
    named.map { "\($0.option)\($0.value.hasPrefix("-") ? "=" : " ")\($0.value.inShell)" }
  }

  private var named: [(option: String, value: String)] {
    [("--schemas", schemas), ("--migrations", migrations)].compactMap { option, value in
      value.map { (option: option, value: $0) }
    }
  }

  /// Frozen versions and blocks to upgrade files to: those inside the tool unless a folder is named.
  ///
  /// - Parameters:
  ///   - allowsQuestions: whether steps may have questions, which block only files that have to pass them.
  ///   - needsSealedSteps: whether a step that is not what was sealed is an error, for commands that change data by the steps.
  func upgradeTarget(
    allowsQuestions: Bool = false, needsSealedSteps: Bool = false
  ) throws -> UpgradeTarget {
    if schemas == nil, migrations == nil, let chain = EmbeddedMigrations.current {
      return try UpgradeTarget(chain)
    }
    let whole = try Project.load(self)
    let (project, questions) = allowsQuestions ? whole.settingQuestionsAside() : (whole, [:])
    if needsSealedSteps { try project.checkSealedSteps(except: Set(questions.keys)) }
    let working = try project.workingVersion()
    var target = UpgradeTarget(
      history: try project.history(allowingNone: working),
      steps: EmbeddedMigrations.current?.steps ?? [], working: working)
    target.questions = questions
    if allowsQuestions { target.openChanges = project.openChanges(in: target.known) }
    return target
  }

  /// As `upgradeTarget`; nil where neither the tool nor the current folder has a history: a file can be looked at without one.
  func optionalUpgradeTarget() throws -> UpgradeTarget? {
    if schemas == nil, migrations == nil, EmbeddedMigrations.current == nil,
      try !POSIXFiles().exists("schemas/versions"), try !POSIXFiles().exists("strata.yaml")
    {
      // Declarations that were never frozen are a history, too; anything else of that name is not ours.
      guard try POSIXFiles().exists("schemas") else { return nil }
      return OutputChoice.keepingFindings { try? upgradeTarget(allowsQuestions: true) }
    }
    return try upgradeTarget(allowsQuestions: true)
  }

  /// Where real files are, for a command that finds by itself what is wrong with the project: files are then asked what can be asked without a target.
  func sampleFolder(_ path: String) -> SampleFolder {
    SampleFolder(
      path: path, target: OutputChoice.keepingFindings { try? upgradeTarget() })
  }
}
