internal import ArgumentParser
public import Strata
internal import StrataSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The `strata` command as a library, so that an app's own executable has the same commands with the app's Swift blocks inside:
///
/// ```swift
/// import PeopleMigrations
/// import StrataCLI
/// StrataCLI.main(migrations: PeopleMigrations.self)
/// ```
public enum StrataCLI {
  /// Parses the process's arguments, runs the command and ends the process.
  ///
  /// Exit status: 0 done, 1 findings or differences, 3 the operation failed, 64 wrong usage, 130 interrupted.
  ///
  /// - Parameter migrations: the blocks to have inside; nil for the stock command, which works on the
  ///   folders `schemas` and `migrations`.
  public static func main(migrations: (any MigrationChain.Type)? = nil) -> Never {
    StandardStreams.openMissing()
    // The process is the command's own, and opens no database before this.
    Database.disableMemoryStatistics()
    // Beyond the size that a file may have, writing fails with a sentence instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    EmbeddedMigrations.$current.withValue(migrations) {
      RootCommand.run(arguments: Array(CommandLine.arguments.dropFirst()))
    }
  }
}

/// The migrations that were compiled into this tool.
enum EmbeddedMigrations {
  @TaskLocal static var current: (any MigrationChain.Type)?
}
