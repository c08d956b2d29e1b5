import ArgumentParser
import StrataFrontend
import StrataLanguageServer
import StrataProject

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct LSPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Serves an editor: findings as one types, completion, hover, references, rename.",
    discussion: """
      Speaks the Language Server Protocol over standard input and output, and is started by the editor. docs/editors.md says \
      how, for Visual Studio Code, Neovim, Helix, Zed and Xcode.
      """)

  @Flag(
    help: "Taken and ignored: editors add it, and nothing but standard input and output is served.")
  var stdio = false
  @OptionGroup var colors: ColorOptions

  func run() throws {
    let server = LanguageServer(version: Tool.version, baseline: Self.baseline)
    let status = ServerLoop.run(server, input: STDIN_FILENO, output: STDOUT_FILENO)
    guard status == 0 else { throw ExitCode(ExitStatus.findings) }
  }

  /// As `check` in that folder. Of a project that cannot be read, the server says itself what keeps it from that.
  private static func baseline(
    _ root: String, _ settings: Settings
  ) throws(ProjectProblem) -> ProjectCheck.Against? {
    guard let name = settings.baseline, chdir(root) == 0,
      let project = OutputChoice.keepingFindings({
        try? Project.load(schemas: nil, migrations: nil)
      })
    else { return nil }
    do {
      return try project.baseline(name)
    } catch {
      throw ProjectProblem(
        .baseline, of: settings, (error as? CommandFailure)?.message ?? "\(error)")
    }
  }
}
