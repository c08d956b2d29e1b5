import Foundation
import Strata
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataBrowse

/// Edits of values that another process has changed since the page showed them.
extension SessionTests {
  private func set(
    _ id: String, _ property: String, _ text: String, was: JSON, status: Int = 200
  ) throws -> JSON {
    try ask(
      [
        "do": "set", "model": "Person", "id": .string(id), "property": .string(property),
        "value": .object(["text": .string(text)]), "was": was,
      ], status: status)
  }

  private func field(_ id: String, _ property: String) throws -> JSON? {
    try ask(["do": "object", "model": "Person", "id": .string(id)])["fields"]?.array?
      .first { $0["property"]?["name"] == .string(property) }
  }

  private func mark(_ id: String, _ property: String) throws -> JSON {
    try #require(try field(id, property)?["mark"])
  }

  /// Writes as another process.
  private func write(_ sql: String, _ argument: SQLiteValue) throws {
    let other = try Database(path: folder.appendingPathComponent("scratch.db").path)
    defer { other.close() }
    try other.execute(sql, argument)
  }

  @Test("A value that another process has changed since it was shown is not overwritten")
  func staleValue() throws {
    let id = try #require(ids(try rows()).first)
    let shown = try mark(id, "name")
    let number = try mark(id, "number")
    try write("UPDATE Person SET name = 'theirs' WHERE _row = ?", .integer(Int64(id) ?? 0))

    let refused = try set(id, "name", "mine", was: shown, status: 400)

    #expect(refused["code"] == "changed", "\(refused)")
    #expect(refused["error"]?.string?.hasPrefix("Person.name was changed meanwhile") == true)
    #expect(try ask(["do": "state"])["edits"] == .int(0))
    #expect(try field(id, "name")?["cell"]?["v"] == "theirs")
    // The other properties of the object are as they were shown.
    _ = try set(id, "number", "1000", was: number)
    _ = try set(id, "name", "mine", was: try mark(id, "name"))
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try rows(["filter": "name == 'mine' AND number == 1000"])["total"] == .int(1))
  }

  @Test(
    "The value that an earlier edit has set is overwritten by one that was typed before it showed")
  func valueOfThisTransaction() throws {
    let id = try #require(ids(try rows()).first)
    let shown = try mark(id, "name")

    _ = try set(id, "name", "first", was: shown)
    _ = try set(id, "name", "second", was: shown)

    #expect(try ask(["do": "state"])["edits"] == .int(2))
    #expect(try field(id, "name")?["cell"]?["v"] == "second")
    _ = try ask(["do": "undo"])
    #expect(try field(id, "name")?["cell"]?["v"] == "first")
  }

  @Test("A value tells itself from every other, however long it is and whatever its type")
  func marks() throws {
    let all = ids(try rows())
    let long = String(repeating: "a", count: 5000)
    for (id, name) in zip(all, [long + "b", long + "c", "\0", "", long + "b"]) {
      _ = try set(id, "name", name, was: .null)
    }
    let marks = try all.prefix(5).map { try mark($0, "name") }
    #expect(Set(marks.compactMap(\.string)).count == 4)
    #expect(marks[0] == marks[4])
    #expect(try mark(all[0], "mood") == mark(all[1], "mood"))
    #expect(try field(all[0], "tags")?["mark"] == .null)
  }

  @Test("A value of a map that another process has changed is not overwritten and not removed")
  func staleMap() throws {
    let id = try #require(ids(try rows()).first)
    func element(_ change: [String: JSON], status: Int = 200) throws -> JSON {
      try ask(
        [
          "do": "element", "model": "Person", "id": .string(id), "property": "marks",
          "change": .object(change),
        ], status: status)
    }
    func elements() throws -> [JSON] {
      try ask(["do": "elements", "model": "Person", "id": .string(id), "property": "marks"])[
        "elements"]?.array ?? []
    }
    func text(_ text: String) -> JSON { .object(["text": .string(text)]) }
    for key in ["art", "maths"] {
      _ = try element(["put": text("1"), "key": .string(key), "isNew": true])
    }
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    let shown = try elements().map { $0["mark"] ?? .null }
    try write(
      "UPDATE \"Person.marks\" SET value = 9 WHERE _owner = ? AND _index = 'maths'",
      .integer(Int64(id) ?? 0))

    for change: [String: JSON] in [
      ["put": text("2"), "key": "maths", "was": shown[1]], ["removeKey": "maths", "was": shown[1]],
    ] {
      #expect(try element(change, status: 400)["code"] == "changed")
    }
    #expect(try elements().map { $0["cell"]?["v"] } == ["1", "9"])
    _ = try element(["put": text("2"), "key": "art", "was": shown[0]])
    _ = try element(["put": text("3"), "key": "art", "was": shown[0]])
    _ = try element(["removeKey": "maths"])
    #expect(try elements().map { $0["cell"]?["v"] } == ["3"])
  }

  @Test("Where the transaction ended by itself, no edit overwrites what another process wrote then")
  func staleReplay() throws {
    let id = try #require(ids(try rows()).first)
    _ = try set(id, "name", "mine", was: try mark(id, "name"))
    _ = try set(id, "name", "mine, too", was: try mark(id, "name"))
    try store.database.execute("ROLLBACK")
    try write("UPDATE Person SET name = 'theirs' WHERE _row = ?", .integer(Int64(id) ?? 0))

    let error = try #require(try ask(["do": "save"], status: 400)["error"]?.string)

    #expect(error.contains("had to be discarded: Person.name was changed meanwhile"), "\(error)")
    #expect(try ask(["do": "state"])["edits"] == .int(0))
    #expect(try field(id, "name")?["cell"]?["v"] == "theirs")
  }

  @Test("Between two questions no version of the file is held: its log can be reset")
  func rests() throws {
    let id = try #require(ids(try rows()).first)
    _ = try rows(["filter": "number > 3"])
    let query = "%7B%22model%22%3A%22Person%22%7D"
    #expect(get("/abc123/export?format=csv&query=\(query)").status == 200)
    #expect(get("/abc123/data/Person/\(id)/photo").status == 404)
    _ = try set(id, "number", "many", was: .null, status: 400)
    let before = try ask(["do": "state"])["change"]
    let other = try Database(path: folder.appendingPathComponent("scratch.db").path)
    defer { other.close() }
    try other.execute("UPDATE Person SET name = 'theirs' WHERE _row = ?", .integer(Int64(id) ?? 0))

    let isBusy = try other.firstValue("PRAGMA wal_checkpoint(TRUNCATE)")?.ifInteger

    #expect(isBusy == 0)
    #expect(try ask(["do": "state"])["change"] != before)
    #expect(try field(id, "name")?["cell"]?["v"] == "theirs")
  }
}
