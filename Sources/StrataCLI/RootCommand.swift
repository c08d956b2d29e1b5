import ArgumentParser
import Strata
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct RootCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Tool.name,
      abstract: "Compiles schemas, freezes their versions and upgrades database files.",
      version: Tool.version,
      subcommands: [
        GenerateCommand.self, FreezeCommand.self, DiffCommand.self, CheckCommand.self,
        DocsCommand.self, BrowseCommand.self,
        CreateCommand.self, InspectCommand.self,
        PlanCommand.self, MigrateCommand.self, DowngradeCommand.self, VerifyCommand.self,
        ExportCommand.self,
        ImportCommand.self,
        InitCommand.self, FormatCommand.self, ExplainCommand.self, JSONSchemaCommand.self,
        LSPCommand.self,
        MigrateWorkerCommand.self, VerifyWorkerCommand.self,
        AdoptCommand.self, RekeyCommand.self, SalvageCommand.self,
      ])
  }

  /// A word that is no command has its own sentence, with the command that is meant.
  private static func requireCommand(_ word: String?) throws {
    guard let word, !word.hasPrefix("-") else { return }
    let commands = configuration.subcommands.map { $0.configuration }
    guard word != "help", !commands.contains(where: { $0.commandName == word }) else { return }
    let shown = commands.filter(\.shouldDisplay).compactMap(\.commandName)
    let near = NearestName.find(word, among: shown).map { "Did you mean '\($0)'? " } ?? ""
    throw CommandFailure(
      "There is no command '\(word)'. \(near)`\(Tool.name) --help` lists the commands.",
      status: ExitStatus.usage)
  }

  /// As the parser reads the arguments. It looks for what is missing before it looks at what it does not know, and a mistyped
  /// option beside a missing file is what has to be said first.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    do {
      return try parseAsRoot(arguments)
    } catch  where message(for: error).hasPrefix("Missing expected argument") {
      var completed = arguments
      for _ in 0..<mostArguments where !completed.contains("--") {
        completed.append("file")
        do {
          _ = try parseAsRoot(completed)
          break
        } catch let other where message(for: other).hasPrefix("Unknown option") {
          throw other
        } catch {
          continue
        }
      }
      throw error
    }
  }

  /// What the parser says of a wrong argument, which it repeats as it was given.
  private static func usageMessage(for error: any Error, _ arguments: [String]) -> String {
    let message = arguments.reduce(fullMessage(for: error)) { message, argument in
      let shown = TerminalText.plain(argument)
      return shown == argument ? message : message.replacing(argument, with: shown)
    }
    return TerminalText.plain(message, keepingLines: true)
  }

  /// More arguments than any command requires.
  private static let mostArguments = 3

  /// Runs the command that the arguments name and ends the process with its status.
  static func run(arguments: [String]) -> Never {
    var command: any ParsableCommand = RootCommand()
    do {
      try requireCommand(arguments.first)
      if arguments.first == "help" { try requireCommand(arguments.dropFirst().first) }
      command = try parsed(arguments)
      let isJSON = (command as? any JSONPrinting)?.json ?? false
      OutputChoice.update { $0.isJSON = isJSON }
      if isJSON { Terminal.keepResultsApart() }
      try command.run()
      let hasChanged = (command as? any FileChanging)?.changesFiles ?? false
      if let problem = Terminal.outputProblem(afterChanges: hasChanged) { throw problem }
      Terminal.flush()
      endProcess(ExitStatus.done)
    } catch let status as ExitCode {
      if let problem = Terminal.outputProblem { Terminal.error(problem.description) }
      Terminal.flush()
      endProcess(Terminal.outputProblem == nil ? status.rawValue : ExitStatus.failed)
    } catch let failure as CommandFailure {
      if failure.isAnswered {
        Terminal.error(failure.message, code: failure.code)
      } else {
        command.tell(failure.message, code: failure.code)
      }
      Terminal.flush()
      endProcess(failure.status)
    } catch let error as MigrationError {
      command.tell(error.description, code: error.code)
      Terminal.flush()
      endProcess(error.kind == .cancelled ? ExitStatus.interrupted : ExitStatus.failed)
    } catch let error as StoreError {
      command.tell(error.description, code: error.code)
      Terminal.flush()
      endProcess(ExitStatus.failed)
    } catch  where exitCode(for: error) == .validationFailure {
      Terminal.write(usageMessage(for: error, arguments) + "\n", to: 2)
      endProcess(exitCode(for: error).rawValue)
    } catch  where exitCode(for: error) == .success {
      Terminal.write(fullMessage(for: error) + "\n", to: Terminal.results)
      if let problem = Terminal.outputProblem { Terminal.error(problem.description) }
      endProcess(Terminal.outputProblem == nil ? ExitStatus.done : ExitStatus.failed)
    } catch {
      command.tell("\(error)")
      Terminal.flush()
      endProcess(ExitStatus.failed)
    }
  }
}

/// `exit(3)`, which the command's own function of that name hides.
private func endProcess(_ status: Int32) -> Never { exit(status) }
