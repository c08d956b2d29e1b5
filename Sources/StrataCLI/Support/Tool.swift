/// What this executable is.
enum Tool {
  static let version = "0.1.0"

  /// The name that it was called by: `strata`, or that of an app's own tool.
  static var name: String {
    let path = CommandLine.arguments.first ?? "strata"
    let name = path.split(separator: "/").last.map(String.init) ?? "strata"
    // The command plugin runs the product of this package under the name of its target.
    return name.hasPrefix("StrataTool") ? "strata" : name
  }
}

/// The process's exit status; `docs/cli.md` says the same for users.
enum ExitStatus {
  static let done: Int32 = 0
  /// Findings, differences, or a failed proof.
  static let findings: Int32 = 1
  static let failed: Int32 = 3
  static let usage: Int32 = 64
  static let interrupted: Int32 = 130
}

/// An operation that failed for a reason that one sentence tells.
struct CommandFailure: Error {
  let message: String
  let status: Int32
  /// Of the catalogue, where the failure stands there.
  let code: String?
  /// Whether the object that `--json` asks for is printed already.
  let isAnswered: Bool

  init(
    _ message: String, status: Int32 = ExitStatus.failed, code: String? = nil,
    isAnswered: Bool = false
  ) {
    self.message = message
    self.isAnswered = isAnswered
    self.code = code
    self.status = status
  }
}
