import ArgumentParser
import Strata
import StrataSchema
import StrataTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Upgrades the files that `verify` names on standard input.
struct VerifyWorkerCommand: ParsableCommand {
  static let name = "verify-worker"

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  @Flag var elsewhere = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func run() throws {
    try key.apply()
    Interruption.watchAsWorker()
    let target = try folders.upgradeTarget()
    let requests = LineReader(paths: [])
    if elsewhere, chdir("/") != 0 { throw CommandFailure("The folder / cannot be entered.") }
    while let line = try requests.next() {
      guard let json = try? JSON.parse(line), let upgrade = ProofUpgrade(json: json) else {
        throw CommandFailure("\(Self.name) is started by verify alone.", status: ExitStatus.usage)
      }
      guard try MigrateWorkerCommand.send(answer(to: upgrade, target)) else { return }
    }
  }

  private func answer(to upgrade: ProofUpgrade, _ target: UpgradeTarget) throws -> JSON {
    // What blocks print is read where they end the process; standard output is for the report.
    let printed = try create(upgrade.printed)
    dup2(printed, STDOUT_FILENO)
    dup2(printed, STDERR_FILENO)
    close(printed)
    let objectAtHand = try create(upgrade.objectAtHand)
    defer { close(objectAtHand) }
    let trace = StepTrace { version, object in
      let line = Array("\(version) \(object.identity) \(object.model.name)\n".utf8)
      _ = line.withUnsafeBytes { pwrite(objectAtHand, $0.baseAddress, $0.count, 0) }
    }
    do {
      try StepTrace.$current.withValue(trace) { try upgrade.run(target) }
      return .object([:])
    } catch let error as MigrationError {
      return .object(["error": error.message])
    } catch {
      return .object(["error": MigrationError(unexpected: error, path: upgrade.file).message])
    }
  }

  private func create(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CommandFailure("\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
    return descriptor
  }
}
