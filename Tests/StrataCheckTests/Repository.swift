import StrataEvolution
import StrataFrontend
import StrataProject
import StrataSource
import Testing

@testable import StrataCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A git repository in a temporary folder, with a project in it.
final class Repository {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/strata-check-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try git("init", "-q", "-b", "main")
  }

  /// A clone or a linked work tree.
  init(at path: String) { self.path = path }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func git(_ arguments: String...) throws -> String {
    let result = try Subprocess.run(
      "git", ["-C", path, "-c", "user.name=a", "-c", "user.email=a@b"] + arguments)
    guard result.status == 0 else {
      throw CommandFailure(String(decoding: result.errors, as: UTF8.self))
    }
    return String(decoding: result.output, as: UTF8.self)
  }

  func commit(_ message: String = "change") throws {
    try git("add", "-A")
    try git("commit", "-q", "-m", message)
  }

  func write(_ name: String, _ text: String) throws {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: file.folderOfPath, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: file))
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  var project: Project {
    get throws {
      try Project.load(schemas: path + "/schemas", migrations: path + "/migrations")
    }
  }

  /// Seals what was edited, as `freeze --repair` does.
  func sealAgain() throws {
    let project = try project
    try project.write(
      try project.freeze(lenient: nil, checksSeal: false).plan(repairingOn: "2027-01-01"))
  }

  /// The declarations of a version: a person with these properties.
  func declare(_ version: Int, _ properties: String) throws {
    try write(
      "schemas/People.yaml",
      "schema: People\nversion: \(version)\nmodels:\n  Person:\n    properties: { \(properties) }\n"
    )
  }

  func freeze(
    _ version: Int, _ properties: String, step: String? = nil, on date: String = "2026-11-21"
  ) throws {
    try declare(version, properties)
    if let step { try write("migrations/\(version).yaml", "to: \(version)\n\(step)\n") }
    let project = try project
    let working = try project.compile().schema
    try project.write(
      try project.freeze(lenient: nil, checksSeal: true).plan(
        freezing: working, date: date))
  }

  /// Code and place of what a check finds, without what is only worth knowing.
  func findings(against: String? = nil) throws -> [String] {
    let project = try project
    let found = ProjectCheck.run(
      try project.files(), against: try project.baseline(against))
    return found.sorted.filter { $0.severity != .info }.map { finding in
      let place = finding.span.map {
        $0.path.replacing(path + "/", with: "") + ":\($0.start.line):\($0.start.column)"
      }
      return "\(finding.code) \(place ?? "-")"
    }
  }

  /// One frozen version with an enum, committed.
  static func withLevels() throws -> Repository {
    let repository = try Repository()
    try repository.write(
      "schemas/People.yaml",
      """
      schema: People
      version: 1
      models:
        Person:
          properties: { level: Level }
      enums:
        Level:
          type: int
          cases: { low: 1, high: 10 }

      """)
    let project = try repository.project
    try project.write(
      try project.freeze(lenient: nil, checksSeal: true).plan(
        freezing: try project.compile().schema, date: "2026-11-21"))
    try repository.commit()
    return repository
  }

  /// Swaps what both cases are stored as, in the frozen version's file alone.
  func swapFrozenLevels() throws {
    let text = try read("schemas/versions/1.yaml")
    let swapped = text.replacing("low: 1\n", with: "low: 10\n")
      .replacing("high: 10\n", with: "high: 1\n")
    try write("schemas/versions/1.yaml", swapped)
  }

  /// Three frozen versions, committed.
  static func example() throws -> Repository {
    let repository = try Repository()
    try repository.freeze(1, "name: string")
    try repository.freeze(2, "name: string, age: int?")
    try repository.freeze(
      3, "name: string, age: int", step: "set: { Person: { age: old.age ?? 0 } }")
    try repository.commit()
    return repository
  }
}
