import Foundation
import Strata
import StrataSQLite
import StrataSchema
import Synchronization
import Testing

@testable import StrataBrowse

/// Edits while other processes want to write the same file.
extension SessionTests {
  private func text(_ text: String) -> JSON { .object(["text": .string(text)]) }

  private func set(
    _ id: String, _ property: String, _ value: JSON, status: Int = 200
  ) throws -> JSON {
    try ask(
      [
        "do": "set", "model": "Person", "id": .string(id), "property": .string(property),
        "value": value,
      ], status: status)
  }

  private func element(
    _ id: String, _ change: [String: JSON], of property: String = "tags", status: Int = 200
  ) throws -> JSON {
    try ask(
      [
        "do": "element", "model": "Person", "id": .string(id), "property": .string(property),
        "change": .object(change),
      ], status: status)
  }

  private func elements(_ id: String, of property: String = "tags") throws -> [JSON] {
    try ask([
      "do": "elements", "model": "Person", "id": .string(id), "property": .string(property),
    ])["elements"]?.array ?? []
  }

  private func tags(_ id: String) throws -> [String?] {
    try elements(id).map { $0["cell"]?["v"]?.string }
  }

  /// Removes the first element of a list, as another process.
  private func removeFirstTag(_ id: String) throws {
    let other = try Database(path: folder.appendingPathComponent("scratch.db").path)
    defer { other.close() }
    try other.execute(
      """
      DELETE FROM "Person.tags" WHERE _owner = ?1
      AND _index = (SELECT min(_index) FROM "Person.tags" WHERE _owner = ?1)
      """, .integer(try #require(Int64(id))))
  }

  @Test("Nothing comes between edits: not after undo, a refused value or a refused save")
  func lock() throws {
    let id = try #require(ids(try rows()).first)
    _ = try element(id, ["remove": 0])
    _ = try set(id, "name", text("Ada"))
    let ends = Mutex<[String]>([])
    store.database.setStatementLog { statement, _, _ in
      if ["BEGIN", "COMMIT", "ROLLBACK"].contains(where: statement.hasPrefix),
        !statement.hasPrefix("ROLLBACK TO")
      {
        ends.withLock { $0.append(statement) }
      }
    }
    defer { store.database.setStatementLog(nil) }

    _ = try set(id, "number", text("many"), status: 400)
    _ = try set(id, "number", text("7"), status: 400)
    _ = try set(id, "name", text("Grace"))
    #expect(try ask(["do": "undo"])["edits"] == .int(2))
    #expect(ends.withLock { $0 } == [])
    #expect(try tags(id) == ["b"])
    #expect(try rows(["filter": "name == 'Ada'"])["total"] == .int(1))

    // A commit that SQLite refuses is tried in the same transaction.
    _ = try ask([
      "do": "create", "model": "Person",
      "values": .object(["number": text("900"), "name": text("x")]),
    ])
    try store.database.execute(
      "INSERT INTO \"Person.tags\" (_owner, _index, value) VALUES (999999, 1, 'x')")
    _ = try ask(["do": "save"], status: 400)

    #expect(ends.withLock { $0 } == ["COMMIT"])
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try tags(id) == ["b"])
    #expect(try rows(["filter": "name == 'Ada' OR number == 900"])["total"] == .int(2))
  }

  /// SQLite ends a transaction by itself where the disk is full.
  @Test(
    "Where the transaction ended by itself, no edit meets another element",
    arguments: [
      ["remove": 1], ["replace": .object(["text": "B"]), "at": 0], ["move": 0, "to": 1],
      ["insert": .object(["text": "B"]), "at": 1],
    ] as [[String: JSON]])
  func endedTransaction(change: [String: JSON]) throws {
    let id = try #require(ids(try rows()).first)
    _ = try element(id, change)
    _ = try set(id, "name", text("Ada"))
    try store.database.execute("ROLLBACK")
    try removeFirstTag(id)

    let error = try #require(try ask(["do": "undo"], status: 400)["error"]?.string)

    #expect(error.contains("had to be discarded: Person.tags was changed meanwhile"), "\(error)")
    #expect(try ask(["do": "state"])["edits"] == .int(0))
    #expect(try tags(id) == ["b"])
  }

  @Test("Where the transaction ended by itself and no other process came, all edits stay")
  func endedTransactionAlone() throws {
    let all = ids(try rows())
    _ = try element(all[0], ["remove": 1])
    _ = try element(all[0], ["insert": text("c")])
    _ = try element(all[0], ["move": 1, "to": 0])
    _ = try set(all[1], "name", text("Ada"))
    try store.database.execute("ROLLBACK")
    try removeFirstTag(all[1])

    _ = try set(all[0], "number", text("many"), status: 400)

    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try tags(all[0]) == ["c", "a"])
    #expect(try tags(all[1]) == ["b"])
    #expect(try store.objects(named: "Person").filter("name == 'Ada'").count == 1)
  }

  @Test("After SQLite has ended the transaction an edit is not stored at once")
  func endedTransactionGoesOn() throws {
    let all = ids(try rows())
    _ = try set(all[0], "name", text("Ada"))
    try store.database.execute("ROLLBACK")

    _ = try set(all[1], "name", text("Bea"))
    #expect(store.database.isInTransaction)
    #expect(try ask(["do": "state"])["edits"] == .int(2))
    _ = try ask(["do": "revert"])

    #expect(try store.objects(named: "Person").filter("name IN {'Ada', 'Bea'}").count == 0)
  }

  @Test("After SQLite has ended the transaction what is shown has the edits, and they are saved")
  func endedTransactionIsShownAndSaved() throws {
    let all = ids(try rows())
    _ = try set(all[0], "name", text("Ada"))
    try store.database.execute("ROLLBACK")

    #expect(try rows(["filter": "name == 'Ada'"])["total"] == .int(1))
    try store.database.execute("ROLLBACK")
    #expect(try ask(["do": "save"])["edits"] == .int(0))

    let other = try Database(path: folder.appendingPathComponent("scratch.db").path)
    defer { other.close() }
    #expect(try other.count(of: "Person WHERE name = 'Ada'") == 1)
  }

  /// An object that is not saved gets another identity then, and the one that the page knows is that of another process's object.
  @Test("An edit meets no object that another process has made meanwhile")
  func otherIdentities() throws {
    let made = try ask([
      "do": "create", "model": "Person",
      "values": .object(["number": text("900"), "name": text("mine")]),
    ])
    let id = try #require(made["id"]?.string)
    try store.database.execute("ROLLBACK")
    let other = try Database(path: folder.appendingPathComponent("scratch.db").path)
    defer { other.close() }
    let identity = try #require(Int64(id))
    try other.execute(
      "INSERT INTO Person (_row, number, name) VALUES (?, 901, 'theirs')", .integer(identity))
    try other.execute("UPDATE _strata SET value = ? WHERE key = 'nextRow'", .integer(identity + 1))

    let error = try set(id, "name", text("Ada"), status: 400)

    #expect(error["code"] == .string("changed"), "\(error)")
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try rows(["filter": "name IN {'mine', 'theirs'}"])["total"] == .int(2))
    _ = try set(id, "name", text("Ada"))
    #expect(try rows(["filter": "name == 'Ada' AND number == 901"])["total"] == .int(1))
    _ = try ask(["do": "revert"])
  }

  @Test("A change of elements that cannot be stored is refused, and others go on")
  func refusedElement() throws {
    let id = try #require(ids(try rows()).first)
    let before = try tags(id)
    try store.database.execute(
      "CREATE TEMP TRIGGER no BEFORE INSERT ON \"Person.tags\" BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    _ = try element(id, ["insert": text("c")], status: 400)
    try store.database.execute("DROP TRIGGER no")

    #expect(try ask(["do": "state"])["edits"] == .int(0))
    #expect(try tags(id) == before)
    _ = try element(id, ["insert": text("c")])
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    #expect(try tags(id) == before + ["c"])
  }

  @Test("An element that the page shows at a place where another one stands by now is not touched")
  func staleElements() throws {
    let id = try #require(ids(try rows()).first)
    let shown = try elements(id)
    try removeFirstTag(id)

    for change: [String: JSON] in [
      ["remove": 0], ["replace": text("A"), "at": 0], ["move": 0, "to": 0],
    ] {
      let answer = try element(
        id, change.merging(["was": shown[0]["mark"] ?? .null]) { $1 }, status: 400)
      #expect(answer["code"] == "changed", "\(answer)")
    }
    #expect(try ask(["do": "state"])["edits"] == .int(0))
    #expect(try tags(id) == ["b"])
    let now = try #require(try elements(id).first?["mark"])
    _ = try element(id, ["remove": 0, "was": now])
    #expect(try tags(id) == [])
  }

  @Test("An element of a set is the one that was meant, too")
  func staleSet() throws {
    let all = ids(try rows())
    for friend in all[1...3] {
      _ = try element(all[0], ["insert": .object(["link": .string(friend)])], of: "friends")
    }
    #expect(try ask(["do": "save"])["edits"] == .int(0))
    let shown = try elements(all[0], of: "friends")
    let other = try Store(configuration: store.configuration)
    defer { other.close() }
    try other.write {
      try other.delete(
        try #require(try other.object(named: "Person", identity: Int64(all[1]) ?? 0)))
    }

    let was = try #require(shown[1]["mark"])
    _ = try element(all[0], ["remove": 1, "was": was], of: "friends", status: 400)
    _ = try element(all[0], ["remove": 0, "was": was], of: "friends")

    #expect(try elements(all[0], of: "friends").map { $0["cell"]?["id"] } == [.string(all[3])])
  }
}
