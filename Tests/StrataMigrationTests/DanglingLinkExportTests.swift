import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// A link that leads to no object is told, and what is written can be imported.
@Suite struct DanglingLinkExportTests {
  private let bench: Workbench
  private let file: String

  /// Three nodes, of which the first one links to the second one in every way, and keyed object 2001 to the third one.
  init() throws {
    bench = try Workbench()
    file = try Graph.file("a.db", in: bench)
    for statement in [
      "INSERT INTO Node (_row, n, next) VALUES (1, 1, 2), (2, 2, NULL), (3, 3, NULL)",
      "INSERT INTO \"Node.others\" (_owner, _index, value) VALUES (1, 10, 3), (1, 20, 2), (1, 30, 3)",
      "INSERT INTO \"Node.peers\" (_owner, value) VALUES (1, 2), (1, 3)",
      "INSERT INTO Keyed (_row, id, node) VALUES (2001, 7, 3)",
      "UPDATE _strata SET value = 3000 WHERE key = 'nextRow'",
    ] { try bench.sql(file, statement) }
  }

  private func export(models: [String] = []) throws -> (lines: [Substring], error: MigrationError?)
  {
    var text = ""
    var problem: MigrationError?
    do {
      try ObjectExporter.exportPieces(of: file, target: nil, models: models) { text += $0 }
    } catch let error as MigrationError {
      problem = error
    }
    return (text.split(separator: "\n"), problem)
  }

  private func first(_ lines: [Substring]) -> Substring? {
    lines.first { $0.hasPrefix(#"{"$id":1,"#) }
  }

  private func damage(_ statement: String) throws {
    let database = try Database(path: file, mode: .readWrite)
    defer { database.close() }
    try database.setPragma("foreign_keys", .integer(0))
    try database.execute(statement)
  }

  @Test func aSoundFileIsWrittenAsItIs() throws {
    let (lines, error) = try export()
    #expect(error == nil)
    #expect(
      first(lines)?.contains(#""next":{"$id":2},"others":[{"$id":3},{"$id":2},{"$id":3}]"#) == true)
  }

  @Test func theLinksAreLeftOutAndTold() throws {
    try damage("DELETE FROM Node WHERE _row = 2")
    let (lines, error) = try export()
    #expect(
      error?.description.contains(
        "a.db is damaged: Node _row 1: next leads to Node _row 2, which is not there. 2 more links lead to none."
      ) == true, "\(String(describing: error))")
    #expect(error?.kind == .fileDamaged)
    #expect(error?.identity == 1)
    #expect(lines.count == 3)
    #expect(
      first(lines)?.contains(
        #""next":null,"others":[{"$id":3},{"$id":3}],"peers":[{"$id":3}]"#) == true)

    let copy = try Graph.file("b.db", in: bench)
    var rest = lines[...]
    let imported = try ObjectImporter.run(into: copy, target: nil, model: nil) {
      rest.popFirst().map { Array($0.utf8) }
    }
    #expect(imported.created == 3)
  }

  /// Objects that other ones stand between, and one that only an element leads to.
  @Test func aLinkIntoAGapIsFound() throws {
    try damage("INSERT INTO Node (_row, n) VALUES (9, 9)")
    #expect(try export().error == nil)
    try damage("INSERT INTO \"Node.peers\" (_owner, value) VALUES (3, 7)")
    let (lines, error) = try export()
    #expect(
      error?.description.contains(
        "Node _row 3: peers leads to Node _row 7, which is not there. All")
        == true, "\(String(describing: error))")
    #expect(lines.count == 5)
  }

  /// What is not written has nothing to tell.
  @Test func onlyTheModelsThatAreWrittenAreTold() throws {
    try damage("DELETE FROM Node WHERE _row = 2")
    let (lines, error) = try export(models: ["Keyed"])
    #expect(error == nil)
    #expect(lines == [#"{"$id":2001,"$model":"Keyed","id":7,"node":{"$id":3},"places":[]}"#])
  }
}
