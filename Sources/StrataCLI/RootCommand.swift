import ArgumentParser
import Strata
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
        CreateCommand.self, InspectCommand.self,
        PlanCommand.self, MigrateCommand.self, VerifyCommand.self, ExportCommand.self,
        ImportCommand.self,
        InitCommand.self, FormatCommand.self, ExplainCommand.self, JSONSchemaCommand.self,
        MigrateWorkerCommand.self, VerifyWorkerCommand.self,
        AdoptCommand.self,
      ])
  }

  /// Runs the command that the arguments name and ends the process with its status.
  static func run(arguments: [String]) -> Never {
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
      Terminal.flush()
      Glibc.exit(ExitStatus.done)
    } catch let status as ExitCode {
      Terminal.flush()
      Glibc.exit(status.rawValue)
    } catch let failure as CommandFailure {
      Terminal.error(failure.message)
      Terminal.flush()
      Glibc.exit(failure.status)
    } catch let error as MigrationError {
      Terminal.error(error.description, code: error.code)
      Terminal.flush()
      Glibc.exit(error.kind == .cancelled ? ExitStatus.interrupted : ExitStatus.failed)
    } catch  where exitCode(for: error) == .validationFailure || exitCode(for: error) == .success {
      exit(withError: error)
    } catch {
      Terminal.error("\(error)")
      Terminal.flush()
      Glibc.exit(ExitStatus.failed)
    }
  }
}
