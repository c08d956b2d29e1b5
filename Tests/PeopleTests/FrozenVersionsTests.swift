import Foundation
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

/// The frozen versions of the example, which `strata freeze` wrote as it grew.
@Suite struct FrozenVersionsTests {
  @Test func eachVersionFreezesAgainToTheSameBytes() throws {
    let project = try ExampleProject()
    let versions = project.reading.history.versions
    #expect(versions.map(\.number) == Array(0...5))

    for (index, version) in versions.enumerated() {
      let freeze = Freeze(
        history: History(name: "People", versions: Array(versions[..<index])),
        lock: VersionLock(lines: Array(project.lock.lines[..<index])),
        steps: project.reading.steps.mapValues(\.step), blocks: project.blocks)

      let plan = try freeze.plan(freezing: version.schema, date: version.date)

      let lines = VersionLock(lines: Array(project.lock.lines[...index])).text
      let text = try project.text("versions/\(version.number).yaml")
      #expect(
        plan.files == [FreezeFile(.version(version.number), text), FreezeFile(.lock, lines)])
      #expect(plan.uncovered.isEmpty)
    }
    let lock = try project.text("schema.lock")
    #expect(project.lock.text == lock)
  }

  @Test func theDeclarationsAreTheNewestVersion() throws {
    let project = try ExampleProject()
    var diagnostics = Diagnostics()
    let working = SchemaCompiler.compile(
      try SourceFolder.read(project.schemas.path), reporting: &diagnostics)

    #expect(diagnostics.isEmpty)
    #expect(working?.schema == project.reading.history.newest?.schema)
  }

  @Test func versionsOneAndThreeHaveOneShape() throws {
    let history = try ExampleProject().reading.history

    #expect(history.version(1)?.shape == history.version(3)?.shape)
    #expect(history.version(1)?.chain != history.version(3)?.chain)
  }
}

/// `schemas` and `migrations` of this package.
private struct ExampleProject {
  let schemas: URL
  let reading: HistoryReading
  let lock: VersionLock
  let blocks: [Int: [[UInt8]]]

  init() throws {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    schemas = package.appendingPathComponent("schemas")
    let migrations = package.appendingPathComponent("migrations").path
    var diagnostics = Diagnostics()
    let reading = HistoryReader.read(
      versions: try SourceFolder.read(schemas.appendingPathComponent("versions").path),
      lock: try SourceFolder.read(file: schemas.appendingPathComponent("schema.lock").path),
      steps: try SourceFolder.read(migrations), reporting: &diagnostics)
    self.reading = try #require(reading, "\(diagnostics.sorted)")
    lock = try #require(self.reading.lock?.lock)
    blocks = [1: [try SourceFolder.read(file: migrations + "/1-FullName.swift").bytes]]
  }

  func text(_ path: String) throws -> String {
    try String(contentsOf: schemas.appendingPathComponent(path), encoding: .utf8)
  }
}
