import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// A link in a line may name its target by its primary key, of one property or of several.
@Suite struct ImportedKeysTests {
  private let bench: Workbench
  private let file: String

  init() throws {
    bench = try Workbench()
    let place = Model(
      name: "Place", primaryKey: ["shelf", "number", "at"],
      properties: [
        .required("shelf", .string), .required("number", .int), .required("at", .date),
        .optional("title", .string),
      ])
    let note = Model(name: "Note", properties: [.optional("text", .string)])
    let book = Model(
      name: "Book",
      properties: [
        .optional("title", .string), .link("place", to: "Place"), .list("earlier", of: "Place"),
        .link("note", to: "Note"), .optional("thing", .any),
      ])
    let schema = Schema(name: "Test", version: 0, models: [book, note, place])
    let target = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema, nil)]))
    file = try bench.sample("books.db", version: 0, of: target, objects: 0)
  }

  @discardableResult
  private func importing(_ lines: String..., model: String = "Book") throws -> Int {
    var rest = lines[...]
    return try ObjectImporter.run(into: file, target: nil, model: model) {
      rest.popFirst().map { Array($0.utf8) }
    }.created
  }

  @Test func aCompoundKeyIsNamedByItsProperties() throws {
    let (first, second) = (
      #"{"at":"2026-01-02T03:04:05.678Z","number":1,"shelf":"a \"b\" é"}"#,
      #"{"shelf":"","at":"2026-01-02T03:04:05Z","number":-9007199254740993}"#
    )

    try importing(
      #"{"title":"x","place":{"$key":\#(first)},"earlier":[{"$key":\#(second)},{"$key":\#(first)}],"#
        + #""thing":{"$model":"Place","$key":\#(second)}}"#,
      #"{"$model":"Place","title":"one",\#(first.dropFirst())"#,
      #"{"$model":"Place","title":"two",\#(second.dropFirst())"#)

    #expect(
      try bench.sql(file, "SELECT Place.title FROM Book JOIN Place ON place = Place._row")
        == [[.text("one")]])
    let elements = "SELECT title FROM \"Book.earlier\" JOIN Place ON value = _row ORDER BY _index"
    #expect(try bench.sql(file, elements) == [[.text("two")], [.text("one")]])
    var lines = ""
    try ObjectExporter.exportPieces(of: file, target: nil, models: ["Book"]) { lines += $0 }
    #expect(lines.contains(#""thing":{"$id":3,"$model":"Place"}"#))
  }

  @Test(arguments: [
    (
      #"{"place":{"$key":{"at":"2026-01-01T00:00:00Z","number":1,"shelf":"a"}}}"#,
      #"Book.place links to the Place with the key {"at":"2026-01-01T00:00:00Z","number":1,"shelf":"a"}, which is not there"#
    ),
    (
      #"{"place":{"$key":{"number":1,"shelf":"a"}}}"#,
      #"Book.place links to Place, which has a compound key: {"$key": {"shelf": …, "number": …, "at": …}} is expected"#
    ),
    (
      #"{"place":{"$key":"a"}}"#,
      #"Book.place links to Place, which has a compound key: {"$key": {"shelf": …, "number": …, "at": …}} is expected"#
    ),
    (
      #"{"place":{"$key":{"at":"2026-01-01T00:00:00Z","number":"x","shelf":"a"}}}"#,
      #"Place.number is int, which "x" is not"#
    ),
    (
      #"{"note":{"$key":1}}"#,
      #"Book.note links to Note, which has no primary key: {"$id": …} is expected"#
    ),
    // One of them would be passed over.
    (
      #"{"place":{"$id":1,"$key":{"at":"2026-01-01T00:00:00Z","number":1,"shelf":"a"}}}"#,
      #"Book.place is a link: {"$id": …} or {"$key": …} is expected, and not both"#
    ),
    (
      #"{"earlier":[{"$id":1},{"$id":1,"$key":"a"}]}"#,
      #"Book.earlier is a link: {"$id": …} or {"$key": …} is expected as element 2, and not both"#
    ),
    (
      #"{"thing":{"$model":"Place","$id":1,"$key":null}}"#,
      #"Book.thing is a link: {"$id": …} or {"$key": …} is expected, and not both"#
    ),
  ])
  func aWrongKeyNamesItsLine(_ line: String, _ message: String) throws {
    #expect(throws: ImportError(line: 1, message: message)) { try importing(line) }
  }

  /// Also where each line says its own model.
  @Test func linesOfNoModelAreRefused() throws {
    let error = #expect(throws: MigrationError.self) {
      try importing(#"{"$model":"Note"}"#, model: "Bok")
    }
    #expect(error?.description == "\(file) has no model Bok; it has Book, Note, Place.")
  }
}
