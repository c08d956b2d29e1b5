import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What is exported can be imported, unless an object's line is longer than one that an import takes.
@Suite struct LongLineTests {
  private let bench: Workbench
  private let file: String

  /// Photo 1 with 90 bytes, which are 120 characters of base64, photo 2 with 3 and photo 3 with 180.
  init() throws {
    bench = try Workbench()
    let photo = Model(name: "Photo", properties: [.optional("raw", .data)])
    let tag = Model(name: "Tag", properties: [.optional("text", .string)])
    let schema = Schema(name: "Photos", version: 0, models: [photo, tag])
    let target = UpgradeTarget(history: .chained("Photos", [("2026-01-01", schema, nil)]))
    file = try bench.sample("photos.db", version: 0, of: target, objects: 0)
    for (row, bytes) in [(1, 90), (2, 3), (3, 180)] {
      try bench.sql(file, "INSERT INTO Photo (_row, raw) VALUES (\(row), zeroblob(\(bytes)))")
    }
    try bench.sql(file, "INSERT INTO Tag (_row, text) VALUES (4, 'x')")
    try bench.sql(file, "UPDATE _strata SET value = 5 WHERE key = 'nextRow'")
  }

  /// `{"$id":1,"$model":"Photo","raw":"…"}`
  private static let lengthOfFirst = 35 + 120

  @Test func theObjectIsNamedWhenAllLinesAreWritten() throws {
    var text = ""
    let error = #expect(throws: MigrationError.self) {
      try ObjectExporter.exportPieces(
        of: file, target: nil, longestLine: Self.lengthOfFirst - 1
      ) { text += $0 }
    }

    #expect(
      error?.description
        == "The line of Photo _row 1 has 155 bytes, and 'import' takes lines of at most 154. All lines were written, "
        + "but these cannot be imported again; a copy of the file keeps everything.")
    #expect(error?.kind == .inputOutput)
    #expect(error?.model == "Photo")
    #expect(error?.identity == 1)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.first?.utf8.count == Self.lengthOfFirst)
    #expect(lines.last == #"{"$id":4,"$model":"Tag","text":"x"}"#)
  }

  @Test func aLineOfTheBoundIsNotTooLong() throws {
    var text = ""
    let error = #expect(throws: MigrationError.self) {
      try ObjectExporter.exportPieces(of: file, target: nil, longestLine: Self.lengthOfFirst) {
        text += $0
      }
    }
    #expect(error?.identity == 3)
    #expect(text.split(separator: "\n").count == 4)

    try ObjectExporter.exportPieces(
      of: file, target: nil, longestLine: Self.lengthOfFirst + 120
    ) { _ in }
    try ObjectExporter.exportPieces(of: file, target: nil, models: ["Tag"], longestLine: 40) { _ in
    }
  }
}
