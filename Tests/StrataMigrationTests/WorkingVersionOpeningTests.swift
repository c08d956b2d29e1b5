import Strata
import StrataSQLite
import StrataSchema
import Testing

/// An app that is being worked on opens the file that it wrote yesterday.
@Suite struct WorkingVersionOpeningTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private enum Yesterday: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: schema([.required("text", .string)]))
  }

  private enum Today: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: schema([.optional("mark", .string), .required("text", .string)]))
  }

  private enum Ruled: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: schema(
        [.required("text", .string)],
        [ModelRule(name: "empty", condition: "text == ''", sentence: nil)]))
  }

  private static func schema(_ properties: [Property], _ rules: [ModelRule] = []) -> Schema {
    Schema(
      name: "Notes", version: 0,
      models: [Model(name: "Note", properties: properties, rules: rules)])
  }

  /// Nothing is frozen yet.
  private enum Migrations: MigrationChain {
    static let history = EmbeddedHistory(
      json: #"""
        {"history":"Notes","versions":[{"date":"2001-01-01","schema":{"enums":[],"language":1,"models":\#
        [{"name":"Note","properties":[{"name":"mark","type":"string?"},{"name":"text","type":"string"}]}],\#
        "schema":"Notes","version":0}}]}
        """#)
    static var steps: [Step] { [] }
  }

  /// The property was taken away again, and nothing is frozen either.
  private enum MigrationsWithoutMark: MigrationChain {
    static let history = EmbeddedHistory(
      json: #"""
        {"history":"Notes","versions":[{"date":"2001-01-01","schema":{"enums":[],"language":1,"models":\#
        [{"name":"Note","properties":[{"name":"text","type":"string"}]}],"schema":"Notes","version":0}}]}
        """#)
    static var steps: [Step] { [] }
  }

  private func file(_ schema: any GeneratedSchema.Type) throws -> String {
    let path = bench.path("a.db")
    try Store(path: path, schema: schema).close()
    try bench.sql(path, "INSERT INTO Note(_row, text) VALUES (1, 'Milk')")
    return path
  }

  @Test func itIsBroughtToTodaysShape() throws {
    let path = try file(Yesterday.self)

    let store = try Store(path: path, schema: Today.self, migrations: Migrations.self)
    defer { store.close() }

    #expect(try bench.sql(path, "SELECT text, mark FROM Note") == [[.text("Milk"), .null]])
  }

  /// Without a step for each version: a block is run only where the number is raised.
  @Test func ofARuleThatObjectsBreakItIsSaidWhatHelps() throws {
    let path = try file(Yesterday.self)

    #expect {
      try Store(path: path, schema: Ruled.self)
    } throws: { error in
      "\(error)".contains(
        "take the rule back, or raise the version: a migration block is run only for a file of an earlier one."
      )
    }
    #expect(try bench.sql(path, "SELECT text FROM Note") == [[.text("Milk")]])
  }

  @Test func aPropertyThatIsTakenAwayIsNamedAndTheFileStaysAsItWas() throws {
    let path = try file(Today.self)
    try bench.sql(path, "UPDATE Note SET mark = 'x'")

    #expect {
      try Store(path: path, schema: Yesterday.self, migrations: MigrationsWithoutMark.self)
    } throws: { error in
      let text = "\(error)"
      return text.contains("an earlier shape of version 0 of Notes") && text.contains("'Note.mark'")
    }
    #expect(try bench.sql(path, "SELECT mark FROM Note") == [[.text("x")]])
  }
}
