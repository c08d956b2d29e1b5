import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Files with more problems than are told one by one.
@Suite struct ManyProblemsTests {
  @Test(
    "Where many are found SQLite is asked for all, so that no number is said that is not known",
    arguments: [(99, "and 98 more", 99), (100, "and 99 more", 100), (150, "and 149 more", 101)])
  func findings(pages: Int, more: String, told: Int) throws {
    let bench = try Workbench()
    let target = PeopleHistory.target
    let path = try bench.sample("a.db", version: 1, of: target, objects: 3)
    try bench.addUnused(pages: pages, to: path)

    let inspection = try FileInspector().inspect(path, target: target, checksAll: true)

    let problems = try #require(inspection.contentProblems)
    #expect(problems.count == told)
    #expect(problems.filter { !$0.sparesObjects }.isEmpty)
    #expect(problems.last?.message == "and 50 more" || told <= 100)
    let sentence = try #require(inspection.problem?.description)
    #expect(sentence.contains(", \(more)."), "\(sentence)")
  }

  @Test func whatHurtsObjectsIsToldBehindManyPagesThatNothingUses() throws {
    let bench = try Workbench()
    let path = try Graph.file("a.db", in: bench)
    for statement in Graph.objects { try bench.sql(path, statement) }
    // Two rows come while SQLite does not know of the index.
    let database = try Database(path: path, mode: .readWrite)
    try database.set(.defensive, false)
    for statement in [
      "CREATE TEMP TABLE kept AS SELECT * FROM main.sqlite_schema WHERE name = 'Node.others.link'",
      "PRAGMA writable_schema = 1",
      "DELETE FROM main.sqlite_schema WHERE name = 'Node.others.link'",
      "PRAGMA writable_schema = RESET",
      "INSERT INTO \"Node.others\" (_owner, _index, value) VALUES (1, 9000000, 2), (1, 9000001, 2)",
      "PRAGMA writable_schema = 1", "INSERT INTO main.sqlite_schema SELECT * FROM temp.kept",
      "PRAGMA writable_schema = RESET",
    ] { try database.execute(statement) }
    database.close()
    try bench.addUnused(pages: 150, to: path)

    let problems = try #require(
      try FileInspector().inspect(path, target: nil, checksAll: true).contentProblems)

    #expect(problems.count > 100)
    let hurting = problems.filter { !$0.sparesObjects }.map(\.message)
    #expect(hurting.first?.contains("missing from index Node.others.link") == true, "\(hurting)")
    // The other row, and the number of rows.
    #expect(hurting.contains { $0.hasPrefix("and ") }, "\(hurting)")
  }
}

extension Workbench {
  /// Puts pages that nothing uses, and bytes that are no page, behind the last page of a file.
  func addUnused(pages: Int, bytes: Int = 0, to path: String) throws {
    var content = try POSIXFiles().read(path, from: 0, count: 1 << 24)
    let pageSize = Int(content[16]) << 8 | Int(content[17])
    content += [UInt8](repeating: 0, count: pages * pageSize)
    // The number of pages, <https://www.sqlite.org/fileformat.html#the_database_header>.
    let count = UInt32(content.count / pageSize)
    for index in 0..<4 {
      content[28 + index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * index))
    }
    content += [UInt8](repeating: 7, count: bytes)
    try POSIXFiles().write(content, to: path, permissions: 0o600)
  }
}
