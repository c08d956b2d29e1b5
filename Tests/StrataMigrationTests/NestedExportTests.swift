import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Embedded objects in embedded objects, as comments that answer comments.
@Suite struct NestedExportTests {
  private static let target = UpgradeTarget(
    history: .chained(
      "Talk",
      [
        (
          "2026-01-01",
          Schema(
            name: "Talk", version: 0,
            models: [
              Model(name: "Remark", isEmbedded: true, properties: [embedded("answer")]),
              Model(name: "Topic", properties: [embedded("first")]),
            ]), nil
        )
      ]), steps: [])

  private static func embedded(_ name: String) -> Property {
    Property(name: name, type: .value(ValueType(.object("Remark"), isOptional: true)))
  }

  /// A topic with remarks that stand so deep in one another; the last leads to one above where it is a circle.
  private func file(_ bench: Workbench, depth: Int, isCircle: Bool = false) throws -> String {
    let path = try bench.sample("\(depth).db", version: 0, of: Self.target, objects: 0)
    for row in (1...depth).reversed() {
      let answer = row < depth ? "\(row + 1)" : isCircle ? "1" : "NULL"
      try bench.sql(path, "INSERT INTO Remark (_row, answer) VALUES (\(row), \(answer))")
    }
    try bench.sql(path, "INSERT INTO Topic (_row, first) VALUES (\(depth + 1), 1)")
    try bench.sql(path, "UPDATE _strata SET value = \(depth + 2) WHERE key = 'nextRow'")
    return path
  }

  @Test(arguments: [1, 33, 64])
  func whatIsWrittenIsReadAgain(depth: Int) throws {
    let bench = try Workbench()
    let path = try file(bench, depth: depth)
    var lines: [String] = []
    try ObjectExporter.export(path, target: nil) { lines.append($0) }
    #expect(lines.count == 1)

    let copy = try bench.sample("copy.db", version: 0, of: Self.target, objects: 0)
    var rest = lines[...]
    _ = try ObjectImporter.run(into: copy, target: nil, model: "Topic") {
      rest.popFirst().map { Array($0.utf8) }
    }
    #expect(try digest(copy, Self.target) == digest(path, Self.target))
  }

  @Test func deeperOnesAreRefusedAndNotCalledDamage() throws {
    let bench = try Workbench()
    let error = #expect(throws: MigrationError.self) {
      try ObjectExporter.export(file(bench, depth: 65), target: nil) { _ in }
    }
    #expect(error?.kind == .inputOutput)
    #expect(error?.description.hasPrefix("Remark _row 65 stands more than 64 deep") == true)
  }

  /// Remarks that answer one another so often, as text.
  private func line(depth: Int) -> [UInt8] {
    let open = String(repeating: #"{"answer":"#, count: depth - 1)
    return Array(
      (#"{"first":"# + open + "{}" + String(repeating: "}", count: depth)).utf8)
  }

  @Test func whatCouldNotBeExportedIsNotImported() throws {
    let bench = try Workbench()
    let path = try bench.sample("lines.db", version: 0, of: Self.target, objects: 0)
    var lines = [line(depth: 64), line(depth: 64), line(depth: 65)]
    let taken = try ObjectImporter.run(into: path, target: nil, model: "Topic") {
      lines.count > 1 ? lines.removeFirst() : nil
    }
    #expect(taken == (created: 2, updated: 0))

    lines.insert(line(depth: 1), at: 0)
    #expect(
      throws: ImportError(
        line: 2,
        message:
          "Remark.answer stands more than 64 deep in embedded objects, which 'export' could not write"
      )
    ) {
      try ObjectImporter.run(into: path, target: nil, model: "Topic") {
        lines.isEmpty ? nil : lines.removeFirst()
      }
    }
    #expect(try bench.sql(path, "SELECT count(*) FROM Topic") == [[.integer(2)]])
    try ObjectExporter.export(path, target: nil) { _ in }
  }

  /// The most that JSON of 64 embedded objects is nested.
  @Test func listsOfThemAreReadAgainWithWhatTheyLinkTo() throws {
    let bench = try Workbench()
    let schema = Schema(
      name: "Lists", version: 0,
      models: [
        Model(
          name: "Part", isEmbedded: true,
          properties: [.list("parts", of: "Part"), .list("things", of: "Thing")]),
        Model(name: "Thing", properties: [.list("parts", of: "Part")]),
      ])
    let target = UpgradeTarget(history: .chained("Lists", [("2026-01-01", schema, nil)]))
    let (first, second) = (
      try bench.sample("first.db", version: 0, of: target, objects: 0),
      try bench.sample("second.db", version: 0, of: target, objects: 0)
    )
    let line =
      #"{"$id":1,"parts":["# + String(repeating: #"{"parts":["#, count: 63)
      + #"{"things":[{"$id":1}]}"# + String(repeating: "]}", count: 64)
    var lines = [line]
    _ = try ObjectImporter.run(into: first, target: nil, model: "Thing") {
      lines.popLast().map { Array($0.utf8) }
    }
    try ObjectExporter.export(first, target: nil) { lines.append($0) }
    #expect(lines.count == 1)

    _ = try ObjectImporter.run(into: second, target: nil, model: nil) {
      lines.popLast().map { Array($0.utf8) }
    }
    #expect(try digest(second, target) == digest(first, target))
  }

  @Test func aCircleIsDamage() throws {
    let bench = try Workbench()
    let error = #expect(throws: MigrationError.self) {
      try ObjectExporter.export(file(bench, depth: 3, isCircle: true), target: nil) { _ in }
    }
    #expect(error?.kind == .fileDamaged)
    #expect(error?.description.contains("Remark _row 1 is embedded in itself") == true)
  }
}
