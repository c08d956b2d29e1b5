import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Where lines have many links to a property, its index is taken off and made anew.
@Suite struct ManyLinksImportTests {
  private let bench: Workbench
  private let file: String

  init() throws {
    bench = try Workbench()
    file = try Graph.file("a.db", in: bench)
    for statement in Graph.objects { try bench.sql(file, statement) }
  }

  private func lines() throws -> [String] {
    var lines: [String] = []
    try ObjectExporter.export(file, target: nil) { lines.append($0) }
    return lines
  }

  /// - Parameters:
  ///   - many: how many links to a property are many.
  ///   - atOnce: how many are sorted.
  private func importing(
    _ lines: [String], into path: String, many: Int, atOnce: Int64 = 100
  ) throws {
    try ObjectImporter.transaction(on: path) { importer in
      importer.links.manyLinks = many
      importer.links.linksAtOnce = atOnce
      for line in lines { try importer.add(Array(line.utf8), defaultModel: nil) }
      try importer.finish()
    }
  }

  /// All tables and indexes.
  private func definitions(_ path: String) throws -> Set<[SQLiteValue]> {
    Set(try bench.sql(path, "SELECT type, name, tbl_name, sql FROM sqlite_schema"))
  }

  @Test(arguments: [(many: 1, atOnce: 1), (1, 7), (50, 100), (1, 1_000_000), (1_000, 1)])
  func whatWasExportedIsTheSameWhenItIsImported(many: Int, atOnce: Int64) throws {
    let copy = try Graph.file("b.db", in: bench)
    let empty = try definitions(copy)

    try importing(try lines(), into: copy, many: many, atOnce: atOnce)

    #expect(try Graph.digest(copy) == (try Graph.digest(file)))
    #expect(try definitions(copy) == empty)
    #expect(try bench.sql(copy, "PRAGMA integrity_check") == [[.text("ok")]])
  }

  @Test func whatIsThereAlreadyKeepsItsLinks() throws {
    let before = try bench.sql(file, "SELECT count(*), sum(value) FROM \"Node.others\"")

    // Nodes without a primary key are new ones.
    try importing(try lines(), into: file, many: 1)

    let old = "_owner <= 300"
    #expect(
      try bench.sql(file, "SELECT count(*), sum(value) FROM \"Node.others\" WHERE \(old)") == before
    )
    #expect(
      try bench.sql(
        file,
        "SELECT count(*) FROM \"Node.others\" INDEXED BY \"Node.others.link\" WHERE value > 0")
        == [[.integer(600)]])
    #expect(try bench.sql(file, "PRAGMA integrity_check") == [[.text("ok")]])
  }

  @Test func aLinkToNothingLeavesTheIndexes() throws {
    let copy = try Graph.file("b.db", in: bench)
    let empty = try definitions(copy)
    let dangling = #"{"$model":"Node","n":1,"others":[{"$id":77777}]}"#

    #expect(
      throws: ImportError(
        line: 401,
        message: "Node.others links to Node 77777, which no line has as its \"$id\"")
    ) {
      try importing(try lines() + [dangling], into: copy, many: 1)
    }

    #expect(try definitions(copy) == empty)
    #expect(try bench.sql(copy, "SELECT count(*) FROM Node") == [[.integer(0)]])
  }

  /// To make an index anew of a table that is much larger would take longer than the links.
  @Test(arguments: [(coming: 149, isTakenOff: false), (150, true), (600, true)])
  func anIndexIsTakenOffWhereAtLeastHalfAsManyRowsCome(coming: Int, isTakenOff: Bool) throws {
    let database = try Database(path: file, mode: .readWrite)
    let isThere = "SELECT count(*) FROM sqlite_schema WHERE name = 'Node.others.link'"
    let index = IndexDefinition(name: "Node.others.link", table: "Node.others", columns: ["value"])
    #expect(
      try database.firstValue("SELECT count(*) FROM \"Node.others\"") == .integer(300))
    var indexes = TakenOffIndexes(database)

    try indexes.takeOff(index, before: coming)

    #expect(try database.firstValue(isThere) == .integer(isTakenOff ? 0 : 1))
    try indexes.putBack()
    #expect(try database.firstValue(isThere) == .integer(1))
  }
}
