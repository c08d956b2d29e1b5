import Foundation
import Strata
import StrataExpression
import StrataSQLite
import StrataSchema
import Testing

@testable import StrataBrowse

/// The questions of the page, answered over a real file.
@Suite("What a page asks")
struct SessionTests {
  static let schema = Schema(
    name: "Club", version: 0,
    models: [
      Model(
        name: "Person", primaryKey: ["number"],
        properties: [
          Property(name: "number", type: .value(ValueType(.scalar(.int)))),
          Property(name: "name", type: .value(ValueType(.scalar(.string)))),
          Property(name: "in", type: .value(ValueType(.scalar(.double), isOptional: true))),
          Property(name: "mood", type: .value(ValueType(.enumeration("Mood"), isOptional: true))),
          Property(name: "photo", type: .value(ValueType(.scalar(.data), isOptional: true))),
          Property(name: "boss", type: .value(ValueType(.object("Person"), isOptional: true))),
          Property(name: "tags", type: .list(ValueType(.scalar(.string)))),
          Property(name: "friends", type: .set(ValueType(.object("Person")))),
          Property(name: "marks", type: .map(ValueType(.scalar(.int)))),
          Property(name: "home", type: .value(ValueType(.object("Address"), isOptional: true))),
          Property(name: "houses", type: .list(ValueType(.object("Address")))),
          Property(name: "rooms", type: .map(ValueType(.object("Address")))),
          Property(name: "team", type: .inverse(model: "Person", property: "boss")),
        ]),
      Model(
        name: "Address", isEmbedded: true,
        properties: [Property(name: "street", type: .value(ValueType(.scalar(.string))))]),
    ],
    enums: [
      EnumType(
        name: "Mood", rawType: .string,
        cases: [
          EnumType.Case(name: "good", rawValue: .string("g")),
          EnumType.Case(name: "bad", rawValue: .string("b")),
        ])
    ])

  let scratch: BrowseScratch
  var folder: URL { scratch.folder }
  var store: Store { scratch.store }
  var session: BrowseSession { scratch.session }

  init() throws {
    scratch = try BrowseScratch(schema: Self.schema)
    try store.write {
      for number in 1...250 {
        try store.create(
          named: "Person",
          value: [
            "number": number,
            "name": number == 7 ? "<script>alert(7)</script>" : "Person \(number)",
            "in": Double(number) / 2, "tags": ["a", "b"],
          ])
      }
    }
  }

  func ask(_ question: [String: JSON], status: Int = 200) throws -> JSON {
    try scratch.ask(question, status: status)
  }

  func get(_ target: String) -> (status: Int, headers: [String: String], text: String) {
    scratch.get(target)
  }

  func rows(_ more: [String: JSON] = [:]) throws -> JSON {
    try ask(["do": "rows", "model": "Person"].merging(more) { $1 })
  }

  func ids(_ page: JSON) -> [String] {
    (page["rows"]?.array ?? []).compactMap { $0["id"]?.string }
  }

  @Test("Rows come in parts, sorted and filtered in the query language")
  func rows() throws {
    let first = try rows(["from": 0, "count": .int(3)])
    #expect(first["total"] == .int(250))
    #expect(
      first["columns"]?.array?.compactMap { $0["name"]?.string }
        == [
          "name", "number", "in", "mood", "boss", "home", "photo", "friends", "houses", "marks",
          "rooms", "tags", "team",
        ])
    #expect(ids(first).count == 3)
    let last = try rows(["from": .int(249), "count": .int(100)])
    #expect(ids(last).count == 1)
    let sorted = try rows([
      "sort": .array([.object(["path": "number", "ascending": .bool(false)])]), "count": .int(1),
    ])
    #expect(ids(sorted) == ids(last))
    // The name of this column is a word of the conditions.
    let byWord = try rows([
      "sort": .array([.object(["path": "in", "ascending": .bool(false)])]), "count": .int(1),
    ])
    #expect(ids(byWord) == ids(last))
    let filtered = try rows(["filter": "#in > 120 AND name ENDSWITH '50'"])
    #expect(filtered["total"] == .int(1))
  }

  @Test("Behind the end there is nothing, and far too much is not sent")
  func bounds() throws {
    #expect(ids(try rows(["from": .int(1_000_000)])) == [])
    #expect(ids(try rows(["from": .int(-5), "count": .int(2)])).count <= 2)
    #expect(ids(try rows(["count": .int(-1)])) == [])
    #expect(ids(try rows(["from": .int(.max), "count": .int(.max)])) == [])
    #expect(ids(try rows(["count": .int(1_000_000)])).count == 250)
  }

  @Test("What is wrong with a condition is said with its place")
  func conditions() throws {
    #expect(
      try ask(["do": "check", "model": "Person", "filter": "number > 3"])["problem"] == .null)
    let problem = try ask(["do": "check", "model": "Person", "filter": "'ä' == name AND agee > 3"])[
      "problem"]
    #expect(problem?["from"] == .int(16))
    #expect(problem?["to"] == .int(20))
    #expect(problem?["code"] == "STR6101")
    let refused = try ask(["do": "rows", "model": "Person", "filter": "agee > 3"], status: 400)
    #expect(refused["code"] == "STR5023")
  }

  @Test(
    "Completion: properties, what follows them, members of links, values of enums",
    arguments: [
      ("na", ["name"]), ("", ["boss"]), ("boss.nu", ["number"]), ("number ", ["==", ">="]),
      ("name ", ["BEGINSWITH[c]"]), ("mood == ", ["'b'", "'g'", "nil"]),
      ("tags.@", ["@count"]), ("number > 3 ", ["AND", "OR"]), ("name == 'na", []),
      ("number > 3 AND nam", ["name"]), ("i", ["#in"]), ("#i", ["#in"]), ("boss.i", ["in"]),
      ("number > ", ["#in"]), ("#in ", ["=="]),
    ])
  func completion(text: String, expected: [String]) throws {
    let model = try #require(Self.schema.model(named: "Person"))
    let found = Completion(schema: Self.schema, model: model).proposals(before: text).proposals.map(
      \.text)
    #expect(Set(expected).isSubset(of: Set(found)), "\(found)")
    if expected.isEmpty { #expect(found == []) }
  }

  @Test("What is proposed behind a text are the operators of the language, and all of them")
  func operators() {
    let text = PropertyType.value(ValueType(.scalar(.string)))
    let model = Model(
      name: "Note", properties: [Property(name: "name", type: text, index: .fulltext)])
    let schema = Schema(name: "Notes", version: 0, models: [model])

    let found = Completion(schema: schema, model: model).proposals(before: "name ").proposals.map(
      \.text)

    for sign in found {
      let condition = "name \(sign) " + (sign.hasSuffix("{") ? "'a', 'b'}" : "'a'")
      let problem = ConditionCheck(schema: schema, model: model).problem(of: condition)
      #expect(problem == .null, "\(condition)")
    }
    let signs = Set(found.map { $0.replacingOccurrences(of: "[c]", with: "") })
    #expect(signs.isSuperset(of: ComparisonOperator.allCases.map(\.rawValue)))
  }

  @Test("Links are followed both ways")
  func links() throws {
    let all = ids(try rows())
    _ = try ask([
      "do": "set", "model": "Person", "id": .string(all[1]), "property": "boss",
      "value": .object(["link": .string(all[0])]),
    ])
    let boss = try ask(["do": "object", "model": "Person", "id": .string(all[0])])
    #expect(
      boss["links"]?.array?.first?["property"] == "boss" && boss["links"]?.array?.count == 1)
    let team = try rows([
      "linked": .object([
        "property": "boss", "model": "Person", "id": .string(all[0]),
      ])
    ])
    #expect(ids(team) == [all[1]])
  }

  @Test("Rows do not wait until they are counted")
  func counts() throws {
    let filtered = try rows(["filter": "number > 0", "count": 100])
    #expect(filtered["rows"]?.array?.count == 100)
    #expect(filtered["total"] == .null)
    #expect(
      try ask(["do": "count", "model": "Person", "filter": "number > 0"])["total"] == .int(250))
    #expect(try rows(["filter": "number > 0", "count": 100])["total"] == .int(250))
    #expect(try rows(["filter": "number > 245"])["total"] == .int(5))
    #expect(try rows(["from": .int(.max)])["rows"] == .array([]))

    var counts = RowCounts(store.database)
    try counts.count(["Person"], within: .zero)
    #expect(try counts.hasRows("Person"))
    #expect(try !counts.hasRows("Address"))
    try counts.count(["Person"], within: nil)
    #expect(counts["Person"] == 250)
  }

  @Test("What another process writes is there with the next question")
  func live() throws {
    let before = try ask(["do": "state"])
    let other = try Store(configuration: store.configuration)
    defer { other.close() }
    try other.write {
      _ = try other.create(named: "Person", value: ["number": 5000, "name": "Other"])
    }
    let after = try ask(["do": "state"])
    #expect(after["change"] != before["change"])
    #expect(after["models"]?.array?.last?["count"] == .int(251))
  }

  @Test("Sample objects have the keys that none has, and are taken back as any others")
  func sampleObjects() throws {
    let state = try ask(["do": "sample", "model": "Person", "count": .int(10)])
    #expect(state["edits"] == .int(10))
    #expect(try rows(["filter": "number > 250"])["total"] == .int(10))
    #expect(try ask(["do": "undo"])["edits"] == .int(9))
    #expect(try rows()["total"] == .int(259))
    #expect(try ask(["do": "save"])["edits"] == .int(0))
  }

  @Test("A read-only file takes no edit")
  func readOnly() throws {
    var options = BrowseSession.Options()
    options.readOnlyReason = "Opened with --read-only."
    let session = BrowseSession(store, options: options)
    #expect(throws: BrowseError.self) {
      _ = try session.perform(Edit(model: "Person", change: .create(values: [:])))
    }
  }

  @Test("Large values: the beginning in a table, all of it on request, images as images")
  func largeValues() throws {
    let text = String(repeating: "ä<b>", count: 2500)
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    try store.write {
      _ = try store.create(
        named: "Person", value: ["number": 9000, "name": text, "photo": Data(png)])
    }
    let page = try rows(["filter": "number == 9000"])
    let row = try #require(page["rows"]?.array?.first)
    let id = try #require(row["id"]?.string)
    let name = try #require(row["cells"]?.array?.first)
    #expect(name["length"] == .int(10_000))
    #expect(name["v"]?.string?.count == 160)
    let whole = try ask(["do": "value", "model": "Person", "id": .string(id), "property": "name"])
    #expect(whole["v"] == .string(text))
    let image = get("/abc123/data/Person/\(id)/photo")
    #expect(image.status == 200)
    #expect(image.headers["Content-Type"] == "image/png")
    #expect(image.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
    #expect(image.headers["X-Content-Type-Options"] == "nosniff")
    #expect(get("/abc123/data/Person/\(id)/name").status == 404)
  }

  @Test("Data without bytes is shown as that, and not as nil")
  func emptyData() throws {
    let without = try rows(["filter": "photo == nil"])["total"]
    try store.write {
      _ = try store.create(named: "Person", value: ["number": 9000, "name": "x", "photo": Data()])
    }
    let row = try #require(try rows(["filter": "number == 9000"])["rows"]?.array?.first)
    let id = try #require(row["id"]?.string)
    let empty: JSON = .object(["bytes": .int(0), "image": .null])
    let object = try ask(["do": "object", "model": "Person", "id": .string(id)])
    let photo = object["fields"]?.array?.first { $0["property"]?["name"] == "photo" }

    #expect(row["cells"]?.array?[6] == empty)
    #expect(photo?["cell"] == empty)
    #expect(get("/abc123/data/Person/\(id)/photo").status == 200)
    #expect(try rows(["filter": "photo == nil"])["total"] == without)
    #expect(try rows(["filter": "number == 1"])["rows"]?.array?[0]["cells"]?.array?[6] == .null)
  }

  @Test("The page holds its first rows as data, which ends no element")
  func page() throws {
    let page = get("/abc123/")
    #expect(page.status == 200)
    #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
    #expect(page.text.contains("Person 1"))
    #expect(!page.text.contains("<script>alert"))
    #expect(page.text.contains("\\u003Cscript>alert(7)"))
    #expect(get("/other/").status == 403)
    #expect(get("/abc123/nothing").status == 404)
  }

  @Test("A database of another program: its tables, whatever they hold, and no way to write")
  func tables() throws {
    let path = folder.appendingPathComponent("other.db").path
    let writer = try Database(path: path)
    try writer.executeScript(
      #"""
      CREATE TABLE "odd ""name""" (a, b TEXT, c BLOB);
      INSERT INTO "odd ""name""" VALUES (1, 'x', x'89504E470D0A1A0A'), (2.5, '<b>', NULL), (3, 'z', x'00');
      CREATE TABLE keyed (k TEXT PRIMARY KEY, v INTEGER) WITHOUT ROWID;
      INSERT INTO keyed VALUES ('one', 1), ('two', 2);
      """#)
    let session = BrowseSession(
      try TablesContent(Database(path: path, mode: .readOnly)), options: BrowseSession.Options())
    let handler = BrowseHandler(session, access: ServerTests.access)
    let name = JSON.string("odd \"name\"")
    let state = try handler.ask(["do": "state"])
    #expect(state["models"]?.array?.compactMap { $0["name"] } == ["keyed", name])
    #expect(state["schema"] == .null && state["conditions"] == .bool(false))
    let page = try handler.ask([
      "do": "rows", "model": name,
      "sort": .array([.object(["path": "a", "ascending": .bool(false)])]),
    ])
    #expect(ids(page) == ["3", "2", "1"])
    #expect(page["rows"]?.array?[1]["cells"]?.array?[0]["v"] == "2.5")
    #expect(page["rows"]?.array?[2]["cells"]?.array?[2]["image"] == "png")
    #expect(ids(try handler.ask(["do": "rows", "model": "keyed", "from": .int(1)])) == ["1"])
    #expect(
      try handler.ask(["do": "object", "model": "keyed", "id": "1"])["fields"]?.array?.first?[
        "cell"]?["v"]
        == "two")
    #expect(
      try handler.ask(["do": "rows", "model": name, "filter": "a > 1"], status: 400)["error"] != nil
    )
    try handler.ask(
      ["do": "set", "model": name, "id": "1", "property": "b", "value": .object(["text": "y"])],
      status: 400)
    try writer.execute("INSERT INTO keyed VALUES ('three', 3)")
    #expect(try handler.ask(["do": "rows", "model": "keyed"])["total"] == .int(3))
  }

  @Test("A selection as JSON lines and CSV")
  func export() throws {
    let query = "%7B%22model%22%3A%22Person%22%2C%22filter%22%3A%22number%20%3C%203%22%7D"
    let lines = get("/abc123/export?format=jsonl&query=\(query)")
    #expect(lines.status == 200)
    let objects = try lines.text.split(separator: "\n").map { try JSON.parse(String($0)) }
    #expect(objects.map { $0["number"] } == [.int(1), .int(2)])
    #expect(objects.first?["tags"] == .array(["a", "b"]))
    let first = try store.objects(named: "Person").filter("number == 1")[0]
    try store.write {
      try first.setValue(["street": "Main"], forKey: "home")
      try first.setValue(["\u{e9}": 1, "e": 2], forKey: "marks")
      try first.map("marks", of: Int.self).updateValue(3, forKey: "e\u{301}")
    }
    let whole = try JSON.parse(
      String(get("/abc123/export?format=jsonl&query=\(query)").text.split(separator: "\n")[0]))
    #expect(whole["home"]?["street"] == "Main")
    #expect(whole["marks"]?["\u{e9}"] == .int(1))
    #expect(whole["marks"]?["e\u{301}"] == .int(3))
    let csv = get("/abc123/export?format=csv&query=\(query)")
    #expect(csv.text.split(separator: "\r\n").count == 3)
    #expect(
      csv.headers["Content-Disposition"]
        == "attachment; filename=\"Person.csv\"; filename*=UTF-8''Person.csv")
    #expect(get("/abc123/export?format=exe&query=\(query)").status == 400)
  }

  /// To Swift U+0600 and the sign behind it are one character.
  @Test("No text ends the element that holds the first view")
  func firstView() {
    let page = BrowsePage.text(token: "t", first: .string("\u{600}</script>\u{600}<b>"))
    let start = "id=\"first\">".utf8
    let bytes = Array(page.utf8)
    let place = bytes.indices.first { bytes[$0...].starts(with: start) }
    let data = bytes[((place ?? 0) + start.count)...].prefix { $0 != UInt8(ascii: "<") }
    #expect(
      String(decoding: data, as: UTF8.self).unicodeScalars.elementsEqual(
        "\"\u{600}\\u003C/script>\u{600}\\u003Cb>\"".unicodeScalars))
  }

  /// To Swift a quote with an accent on it is one character; to a program that reads CSV it is a quote.
  @Test(
    "A cell of CSV stays one cell",
    arguments: [
      ("say \"\u{301}, 9", "\"say \"\"\u{301}, 9\""), ("a\"\u{FE0F}\n7", "\"a\"\"\u{FE0F}\n7\""),
      ("=\u{301}1+2", "'=\u{301}1+2"), ("-1.5", "-1.5"), ("plain", "plain"),
      ("\n=1", "\"'\n=1\""), ("＝1", "'＝1"), ("＠x", "'＠x"),
    ])
  func cell(_ text: String, _ cell: String) {
    #expect(SelectionExport.line([text, "x"]).elementsEqual((cell + ",x\r\n").utf8))
  }
}
