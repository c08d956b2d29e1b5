import StrataCipher
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// Where a file ends, and how its header says that it is read.
@Suite struct SalvagedEndTests {
  private func problems(of file: SalvageDamage) throws -> [String]? {
    try FileInspector().inspect(file.path, target: nil, checksAll: true)
      .contentProblems?.map(\.message)
  }

  // MARK: - The end

  /// All of the file is there, and something behind it.
  @Test(arguments: [
    (1, "1 byte behind the last page belongs to nothing"),
    (4096, "4096 bytes behind the last page belong to nothing"),
    (9000, "9000 bytes behind the last page belong to nothing"),
  ])
  func whatStandsBehindTheLastPageIsNoLoss(_ count: Int, _ sentence: String) throws {
    let file = try SalvageDamage(people: 100)
    let people = try file.rows("Person")
    try file.write(try file.bench.bytes(file.path) + [UInt8](repeating: 0xAB, count: count))

    #expect(try problems(of: file) == [sentence])
    let report = try file.salvage()
    #expect(report.losses == [] && report.problems.map(\.message) == [sentence])
    #expect(try file.saved("Person") == people)
  }

  /// SQLite takes what is missing for zeros, which were never in the value.
  @Test func aValueThatEndsOnThePageThatWasCutIsNotSavedWithZeros() throws {
    let file = try SalvageDamage(people: 1, noteLength: 9000)
    let content = try file.bench.bytes(file.path)
    try file.write(Array(content.dropLast(4090)))

    let report = try file.salvage()

    #expect(try file.saved("Person") == [])
    #expect(report.losses.contains { $0.hasPrefix("objects of Person between _row 1 and ") })
    #expect(report.losses.contains("what stood on the last page, in which the file ends"))
  }

  // MARK: - The header

  /// What every file has in the same place is known without it.
  @Test(arguments: [16, 17, 18, 19, 21, 22, 23])
  func aHeaderWhoseFormIsDamagedCostsNothing(_ place: Int) throws {
    let file = try SalvageDamage(people: 100, dogs: 10)
    let (people, words) = (try file.rows("Person"), try file.rows("Person.words"))
    var content = try file.bench.bytes(file.path)
    content[place] ^= 0x10
    try file.write(content)

    let report = try file.salvage()

    #expect(report.losses == [])
    #expect(
      report.problems.first?.message
        == "the header of the file is damaged: no SQLite file has such a form")
    #expect(try file.saved("Person") == people && file.saved("Person.words") == words)
    #expect(try file.bench.bytes(file.path) == content)
  }

  @Test(arguments: [16, 19, 22])
  func aHeaderWhoseFormIsDamagedIsToldAsDamage(_ place: Int) throws {
    let file = try SalvageDamage(people: 10)
    var content = try file.bench.bytes(file.path)
    content[place] ^= 0x10
    try file.write(content)
    let problem = try FileInspector().inspect(file.path, target: nil).problem
    #expect(problem?.kind == .fileDamaged)
    #expect(problem?.description.contains("the rest of its header is none") == true)
  }

  // MARK: - Too short for a header

  @Test func aTextOfSomeBytesIsNoEncryptedFile() throws {
    PageCiphers.install()
    let bench = try Workbench()
    let path = bench.path("a.db")
    try POSIXFiles().write([UInt8]("hello\n".utf8), to: path, permissions: 0o600)
    let vfs = FileCipher(key: .bytes([UInt8](repeating: 7, count: 32))).vfs()
    let error = #expect(throws: MigrationError.self) {
      try Salvage(path: path, output: bench.path("saved.db"), vfs: vfs).run()
    }
    #expect(error?.kind == .wrongKey, "\(String(describing: error))")
  }
}
