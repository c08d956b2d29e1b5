import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What a file says of its upgrades may be nonsense: it is read as nothing, and `inspect --check` names it.
@Suite struct UpgradeMarkCheckTests {
  private let bench: Workbench
  private let file: String

  init() throws {
    bench = try Workbench()
    file = try Graph.file("a.db", in: bench)
  }

  private func problems() throws -> [String] {
    let inspection = try FileInspector().inspect(file, target: nil, checksAll: true)
    return inspection.contentProblems?.map { "\($0.check.rawValue): \($0.message)" } ?? []
  }

  @Test(arguments: ["'junk'", "5", "'[[-1,-5]]'", "'[7]'", "x'5B5D'", "NULL"])
  func nonsenseIsNamedAndTheFileIsRead(value: String) throws {
    try bench.sql(file, "INSERT INTO _strata (key, value) VALUES ('upgrades', \(value))")
    #expect(
      try problems() == [
        "lineage: upgrades in _strata is not what an upgrade writes, so that the file does not know what it was upgraded from"
      ])
    let store = try Store(path: file)
    store.close()
  }

  @Test func whatAnUpgradeWritesIsSound() throws {
    try bench.sql(
      file,
      "INSERT INTO _strata (key, value) VALUES ('upgrades', '[[0,12],[0,300,\"04aa19c2d07be6f5\"]]')"
    )
    #expect(try problems() == [])
  }
}
