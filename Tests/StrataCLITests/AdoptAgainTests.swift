import Foundation
import RealmFixtures
import StrataSchema
import Testing

/// Files of other versions, brought into a folder and a database that are there.
@Suite("Adopting again, on the command line")
struct AdoptAgainTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  /// Writes a Realm file in which each run has a distance.
  ///
  /// - Parameter flags: of the class; 2 of an asymmetric one.
  private func writeRuns(
    _ name: String, version: Int64?, _ distances: [Int64], flags: UInt64 = 0
  ) throws {
    let runs = FixtureClass(
      name: "Run",
      columns: [
        .init(name: "id", type: 0) { $0.integers($1.map { Int64($0) + 1 }) },
        .init(name: "distance", type: 0) { $0.integers($1.map { distances[$0] }) },
      ], count: distances.count, primaryKey: 0, flags: flags)
    let bytes = RealmFixture(classes: [runs], schemaVersion: version).file
    try Data(bytes).write(to: URL(fileURLWithPath: run.path(name)))
  }

  /// A folder whose version 2 has the shape of version 1, and distances in kilometres; its database is upgraded.
  private func makeTwoVersionsOfOneShape() throws {
    try writeRuns("first.realm", version: 1, [5_000, 7_000])
    let adopted = try run.strata(
      "adopt", "realm", "first.realm", "--output", "App", "--name", "App")
    #expect(adopted.status == 0, "\(adopted.errors)")
    let upgraded = try run.shell(
      """
      cd App && sed -i.bak 's/^version: 1/version: 2/' schemas/App.yaml && rm schemas/*.bak && \
      echo 'to: 2' > migrations/2.yaml && \
      echo 'set: { Run: { distance: old.distance / 1000 } }' >> migrations/2.yaml && \
      strata freeze && strata migrate App.db
      """)
    #expect(upgraded.status == 0, "\(upgraded.output)\(upgraded.errors)")
    #expect(try distances() == [5, 7])
  }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: run.path(name))
  }

  private func distances() throws -> [Int64] {
    try run.strata("export", "App/App.db").output.split(separator: "\n").compactMap {
      try JSON.parse(String($0))["distance"]?.int
    }
  }

  private func adopt(_ name: String, _ more: String...) throws -> CommandRunner.Result {
    try run.strata(["adopt", "realm", name] + more)
  }

  @Test("A file of an older version of the same shape goes through the steps")
  func olderVersionOfOneShape() throws {
    try makeTwoVersionsOfOneShape()
    try writeRuns("older.realm", version: 1, [5_000, 7_000, 9_000])

    let refused = try adopt("older.realm", "--into", "App/App.db")
    #expect(refused.status == 3)
    #expect(
      refused.errors.contains(
        "App/App.db has version 2, and what comes is version 1. Name the folder that has the steps between them with --output; nothing was written."
      ), "\(refused.errors)")
    #expect(try distances() == [5, 7])

    let result = try adopt("older.realm", "--output", "App", "--into", "App/App.db")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.output.contains("App/App.db: 1 added, 0 updated, 2 unchanged"), "\(result.output)")
    #expect(try distances() == [5, 7, 9])
  }

  @Test("A file of a newer version of the same shape waits for the database's upgrade")
  func newerVersionOfOneShape() throws {
    try writeRuns("first.realm", version: 1, [5_000])
    #expect(try adopt("first.realm", "--output", "App", "--name", "App").status == 0)
    try writeRuns("newer.realm", version: 2, [5])

    let result = try adopt("newer.realm", "--into", "App/App.db")

    #expect(result.status == 3)
    #expect(
      result.errors.contains(
        "App/App.db has version 1, and what comes is version 2. Upgrade it first, `strata migrate App/App.db`; nothing was written."
      ), "\(result.errors)")
    #expect(try distances() == [5_000])

    let withFolder = try adopt("newer.realm", "--output", "App", "--into", "App/App.db")
    #expect(withFolder.status == 3)
    #expect(
      withFolder.errors.contains(
        "`strata migrate App/App.db`, with the steps of App, which this command makes without --into; nothing was written."
      ), "\(withFolder.errors)")
    #expect(!exists("App/schemas/versions/2.yaml"))
    #expect(try distances() == [5_000])
  }

  @Test("A file without a version is that of its shape, where the folder begins with a later one")
  func withoutVersionBesideAFolder() throws {
    try writeRuns("first.realm", version: 3, [5])
    #expect(try adopt("first.realm", "--output", "App", "--name", "App").status == 0)
    try writeRuns("bare.realm", version: nil, [5, 7])

    for folder in ["App", "New"] {
      let result = try adopt("bare.realm", "--output", folder, "--into", "App/App.db")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try distances() == [5, 7])
    }
    #expect(exists("New/ADOPTED.md"))
  }

  @Test("A new folder is there where the database got the objects, and nowhere else")
  func newFolderBesideADatabase() throws {
    try writeRuns("first.realm", version: 1, [5_000])
    #expect(try adopt("first.realm", "--output", "App", "--name", "App").status == 0)
    try writeRuns("newer.realm", version: 2, [5])

    let refused = try adopt("newer.realm", "--output", "New", "--into", "App/App.db")
    #expect(refused.status == 3)
    #expect(!exists("New"))
    #expect(try adopt("newer.realm", "--output", "New", "--name", "App").status == 0)
    #expect(exists("New/App.db"))

    try writeRuns("again.realm", version: 1, [5_000, 7_000])
    let result = try adopt("again.realm", "--output", "Other", "--into", "App/App.db")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("wrote Other and App/App.db"), "\(result.output)")
    #expect(exists("Other/ADOPTED.md") && !exists("Other/App.db"))
    #expect(try distances() == [5_000, 7_000])
  }

  @Test("A file that is older than the folder's first version is refused: no step leads from it")
  func olderThanTheFolder() throws {
    try writeRuns("first.realm", version: 1, [5_000])
    #expect(try adopt("first.realm", "--output", "App", "--name", "App").status == 0)
    try writeRuns("older.realm", version: 0, [5_000, 7_000])
    let report = try Data(contentsOf: URL(fileURLWithPath: run.path("App/ADOPTED.md")))

    for more in [["--into", "App/App.db"], ["--dry-run"], []] {
      let result = try run.strata(
        ["adopt", "realm", "older.realm", "--output", "App"] + more)
      #expect(result.status == 3)
      #expect(
        result.errors
          == "error: App begins at version 1, and the file is version 0: adopt it into a new folder first. Nothing was written.\n"
      )
      #expect(result.output == "")
    }

    #expect(try Data(contentsOf: URL(fileURLWithPath: run.path("App/ADOPTED.md"))) == report)
    #expect(try distances() == [5_000])
  }

  @Test("ADOPTED.md keeps what it says of versions that are not read again")
  func report() throws {
    let asymmetric = "it is an ordinary model, and was asymmetric: only sent, not kept"
    func rows(afterVersion version: Int64, flags: UInt64 = 0) throws -> [String] {
      try writeRuns("runs.realm", version: version, [1], flags: flags)
      let result = try adopt("runs.realm", "--output", "App", "--name", "App")
      #expect(result.status == 0, "\(result.errors)")
      let report = try String(contentsOfFile: run.path("App/ADOPTED.md"), encoding: .utf8)
      return report.split(separator: "\n").map(String.init).filter {
        $0.contains("schema version") || $0.contains("Run |  |") || $0.contains("inverses")
      }
    }
    func inverses(_ versions: String) -> String {
      "| \(versions) |  |  | left out | inverses (LinkingObjects) stand in no file: declare them with 'linkingObjects' |"
    }

    #expect(
      try rows(afterVersion: 1, flags: 2) == [
        "| 1 | schema version 1 |", inverses("version 1"),
        "| version 1 | Run |  | changed | \(asymmetric) |",
      ])
    #expect(
      try rows(afterVersion: 2) == [
        "| 1 | schema version 1 |", "| 2 | schema version 2 |", inverses("versions 1 to 2"),
        "| version 1 | Run |  | changed | \(asymmetric) |",
      ])
    let last = [
      "| 1 | schema version 1 |", "| 2 | schema version 2 |", "| 3 | schema version 3 |",
      inverses("versions 1 to 3"), "| versions 1, 3 | Run |  | changed | \(asymmetric) |",
    ]
    #expect(try rows(afterVersion: 3, flags: 2) == last)
    #expect(try rows(afterVersion: 2) == last)
  }

  @Test("A file without a version is taken for the database's version, and a note says so")
  func withoutVersion() throws {
    try makeTwoVersionsOfOneShape()
    try writeRuns("bare.realm", version: nil, [5, 7])

    let result = try adopt("bare.realm", "--into", "App/App.db")

    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains(
        "note: bare.realm does not say which version it is; it is taken for version 2, that of App/App.db"
      ), "\(result.errors)")
    #expect(
      result.output.contains("App/App.db: 0 added, 0 updated, 2 unchanged"), "\(result.output)")
  }
}
