import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What a check of a file notes stands in temporary tables, for which there has to be room.
@Suite struct FileCheckRoomTests {
  @Test func aLackOfRoomIsNoDamage() throws {
    let schema = Schema(
      name: "Room", version: 0, models: [Model(name: "Note", properties: [.required("n", .int)])])
    let bench = try Workbench()
    let target = UpgradeTarget(
      history: .chained("Room", [("2026-01-01", schema, nil)]), steps: [])
    let path = try bench.sample(version: 0, of: target, objects: 3)
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try database.spillTemporaries()
    try database.execute("CREATE TEMP TABLE some (n)")
    _ = try database.rows("PRAGMA temp.max_page_count = 1")
    let check = FileCheck(database: database, schema: schema)

    let error = #expect(throws: SQLiteError.self) { _ = try check.run() }
    #expect(error?.primaryCode == .full)
    #expect(try check.run(despiteLack: true).contains { $0.message.hasPrefix("the disk is full") })
  }
}
