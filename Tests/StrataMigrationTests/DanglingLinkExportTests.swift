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

  private func export(
    _ path: String? = nil, models: [String] = [], longestLine: Int = .max
  ) throws -> (lines: [Substring], error: MigrationError?) {
    var text = ""
    var problem: MigrationError?
    do {
      try ObjectExporter.exportPieces(
        of: path ?? file, target: nil, models: models, longestLine: longestLine
      ) { text += $0 }
    } catch let error as MigrationError {
      problem = error
    }
    return (text.split(separator: "\n"), problem)
  }

  private func first(_ lines: [Substring]) -> Substring? {
    lines.first { $0.hasPrefix(#"{"$id":1,"#) }
  }

  private func damage(_ statement: String, in path: String? = nil) throws {
    let database = try Database(path: path ?? file, mode: .readWrite)
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

  /// A long line is told, too, though other lines have something that is worse.
  @Test func aLineThatIsTooLongIsToldAsWell() throws {
    try damage("DELETE FROM Node WHERE _row = 2")
    let error = try export(longestLine: 100).error
    #expect(error?.kind == .fileDamaged)
    #expect(
      error?.description.contains("Node _row 1: next leads to Node _row 2, which is not there.")
        == true
    )
    #expect(
      error?.description.hasSuffix(
        "and 'import' takes lines of at most 100. All lines were written, but these cannot be imported again; a copy of the file keeps everything."
      ) == true, "\(String(describing: error))")
  }

  // MARK: - Required links

  private static let dogs: [Model] = {
    func person(_ name: String) -> Property {
      Property(name: name, type: .value(ValueType(.object("Person"))), deleteRule: .deny)
    }
    return [
      Model(
        name: "Dog",
        properties: [
          .link("collar", to: "Collar"),
          Property(name: "friends", type: .list(ValueType(.object("Person")))), person("owner"),
        ]),
      Model(name: "Collar", isEmbedded: true, properties: [person("buyer")]),
      Model(name: "Person", properties: [.optional("name", .string)]),
    ]
  }()

  /// Dogs of which each has to have an owner, and a collar its buyer. Person 11 is both of dog 1, the owner of dog 2, and the buyer
  /// of the collar of dog 3.
  private func dogs() throws -> String {
    let path = try Graph.file("dogs.db", models: Self.dogs, in: bench)
    for statement in [
      "INSERT INTO Person (_row) VALUES (10), (11)",
      "INSERT INTO Collar (_row, buyer) VALUES (20, 11), (21, 10), (22, 11)",
      "INSERT INTO Dog (_row, owner, collar) VALUES (1, 11, 20), (2, 11, 21), (3, 10, 22), (4, 10, NULL)",
      "UPDATE _strata SET value = 3000 WHERE key = 'nextRow'",
    ] { try bench.sql(path, statement) }
    return path
  }

  @Test func ofRequiredLinksTheLinesAreToldThatAnImportRefuses() throws {
    let path = try dogs()
    #expect(try export(path).error == nil)
    try damage("DELETE FROM Person WHERE _row = 11", in: path)

    let (lines, error) = try export(path)

    #expect(error?.kind == .fileDamaged)
    #expect(
      error?.description.hasSuffix(
        """
        dogs.db is damaged: Collar _row 20: buyer leads to Person _row 11, which is not there. 3 more links lead to none. All lines \
        were written, without what leads nowhere: a link is null, and an element is left out. 'import' refuses these lines until the \
        required links of 3 objects are given, the first of them Dog with $id 1. `strata inspect --check` names what is damaged, and \
        setting a link mends it.
        """) == true, "\(String(describing: error))")
    #expect(
      lines.first == #"{"$id":1,"$model":"Dog","collar":{"buyer":null},"friends":[],"owner":null}"#)
    #expect(throws: (any Error).self) { try imported(lines) }

    // As it says: with their links given the lines are taken.
    let given = lines.map { Substring($0.replacing("null", with: #"{"$id":10}"#)) }
      .map { Substring($0.replacing(#""collar":{"$id":10}"#, with: #""collar":null"#)) }
      .map { Substring($0.replacing(#""name":{"$id":10}"#, with: #""name":null"#)) }
    #expect(try imported(given) == 5)
  }

  @Test func oneObjectIsNamedAlone() throws {
    let path = try dogs()
    try bench.sql(path, "DELETE FROM Dog WHERE _row <> 3")
    try damage("DELETE FROM Person WHERE _row = 11", in: path)
    #expect(
      try export(path).error?.description.contains(
        "'import' refuses these lines until the required link of Dog with $id 3 is given.") == true)
  }

  /// Elements are left out, so that their lines can be imported, whether the links are required or not.
  @Test func anElementIsNoLinkThatHasToBeThere() throws {
    let path = try dogs()
    try bench.sql(path, "DELETE FROM Dog WHERE _row <> 4")
    try bench.sql(path, "INSERT INTO \"Dog.friends\" (_owner, _index, value) VALUES (4, 1, 11)")
    try damage("DELETE FROM Person WHERE _row = 11", in: path)
    let (lines, error) = try export(path)
    #expect(error?.description.contains("'import'") == false, "\(String(describing: error))")
    #expect(try imported(lines) == 2)
  }

  /// Imports lines into an empty file; how many objects it has then.
  private func imported(_ lines: [Substring]) throws -> Int {
    let name = "copy\(try bench.names().count).db"
    var rest = lines[...]
    return try ObjectImporter.run(
      into: Graph.file(name, models: Self.dogs, in: bench), target: nil, model: nil
    ) {
      rest.popFirst().map { Array($0.utf8) }
    }.created
  }

  // MARK: - Objects in any

  @Test func anObjectInAnyIsLeftOutAndTold() throws {
    let models = [
      Model(
        name: "Box",
        properties: [
          Property(name: "list", type: .list(ValueType(.scalar(.any)))),
          Property(name: "map", type: .map(ValueType(.scalar(.any)))),
          Property(name: "set", type: .set(ValueType(.scalar(.any)))),
          .optional("thing", .any),
        ]), Model(name: "Pet", properties: [.optional("name", .string)]),
    ]
    let path = try Graph.file("any.db", models: models, in: bench)
    // Object 8 of Pet is there, 7 is not.
    let (gone, there) = ("x'090000000000000007506574'", "x'090000000000000008506574'")
    for statement in [
      "INSERT INTO Pet (_row) VALUES (8)", "INSERT INTO Box (_row, thing) VALUES (1, \(gone))",
      "INSERT INTO \"Box.list\" (_owner, _index, value) VALUES (1, 1, \(gone)), (1, 2, 5), (1, 3, \(there)), (1, 4, NULL)",
      "INSERT INTO \"Box.map\" (_owner, _index, value) VALUES (1, 'a', \(gone)), (1, 'b', 5)",
      "INSERT INTO \"Box.set\" (_owner, value) VALUES (1, \(gone)), (1, 5)",
      "UPDATE _strata SET value = 3000 WHERE key = 'nextRow'",
    ] { try bench.sql(path, statement) }

    let (lines, error) = try export(path)

    #expect(error?.kind == .fileDamaged)
    #expect(
      error?.description.contains(
        "Box _row 1: list leads to Pet _row 7, which is not there. 3 more links lead to none.")
        == true, "\(String(describing: error))")
    #expect(error?.description.contains("'import'") == false)
    #expect(
      lines.first
        == #"{"$id":1,"$model":"Box","list":[5,{"$id":8,"$model":"Pet"},null],"map":{"b":5},"set":[5],"thing":null}"#
    )
  }
}
