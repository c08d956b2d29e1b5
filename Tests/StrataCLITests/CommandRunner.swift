import Foundation
import Testing

/// Runs the built commands as a user does, each test in a folder of its own.
final class CommandRunner {
  struct Result {
    let status: Int32
    let output: String
    let errors: String

    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any] ?? [:]
    }

    /// The first entry of a report's `files`.
    var firstFile: [String: Any] { (json["files"] as? [[String: Any]])?.first ?? [:] }
  }

  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The folder of the build that this test is part of, or of another one: `STRATA_TEST_BINARIES` names the folder of
  /// the release binaries, so that what ships is tested, too.
  private static let products: URL = {
    if let folder = ProcessInfo.processInfo.environment["STRATA_TEST_BINARIES"] {
      return URL(
        fileURLWithPath: folder, isDirectory: true, relativeTo: root
      ).absoluteURL
    }
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent()
      }
    #endif
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }()

  /// Where the project's own folders are.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @discardableResult
  func people(_ arguments: String..., asNobody: Bool = false) throws -> Result {
    try people(arguments, asNobody: asNobody)
  }

  @discardableResult
  func people(_ arguments: [String], asNobody: Bool) throws -> Result {
    try run("people", arguments, asNobody: asNobody)
  }

  /// The command without encryption.
  func peopleDemo(_ arguments: [String]) throws -> Result { try run("people-demo", arguments) }

  @discardableResult
  func strata(_ arguments: String...) throws -> Result { try run("strata", arguments) }

  func strata(_ arguments: [String], asNobody: Bool = false) throws -> Result {
    try run("strata", arguments, asNobody: asNobody)
  }

  /// Starts the command and goes on.
  func startPeople(_ arguments: String...) throws -> RunningCommand {
    try startPeople(arguments)
  }

  /// - Parameter options: of `env`, which starts the command.
  func startPeople(
    _ arguments: [String], environment: [String: String] = [:], options: [String] = []
  ) throws -> RunningCommand {
    let variables = environment.map { "\($0)=\($1)" }
    let command = [Self.products.appendingPathComponent("people").path] + arguments
    return try RunningCommand(options + variables + command, in: folder)
  }

  func startStrata(_ arguments: String...) throws -> RunningCommand {
    try RunningCommand(
      [Self.products.appendingPathComponent("strata").path] + arguments, in: folder)
  }

  /// The digest of all objects in a file.
  func digest(_ file: String) throws -> String? {
    try people("inspect", file, "--digest", "--json").firstFile["dataDigest"] as? String
  }

  /// Runs a script in which the built commands are found by their names.
  func shell(_ script: String) throws -> Result {
    try execute(["sh", "-c", "PATH=\"$0:$PATH\"\n" + script, Self.products.path])
  }

  private func run(_ name: String, _ arguments: [String], asNobody: Bool = false) throws -> Result {
    var command = [Self.products.appendingPathComponent(name).path] + arguments
    if asNobody {
      // The build may stand where only root looks; a copy of the command is everybody's.
      let copy = path(name)
      if !FileManager.default.fileExists(atPath: copy) {
        try FileManager.default.copyItem(atPath: command[0], toPath: copy)
      }
      command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy] + arguments
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    }
    return try execute(command)
  }

  private func execute(_ command: [String]) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // What is said on standard error fits into its pipe; standard output is read while the command runs.
    let outputData = output.fileHandleForReading.readAll()
    let errorData = errors.fileHandleForReading.readAll()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: outputData, as: UTF8.self),
      errors: String(decoding: errorData, as: UTF8.self))
  }

  /// Everything in the folder but commands that were copied there: name → bytes.
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name != "people" && name != "strata" {
      contents[name] = try? Data(contentsOf: folder.appendingPathComponent(name))
    }
    return contents
  }
}
