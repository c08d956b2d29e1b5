import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Files with more problems than are told one by one.
@Suite struct ManyProblemsTests {
  @Test(
    "SQLite is asked for one finding more than is told, so that no number is said that is not known",
    arguments: [
      (99, "and 98 more", 99), (100, "and 99 more", 100), (150, "and at least 100 more", 101),
    ])
  func findings(pages: Int, more: String, told: Int) throws {
    let bench = try Workbench()
    let target = PeopleHistory.target
    let path = try bench.sample("a.db", version: 1, of: target, objects: 3)
    try bench.addUnused(pages: pages, to: path)

    let inspection = try FileInspector().inspect(path, target: target, checksAll: true)

    let problems = try #require(inspection.contentProblems)
    #expect(problems.count == told)
    #expect(problems.allSatisfy(\.sparesObjects) == (told <= 100))
    #expect(problems.last?.message == "and at least 1 more" || told <= 100)
    let sentence = try #require(inspection.problem?.description)
    #expect(sentence.contains(", \(more)."), "\(sentence)")
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
