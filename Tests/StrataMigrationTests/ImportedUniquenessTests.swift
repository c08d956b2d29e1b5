import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Lines are stored one after the other, and values have to be unique when all of them are.
@Suite struct ImportedUniquenessTests {
  private let bench: Workbench
  private let file: String

  /// Users 1, 2 and 3 with the names a, b and c, and seats A, B and C of their own.
  init() throws {
    bench = try Workbench()
    let seat = Model(
      name: "Seat", isEmbedded: true,
      properties: [
        Property(name: "place", type: .value(ValueType(.scalar(.string))), isUnique: true)
      ])
    let user = Model(
      name: "User", primaryKey: ["id"],
      properties: [
        .required("id", .int),
        Property(name: "name", type: .value(ValueType(.scalar(.string))), isUnique: true),
        Property(name: "seat", type: .value(ValueType(.object("Seat"), isOptional: true))),
        .list("friends", of: "User"),
      ])
    let schema = Schema(name: "Test", version: 0, models: [seat, user])
    let target = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema, nil)]))
    file = try bench.sample("users.db", version: 0, of: target, objects: 0)
    try importing(
      #"{"id":1,"name":"a","seat":{"place":"A"},"friends":[{"$key":2}]}"#,
      #"{"id":2,"name":"b","seat":{"place":"B"}}"#, #"{"id":3,"name":"c","seat":{"place":"C"}}"#)
  }

  @discardableResult
  private func importing(_ lines: String...) throws -> (created: Int, updated: Int) {
    try importing(lines)
  }

  @discardableResult
  private func importing(_ lines: [String]) throws -> (created: Int, updated: Int) {
    var rest = lines[...]
    return try ObjectImporter.run(into: file, target: nil, model: "User") {
      rest.popFirst().map { Array($0.utf8) }
    }
  }

  private var users: [String] {
    get throws {
      try bench.sql(
        file,
        """
        SELECT User.id || name || coalesce(place, '-') FROM User LEFT JOIN Seat ON Seat._row = seat ORDER BY User.id
        """
      ).compactMap { $0[0].ifText }
    }
  }

  @Test func valuesAreExchanged() throws {
    let counts = try importing(
      #"{"id":1,"name":"b"}"#, #"{"id":2,"name":"c","friends":[{"$key":1}]}"#,
      #"{"id":3,"name":"a"}"#)
    #expect(counts == (created: 0, updated: 3))
    #expect(try users == ["1bA", "2cB", "3aC"])
    #expect(
      try bench.sql(
        file,
        """
        SELECT a.id, b.id FROM "User.friends" JOIN User a ON a._row = _owner JOIN User b ON b._row = value ORDER BY a.id
        """) == [[.integer(1), .integer(2)], [.integer(2), .integer(1)]])
    // Unique they stay.
    #expect(throws: SQLiteError.self) { try bench.sql(file, "UPDATE User SET name = 'a'") }
  }

  @Test func whatObjectsOwnIsExchanged() throws {
    try importing(
      #"{"id":1,"seat":{"place":"B"}}"#, #"{"id":2,"seat":{"place":"A"}}"#,
      #"{"id":4,"name":"a","seat":{"place":"D"}}"#, #"{"id":1,"name":"z"}"#)
    #expect(try users == ["1zB", "2bA", "3cC", "4aD"])
    #expect(try bench.sql(file, "SELECT count(*) FROM Seat") == [[.integer(4)]])
  }

  @Test func theLineThatMetTheSameValueIsNamed() throws {
    #expect(
      throws: ImportError(line: 2, message: "There is a User with the same name already")
    ) {
      try importing(#"{"id":1,"name":"x"}"#, #"{"id":2,"name":"c"}"#, #"{"id":4,"name":"d"}"#)
    }
    #expect(try users == ["1aA", "2bB", "3cC"])
  }

  /// What a line has replaced when it meets another value is told after it was taken back, too, and what it links to is kept once.
  @Test func aLineThatIsStoredAgainIsStoredOnce() throws {
    try importing(
      #"{"id":4,"name":"d","friends":[{"$key":5}]}"#, #"{"id":5,"name":"e"}"#,
      #"{"id":4,"name":"a","seat":{"place":"A"},"friends":[{"$key":1},{"$key":2}]}"#,
      #"{"id":1,"name":"b","seat":{"place":"B"},"friends":[{"$key":5}]}"#,
      #"{"id":2,"name":"z","seat":{"place":"Z"}}"#)
    #expect(try users == ["1bB", "2zZ", "3cC", "4aA", "5e-"])
    #expect(try bench.sql(file, "SELECT count(*) FROM Seat") == [[.integer(4)]])
    #expect(
      try bench.sql(
        file,
        """
        SELECT a.id, b.id FROM "User.friends" JOIN User a ON a._row = _owner JOIN User b ON b._row = value ORDER BY a.id, b.id
        """) == [
          [.integer(1), .integer(5)], [.integer(4), .integer(1)], [.integer(4), .integer(2)],
        ])
    #expect(
      try FileInspector().inspect(file, target: nil, checksAll: true).contentProblems == [])
  }

  /// A seat that was another's for a moment is not what is wrong with the name.
  @Test func aConflictOfWhatIsOwnedIsNotThatOfItsOwner() throws {
    #expect(
      throws: ImportError(line: 3, message: "There is a User with the same name already")
    ) {
      try importing(
        #"{"id":1,"seat":{"place":"B"}}"#, #"{"id":2,"seat":{"place":"A"}}"#,
        #"{"id":3,"name":"a"}"#)
    }
  }

  /// What the first line met is given up, and two lines behind it have the same.
  @Test(arguments: [
    ([#"{"id":1,"name":"b"}"#, #"{"id":2,"name":"y"}"#, #"{"id":3,"name":"y"}"#], 3, "name"),
    (
      [
        #"{"id":1,"name":"b"}"#, #"{"id":2,"name":"y"}"#, #"{"id":4,"name":"y"}"#,
        #"{"id":2,"seat":null}"#, #"{"id":5,"name":"z"}"#,
      ], 3, "name"
    ),
    ([#"{"id":1,"name":"b"}"#, #"{"id":4,"name":"y"}"#, #"{"id":2,"name":"y"}"#], 3, "name"),
  ])
  func theLastLineWithTheValueIsNamed(
    _ lines: [String], _ line: Int, _ property: String
  ) throws {
    #expect(
      throws: ImportError(
        line: line, message: "There is a User with the same \(property) already")
    ) {
      try importing(lines)
    }
    #expect(try users == ["1aA", "2bB", "3cC"])
  }

  /// Seats are objects of their own, which lines hold.
  @Test func theLineIsNamedWhoseObjectOwnsTheValue() throws {
    #expect(
      throws: ImportError(line: 3, message: "There is a Seat with the same place already")
    ) {
      try importing([
        #"{"id":1,"seat":{"place":"B"}}"#, #"{"id":2,"seat":{"place":"Y"}}"#,
        #"{"id":3,"seat":{"place":"Y"}}"#, #"{"id":4,"name":"d","seat":{"place":"D"}}"#,
      ])
    }
    #expect(try users == ["1aA", "2bB", "3cC"])
  }

  /// The name of line 1 is given up by line 2; the mail stays another's.
  @Test(arguments: [
    (#"{"id":1,"name":"b","mail":"z"}"#, #"{"id":2,"name":"x"}"#, "mail"),
    (#"{"id":1,"name":"c","mail":"y"}"#, #"{"id":2,"mail":"x"}"#, "name"),
  ])
  func anotherValueThatTheLineRepeatsIsNotThatOfItsConflict(
    _ first: String, _ second: String, _ property: String
  ) throws {
    func unique(_ name: String) -> Property {
      Property(name: name, type: .value(ValueType(.scalar(.string))), isUnique: true)
    }
    let user = Model(
      name: "User", primaryKey: ["id"],
      properties: [.required("id", .int), unique("mail"), unique("name")])
    let schema = Schema(name: "Mails", version: 0, models: [user])
    let target = UpgradeTarget(history: .chained("Mails", [("2026-01-01", schema, nil)]))
    let file = try bench.sample("mails.db", version: 0, of: target, objects: 0)
    func importing(_ lines: String...) throws {
      var rest = lines[...]
      _ = try ObjectImporter.run(into: file, target: nil, model: "User") {
        rest.popFirst().map { Array($0.utf8) }
      }
    }
    try importing(
      #"{"id":1,"name":"a","mail":"x0"}"#, #"{"id":2,"name":"b","mail":"y"}"#,
      #"{"id":3,"name":"c","mail":"z"}"#)

    let error = #expect(throws: (any Error).self) { try importing(first, second) }
    #expect("\(try #require(error))".contains("the same \(property)"))
  }
}
