import Foundation
import StrataSQLite
import Testing

/// `strata adopt` on files that are damaged, with the built command: what is read names the file that the user has.
@Suite("Adopting damaged databases")
struct AdoptDamagedTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  private func sql(_ statements: String...) throws {
    let database = try Database(path: run.path("shop.db"), mode: .create)
    defer { database.close() }
    try database.set(.defensive, false)
    try database.set(.trustedSchema, true)
    for statement in statements { try database.execute(statement) }
  }

  private func makeNotes() throws {
    try sql(
      "PRAGMA page_size = 1024", "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)",
      "CREATE INDEX byText ON note(text)",
      "WITH RECURSIVE i(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM i WHERE x < 200) INSERT INTO note SELECT x, 'note ' || x FROM i"
    )
  }

  private func refused(
    _ sentence: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try run.contents()
    for target in [["--output", "out"], ["--dry-run"]] {
      let result = try run.strata(["adopt", "sqlite", "shop.db"] + target)
      #expect(result.status == 3, sourceLocation: location)
      #expect(result.output == "", sourceLocation: location)
      #expect(
        result.errors.hasPrefix("error: 'shop.db'\(sentence)"), "\(result.errors)",
        sourceLocation: location)
      #expect(!result.errors.contains("salvage"), sourceLocation: location)
      #expect(!result.errors.contains(".adopting-"), sourceLocation: location)
    }
    #expect(try run.contents() == before, sourceLocation: location)
  }

  @Test("A page of zeros is told of the file, with what makes another one of it")
  func pageOfZeros() throws {
    try makeNotes()
    let place = URL(fileURLWithPath: run.path("shop.db"))
    var content = try Data(contentsOf: place)
    content.replaceSubrange(3 * 1024..<4 * 1024, with: Data(count: 1024))
    try content.write(to: place)

    try refused(" is damaged: ")
  }

  @Test("An index that another table's pages hold is told of the file, with what makes it anew")
  func indexOfOtherRows() throws {
    try makeNotes()
    try sql(
      "PRAGMA writable_schema = 1",
      "CREATE TEMP TABLE kept AS SELECT * FROM main.sqlite_schema WHERE name = 'byText'",
      "DELETE FROM main.sqlite_schema WHERE name = 'byText'", "PRAGMA writable_schema = RESET",
      "INSERT INTO note VALUES (201, 'unseen')", "PRAGMA writable_schema = 1",
      "INSERT INTO main.sqlite_schema SELECT * FROM temp.kept")

    try refused(
      " is damaged: row 201 missing from index byText. Restore it from a backup, or make its indexes anew in a copy"
    )
  }

  @Test("A table of too many columns is told with the file and what can be done")
  func tooManyColumns() throws {
    let columns = (0..<1_100).map { "c\($0)" }.joined(separator: ", ")
    try sql("CREATE TABLE wide(\(columns))")

    try refused(
      ": the table 'wide' has 1100 columns, and a model has at most 1000. Divide it in a copy")
  }

  @Test("Beside a value that is not as it was, nothing says that everything is")
  func oneValue() throws {
    try sql("CREATE TABLE note(text TEXT)", "INSERT INTO note VALUES (CAST(x'61FF' AS TEXT))")

    let result = try run.strata("adopt", "sqlite", "shop.db", "--output", "out")

    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.output.contains("everything of the source"))
    #expect(result.output.contains("the source's schema is in the result as it was\n"))
    #expect(
      result.output.contains(
        "1 value is not in the database as it was, a line of LEFT-OUT.jsonl:\n"))
    #expect(result.output.contains("agree in 1 object ("))
    let report = try String(contentsOfFile: run.path("out/ADOPTED.md"), encoding: .utf8)
    #expect(report.contains("The source's schema is here as it was.\n"))
    #expect(!report.contains("Everything of the source"))
  }
}
