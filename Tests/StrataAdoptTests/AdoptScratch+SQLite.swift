import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataAdopt
@testable import StrataCLI

extension AdoptScratch {
  /// Makes a SQLite database by statements, as another program would.
  ///
  /// - Returns: its path.
  func makeDatabase(_ statements: [String]) throws -> String {
    let path = path + "/odd.sqlite"
    let database = try Database(path: path, mode: .create)
    defer { database.close() }
    // Other programs write what a defensive connection refuses: definitions, and tables that SQLite takes for a search's own.
    try database.set(.defensive, false)
    try database.set(.trustedSchema, true)
    for statement in statements { try database.execute(statement) }
    return path
  }

  /// Adopts a SQLite database.
  ///
  /// - Returns: its schema, what the report says of it, and what became of its rows.
  func adoptDatabase(_ path: String) throws -> (schema: Schema, reasons: [String], AdoptedData) {
    let (project, data) = try adopt(try SQLiteAdoption(path: path, name: "App"))
    let reasons = project.history.entries.map { "\($0.note.entity): \($0.note.reason)" }
    #expect(project.findings.errorCount == 0)
    #expect(data.check != nil)
    return (project.history.versions[0].schema, reasons, data)
  }
}
