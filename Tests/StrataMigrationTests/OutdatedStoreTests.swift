import Foundation
import StrataExpression
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// A store that is open while another one upgrades its file: it says so at its next transaction, and never writes into what it
/// does not know.
@Suite struct OutdatedStoreTests {
  let bench: Workbench
  let path: String

  init() throws {
    bench = try Workbench()
    path = bench.path("a.db")
  }

  private static func schema(_ version: Int, _ properties: [Property]) -> Schema {
    Schema(name: "Test", version: version, models: [Model(name: "Dog", properties: properties)])
  }

  /// Each of another kind: done in place, and built aside.
  enum Change: CaseIterable {
    case added, removed, retyped, renamed

    var properties: [Property] {
      switch self {
      case .added: [.required("age", .int), .required("name", .string), .optional("note", .string)]
      case .removed: [.required("name", .string)]
      case .retyped: [.required("age", .string), .required("name", .string)]
      case .renamed: [.required("name", .string), .required("years", .int)]
      }
    }

    func say(_ step: inout MigrationStep) {
      switch self {
      case .added: break
      case .removed: step.drop = [SchemaPath("Dog", "age")]
      case .retyped: step.set = ["Dog": ["age": expression("string(old.age)")]]
      case .renamed: step.renames.properties = [SchemaPath("Dog", "age"): "years"]
      }
    }
  }

  private static let first = schema(0, [.required("age", .int), .required("name", .string)])

  private func target(_ change: Change) -> UpgradeTarget {
    UpgradeTarget(
      history: .chained(
        "Test",
        [
          ("2026-01-01", Self.first, nil),
          (
            "2026-02-01", Self.schema(1, change.properties),
            step(1) { change.say(&$0) }
          ),
        ]), steps: [])
  }

  private func makeFile(_ change: Change) throws {
    _ = try bench.sample("a.db", version: 0, of: target(change), objects: 0)
    try bench.sql(path, "INSERT INTO Dog (_row, age, name) VALUES (1, 3, 'Rex')")
  }

  enum Use: CaseIterable { case refresh, write, begin, find, observed }

  @Test(arguments: Change.allCases, Use.allCases)
  func itSaysThatTheFileIsNewer(change: Change, use: Use) throws {
    try makeFile(change)
    let store = try Store(path: path)
    let dog = try #require(try store.objects(named: "Dog").first)
    #expect(dog["name"] as? String == "Rex")
    var heard = 0
    let token =
      use == .observed ? try store.objects(named: "Dog").observe { _ in heard += 1 } : nil
    defer { token?.invalidate() }

    try upgrade(path, target(change))
    let upgraded = try digest(path, target(change))

    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) {
        switch use {
        case .refresh: try store.refresh()
        case .write, .observed: try store.write { dog["name"] = "Max" }
        case .begin: try store.beginWrite()
        case .find:
          try store.invalidate()
          _ = try store.objects(named: "Dog").filter("age > 1").map { $0["name"] as? String }
          try store.refresh()
        }
      }
      #expect(
        error == .fileIsNewer(path: path, version: 1, newest: 0), "\(String(describing: error))")
    }
    #expect(!store.isInWriteTransaction)
    // It lets go, and what it had stays.
    store.close()
    #expect(try digest(path, target(change)) == upgraded)
    #expect(try Store(path: path).objects(named: "Dog").count == 1)
  }

  /// The upgrade is committed when the file was looked at, and the store is not there yet.
  @Test(arguments: Change.allCases, [Use.refresh, .write, .begin])
  func alsoWhereItIsUpgradedWhileItOpens(change: Change, use: Use) throws {
    try makeFile(change)
    let (path, target) = (path, target(change))
    var configuration = Store.Configuration(path: path)
    configuration.shouldCompactOnLaunch = { _, _ in
      #expect(throws: Never.self) { try upgrade(path, target) }
      return false
    }
    let store = try Store(configuration: configuration)
    let upgraded = try digest(path, target)

    #expect(try store.objects(named: "Dog").first == nil)
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) {
        switch use {
        case .refresh: try store.refresh()
        case .begin: try store.beginWrite()
        default: try store.write {}
        }
      }
      #expect(
        error == .fileIsNewer(path: path, version: 1, newest: 0), "\(String(describing: error))")
    }
    store.close()
    #expect(try digest(path, target) == upgraded)
  }

  @Test(arguments: [Use.refresh, .write, .begin])
  func itsObserversHearWhyNothingFollows(use: Use) throws {
    try makeFile(.added)
    let store = try Store(path: path)
    let dog = try #require(try store.objects(named: "Dog").first)
    var heard: [String] = []
    let tokens = [
      try store.objects(named: "Dog").observe { change in
        switch change {
        case .initial: heard.append("initial")
        case .update: heard.append("update")
        case .error(let error): heard.append("collection: \(error.code)")
        }
      },
      try dog.observe { change in
        guard case .error(let error) = change else { return heard.append("change") }
        heard.append("object: \(error.code)")
      },
    ]
    defer { for token in tokens { token.invalidate() } }

    try upgrade(path, target(.added))
    for _ in 0..<2 {
      #expect(throws: StoreError.self) {
        switch use {
        case .refresh: try store.refresh()
        case .begin: try store.beginWrite()
        default: try store.write { dog["name"] = "Max" }
        }
      }
    }
    let code = StoreError.fileIsNewer(path: path, version: 1, newest: 0).code
    #expect(heard == ["initial", "collection: \(code)", "object: \(code)"])
  }

  @Test func anObserverOnAQueueHearsItWithoutARefresh() async throws {
    try makeFile(.added)
    let store = try Store(path: path)
    let (told, continuation) = AsyncStream<String>.makeStream()
    let token = try store.objects(named: "Dog").observe(on: .global()) { change in
      switch change {
      case .initial: continuation.yield("initial")
      case .update: continuation.yield("update")
      case .error(let error): continuation.yield(error.code)
      }
    }
    var lines = told.makeAsyncIterator()
    #expect(await lines.next() == "initial")

    try upgrade(path, target(.added))
    let code = StoreError.fileIsNewer(path: path, version: 1, newest: 0).code
    #expect(await lines.next() == code)
    token.invalidate()
  }

  /// What others write into the same tables is no reason.
  @Test func anIndexMoreIsNoOtherSchema() throws {
    try makeFile(.added)
    let store = try Store(path: path)
    #expect(try store.objects(named: "Dog").count == 1)
    try bench.sql(path, "CREATE INDEX mine ON Dog (age)")
    try bench.sql(path, "VACUUM")

    try store.refresh()
    try store.write { try store.objects(named: "Dog").first?["age"] = 4 }
    #expect(try bench.sql(path, "SELECT age FROM Dog") == [[.integer(4)]])
  }

  /// A frozen store shows its version for ever.
  @Test func aSnapshotStaysWhatItIs() throws {
    try makeFile(.removed)
    let store = try Store(path: path)
    let snapshot = store.freeze()
    try upgrade(path, target(.removed))

    #expect(try snapshot.objects(named: "Dog").map { $0["age"] as? Int } == [3])
    #expect(throws: StoreError.self) { try store.refresh() }
  }
}
