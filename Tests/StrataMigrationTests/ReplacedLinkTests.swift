import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What an object links to goes with it where a later line of the same import replaces it.
@Suite struct ReplacedLinkTests {
  private let bench: Workbench
  private let file: String

  init() throws {
    bench = try Workbench()
    let stop = Model(
      name: "Stop", isEmbedded: true,
      properties: [.link("at", to: "Town"), .optional("minutes", .int)])
    let tour = Model(
      name: "Tour", primaryKey: ["id"],
      properties: [
        .required("id", .int), .link("end", to: "Town"), .link("start", to: "Stop"),
        .list("stops", of: "Stop"),
      ])
    let town = Model(name: "Town", properties: [.optional("name", .string)])
    let schema = Schema(name: "Tours", version: 0, models: [stop, tour, town])
    let target = UpgradeTarget(history: .chained("Tours", [("2026-01-01", schema, nil)]))
    file = try bench.sample("tours.db", version: 0, of: target, objects: 0)
  }

  private func importing(_ lines: String...) throws {
    var rest = lines[...]
    _ = try ObjectImporter.run(into: file, target: nil, model: "Tour") {
      rest.popFirst().map { Array($0.utf8) }
    }
  }

  /// No line has the town 9.
  @Test(arguments: [
    (#""end":{"$id":9}"#, #""end":null"#, 0),
    (#""start":{"at":{"$id":9}}"#, #""start":null"#, 0),
    (#""start":{"at":{"$id":9}}"#, #""start":{"minutes":2}"#, 1),
    (#""stops":[{"at":{"$id":9}},{"minutes":1}]"#, #""stops":[{"minutes":2}]"#, 1),
  ])
  func aLinkToNothingIsReplaced(_ first: String, _ second: String, _ stops: Int64) throws {
    try importing(#"{"id":1,\#(first)}"#, #"{"id":1,\#(second)}"#)

    #expect(
      try bench.sql(file, "SELECT count(*) FROM Tour WHERE \"end\" IS NULL") == [[.integer(1)]])
    #expect(try bench.sql(file, "SELECT count(*) FROM Stop") == [[.integer(stops)]])
  }

  @Test func oneThatStaysIsStillNamed() throws {
    #expect(
      throws: ImportError(
        line: 2, message: "Stop.at links to Town 9, which no line has as its \"$id\"")
    ) {
      try importing(
        #"{"id":1,"start":{"at":{"$id":8}}}"#, #"{"id":1,"start":{"at":{"$id":9}}}"#)
    }
  }
}
