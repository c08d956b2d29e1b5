import Foundation
import Strata
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataBrowse

/// Texts with U+0000, where SQLite's own functions let a text end.
extension SessionTests {
  @Test("A text with U+0000 is whole, in a table, a field, a link, and where it is long")
  func textsWithNUL() throws {
    let text = "Ada\0Lovelace"
    let long = String(repeating: "ä\0", count: 100)
    let all = ids(try rows())
    for (id, name) in [(all[0], text), (all[1], long)] {
      _ = try ask([
        "do": "set", "model": "Person", "id": .string(id), "property": "name",
        "value": .object(["text": .string(name)]),
      ])
    }
    _ = try ask([
      "do": "set", "model": "Person", "id": .string(all[2]), "property": "boss",
      "value": .object(["link": .string(all[0])]),
    ])
    _ = try ask(["do": "save"])

    let page = try #require(try rows()["rows"]?.array)
    let value = try ask([
      "do": "value", "model": "Person", "id": .string(all[1]), "property": "name",
    ])
    let boss = try ask(["do": "object", "model": "Person", "id": .string(all[2])])["fields"]?.array?
      .first { $0["property"]?["name"] == "boss" }

    #expect(page[0]["cells"]?.array?[0] == .object(["v": .string(text)]))
    #expect(
      page[1]["cells"]?.array?[0]
        == .object(["v": .string(String(repeating: "ä\0", count: 80)), "length": .int(200)]))
    #expect(value == .object(["v": .string(long), "whole": .bool(true)]))
    #expect(boss?["cell"]?["v"] == .string(text))
    #expect(try rows(["filter": "name ENDSWITH 'Lovelace'"])["total"] == .int(1))
    let csv = get("/abc123/export?format=csv&query=%7B%22model%22%3A%22Person%22%7D").text
    #expect(csv.contains(text))
  }

  @Test("Texts and infinite numbers of another program's database are whole")
  func tablesWithNUL() throws {
    let path = folder.appendingPathComponent("other.db").path
    let writer = try Database(path: path)
    try writer.executeScript(
      """
      PRAGMA encoding = 'UTF-16le';
      CREATE TABLE t (a TEXT, n);
      INSERT INTO t VALUES ('ä' || char(0) || 'b', 9e999);
      """)
    writer.close()
    let content = try TablesContent(Database(path: path, mode: .readOnly))

    let page = try content.page(RowQuery(model: "t"), from: 0, count: 9)
    let value = try content.value("t", 1, "a")
    let lines = try #require(try content.export(RowQuery(model: "t"), as: .jsonLines)())

    #expect(page["rows"]?.array?.first?["cells"]?.array?.first == .object(["v": "ä\0b"]))
    #expect(value == .object(["v": "ä\0b", "whole": .bool(true)]))
    #expect(
      try JSON.parse(lines) == .object(["a": "ä\0b", "n": "Infinity"]))
  }

  @Test("What is shown of a text: characters are not cut, whatever stands in it")
  func startsOfTexts() throws {
    let database = store.database
    try PageText.addFunctions(to: database)
    func start(_ value: SQLiteValue, _ count: Int) throws -> SQLiteValue? {
      try database.firstValue("SELECT \(PageText.start(of: "?", count))", value)
    }
    func length(_ value: SQLiteValue) throws -> SQLiteValue? {
      try database.firstValue("SELECT \(PageText.length(of: "?"))", value)
    }
    #expect(try start(.text("aä\0😀b"), 4) == .text("aä\0😀"))
    #expect(try start(.text("aä\0😀b"), 9) == .text("aä\0😀b"))
    #expect(try start(.text(""), 3) == .text(""))
    #expect(try start(.blob([1, 0, 2]), 2) == .blob([1, 0]))
    #expect(try start(.integer(-12), 2) == .text("-1"))
    #expect(try start(.null, 2) == .null)
    #expect(try length(.text("aä\0😀b")) == .integer(5))
    #expect(try length(.blob([1, 0, 2])) == .integer(3))
    #expect(try length(.null) == .null)
  }
}
