import Foundation
import Strata
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataBrowse

/// Selections as files, which are sent piece by piece while other questions are answered.
extension SessionTests {
  /// What is left of an export.
  private final class Export {
    private(set) var text = ""
    private let next: () throws -> [UInt8]?

    init(_ response: HTTPResponse) throws {
      guard case .pieces(let next) = response.body else { throw BrowseError("no pieces") }
      self.next = next
    }

    /// - Returns: whether there was one.
    func readPiece() throws -> Bool {
      guard let piece = try next() else { return false }
      text += String(decoding: piece, as: UTF8.self)
      return true
    }

    func readAll() throws -> String {
      while try readPiece() {}
      return text
    }
  }

  private static let long = String(repeating: "x", count: 2000)

  private func startExport(_ format: String = "jsonl") throws -> Export {
    try Export(
      scratch.handler.response(
        to: "/abc123/export?format=\(format)&query=%7B%22model%22%3A%22Person%22%7D"))
  }

  /// Gives all persons names that fill several pieces.
  private func fill() throws {
    try store.write {
      for person in try store.objects(named: "Person") {
        try person.setValue("old \(Self.long)", forKey: "name")
      }
    }
  }

  private func rename(_ id: String, _ name: String) -> [String: JSON] {
    [
      "do": "set", "model": "Person", "id": .string(id), "property": "name",
      "value": .object(["text": .string(name)]),
    ]
  }

  @Test(
    "An export is of the state in which it began, whatever is saved meanwhile",
    arguments: ["jsonl", "csv"])
  func exportOfOneState(format: String) throws {
    try fill()
    let last = try #require(ids(try rows()).last)
    let export = try startExport(format)
    #expect(try export.readPiece())

    _ = try ask(rename(last, "new"))
    #expect(try rows(["filter": "name == 'new'"])["total"] == .int(1))
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    let other = try Database(path: folder.appendingPathComponent("scratch.db").path)
    try other.execute("UPDATE Person SET name = 'theirs' WHERE number = 249")
    try other.execute("DELETE FROM Person WHERE number = 248")
    other.close()
    #expect(try rows(["filter": "name IN {'new', 'theirs'}"])["total"] == .int(2))

    let before = try export.readAll()
    #expect(before.components(separatedBy: "old \(Self.long)").count == 251)
    let after = try startExport(format).readAll()
    #expect(after.components(separatedBy: "old \(Self.long)").count == 248)
    #expect(after.contains("new") && after.contains("theirs"))
  }

  @Test("While what is not saved is exported, edits wait and other questions are answered")
  func exportOfEdits() throws {
    try fill()
    let all = ids(try rows())
    _ = try ask(rename(all[99], "mine"))
    let export = try startExport()
    #expect(try export.readPiece())

    for question in [
      rename(all[98], "later"), ["do": "undo"], ["do": "save"], ["do": "revert"],
      ["do": "delete", "model": "Person", "id": .string(all[0])],
      ["do": "sample", "model": "Person"],
    ] {
      #expect(scratch.handler.answerIfReady(question) == nil)
    }
    #expect(try ask(["do": "state"])["edits"] == .int(1))
    #expect(try rows(["filter": "name == 'mine'"])["total"] == .int(1))

    let text = try export.readAll()
    #expect(text.contains("\"mine\"") && text.split(separator: "\n").count == 250)
  }

  @Test("When the export is whole, or given up, edits go on", arguments: [true, false])
  func exportOfEditsEnds(isRead: Bool) throws {
    try fill()
    let all = ids(try rows())
    _ = try ask(rename(all[99], "mine"))
    var export: Export? = try startExport()
    #expect(try export?.readPiece() == true)
    #expect(scratch.handler.answerIfReady(rename(all[0], "later")) == nil)

    if isRead { _ = try export?.readAll() }
    export = nil

    #expect(try ask(rename(all[0], "later"))["edits"] == .int(2))
    #expect(try ask(["do": "save"])["edits"] == .int(0))
  }

  @Test(
    "Where SQLite ends the transaction, its export ends with it, and is no file that seems whole")
  func exportOfEndedTransaction() throws {
    try fill()
    let all = ids(try rows())
    _ = try ask(rename(all[99], "mine"))
    for looksBetween in [true, false] {
      let export = try startExport()
      #expect(try export.readPiece())
      try store.database.execute("ROLLBACK")
      if looksBetween { #expect(try rows(["filter": "name == 'mine'"])["total"] == .int(1)) }
      #expect(throws: BrowseError.self) { _ = try export.readAll() }
    }
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try rows(["filter": "name == 'mine'"])["total"] == .int(1))
  }

  @Test("Rows of another program's table are of one state, too")
  func exportOfTables() throws {
    let path = folder.appendingPathComponent("other.db").path
    let writer = try Database(path: path)
    defer { writer.close() }
    try writer.executeScript(
      """
      PRAGMA journal_mode = WAL;
      CREATE TABLE t (n, text);
      WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 300)
      INSERT INTO t SELECT x, printf('old %.*c', 1000, 'x') FROM n;
      """)
    let content = try TablesContent(Database(path: path, mode: .readOnly))
    let next = try content.export(RowQuery(model: "t"), as: .csv)
    var text = String(decoding: try #require(try next()), as: UTF8.self)

    try writer.execute("UPDATE t SET text = 'new'")
    try content.refresh()
    #expect(try content.page(RowQuery(model: "t"), from: 0, count: 1)["total"] == .int(300))

    while let piece = try next() { text += String(decoding: piece, as: UTF8.self) }
    #expect(text.split(separator: "\r\n").count == 301 && !text.contains("new"))
    try content.refresh()
    #expect(try content.value("t", 300, "text")["v"] == "new")
  }
}
