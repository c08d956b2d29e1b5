import Foundation
import Strata
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataTesting

/// A folder with the file that every run begins with.
struct Bench {
  let folder: URL
  /// People of version 0.
  let names: String

  init(objects: Int) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    names = folder.appendingPathComponent("names.db").path
    let history = UpgradeTarget.declarative.history
    guard let version = history.version(0) else { return }
    try SampleDatabase(version: version, of: history).create(at: names, objects: objects, seed: 7)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// The median of the seconds that `body` takes with a fresh copy of a file.
  func median(_ runs: Int, from file: String, _ body: (String) throws -> Void) throws -> Double {
    var seconds: [Double] = []
    let clock = ContinuousClock()
    for run in 0..<runs {
      let copy = folder.appendingPathComponent("run-\(run).db").path
      try FileManager.default.copyItem(atPath: file, toPath: copy)
      sync()
      let start = clock.now
      try body(copy)
      let took = clock.now - start
      seconds.append(
        Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where name.hasPrefix("run-") {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
    }
    return seconds.sorted()[runs / 2]
  }

  /// B: what the sqlite3 shell does with plain SQL.
  func shellRebuild(_ file: String) throws {
    try Self.execute([
      "sqlite3", file,
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN;
      CREATE TABLE "new"(_row INTEGER PRIMARY KEY, age INTEGER NOT NULL, email TEXT, fullName TEXT NOT NULL) STRICT;
      INSERT INTO "new"(_row, age, fullName) SELECT _row, age, firstName || ' ' || lastName FROM Person;
      DROP TABLE Person; ALTER TABLE "new" RENAME TO Person; COMMIT;
      """,
    ])
  }

  /// Runs a program that the path knows.
  static func execute(_ command: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ShellError(status: process.terminationStatus)
    }
  }

  struct ShellError: Error { let status: Int32 }
}

enum Command {
  static func number(_ option: String) -> Int? { text(option).flatMap { Int($0) } }

  static func text(_ option: String) -> String? {
    let arguments = CommandLine.arguments
    return arguments.firstIndex(of: option).flatMap {
      $0 + 1 < arguments.count ? arguments[$0 + 1] : nil
    }
  }

  /// Other programs that upgrade the same file: `--peer "Alembic=python3 script.py"`.
  static var peers: [(label: String, command: [String])] {
    zip(CommandLine.arguments, CommandLine.arguments.dropFirst()).compactMap { option, value in
      let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
      guard option == "--peer", parts.count == 2 else { return nil }
      return (parts[0], parts[1].split(separator: " ").map(String.init))
    }
  }
}

extension String {
  func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
