import ArgumentParser
import StrataSource
import Synchronization

/// `--color`, on every command.
struct ColorOptions: ParsableArguments {
  @Option(help: "When to use colours: auto, on a terminal, unless NO_COLOR is set; always; never.")
  var color: ColorChoice = .auto

  /// Colours are decided far away from the options, where a line is written.
  func validate() throws { OutputChoice.update { $0.color = color } }
}

/// `--color` and `--format`, on every command that may print findings.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The form of findings: text, json, github, gitlab, junit, markdown or sarif. All but text go to standard output.",
      valueName: "form"))
  var format: OutputFormat = .text
  @OptionGroup var colors: ColorOptions

  func validate() throws { OutputChoice.update { $0.format = format.format } }
}

/// A command with `--json`: what it finds in files instead of its answer is an object on standard output, too.
protocol JSONPrinting {
  var json: Bool { get }
}

enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto
  case always
  case never
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

/// How this process prints: said once on the command line, read wherever something is printed.
struct OutputChoice: Sendable {
  var color = ColorChoice.auto
  var format = DiagnosticFormat.text
  /// `--json`: one object on standard output, whatever `format` says.
  var isJSON = false
  /// Whether findings are not printed, because what the command prints holds them.
  private(set) var keepsFindings = false

  private static let shared = Mutex(OutputChoice())

  static var current: OutputChoice { shared.withLock { $0 } }

  static func update(_ change: (inout OutputChoice) -> Void) { shared.withLock { change(&$0) } }

  /// Prints no findings of what a function reads.
  static func keepingFindings<Result>(_ read: () throws -> Result) rethrows -> Result {
    let before = current.keepsFindings
    update { $0.keepsFindings = true }
    defer { update { $0.keepsFindings = before } }
    return try read()
  }
}
