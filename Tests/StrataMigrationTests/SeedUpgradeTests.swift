import Foundation
import StrataExpression
import StrataSQLite
import StrataSchema
import Synchronization
import Testing

@testable import Strata

/// Seeds of an older version: the first opening begins with what they become, or with nothing.
@Suite struct SeedUpgradeTests {
  let bench: ClassicBench
  var seed: String { bench.path }
  let place: String

  init() throws {
    bench = try ClassicBench()
    place = bench.path + ".placed"
    try bench.write(1, [Self.pet], "INSERT INTO P(_row, x) VALUES (1, 10), (2, 20)")
  }

  private static let pet = Model(name: "P", properties: [.required("x", .int)])

  private enum Five: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: ClassicBench.schema(
        5, [Model(name: "P", properties: pet.properties + [.optional("y", .int)])]))
  }

  private enum Zero: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: ClassicBench.schema(0, [pet]))
  }

  private func open(
    _ schema: any GeneratedSchema.Type = Five.self, seed: String? = nil,
    readOnly: Bool = false, deleting: Bool = false, block: MigrationBlock? = nil
  ) throws(StoreError) -> Store {
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: place), schema: schema, migrationBlock: block)
    configuration.seedFileURL = URL(fileURLWithPath: seed ?? self.seed)
    configuration.readOnly = readOnly
    configuration.deleteIfMigrationNeeded = deleting
    return try Store(configuration: configuration)
  }

  private func names() throws -> [String] {
    let folder = URL(fileURLWithPath: place).deletingLastPathComponent().path
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0 != FolderMark.name }.sorted()
  }

  @Test func theCopyIsUpgradedAndTheSeedIsNot() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: seed))
    let store = try open { migration, oldVersion in
      migration.enumerateObjects(ofType: "P") { old, new in
        new?["y"] = (old?["x"] as? Int ?? 0) + oldVersion
      }
    }
    let values = try store.objects(named: "P").map { $0["y"] as? Int }
    #expect(values == [11, 21])
    store.close()

    #expect(try Data(contentsOf: URL(fileURLWithPath: seed)) == before)
    #expect(
      try names() == [seed, place].map { URL(fileURLWithPath: $0).lastPathComponent }.sorted())
  }

  /// It would stay, also when the next version of the app brings a seed that can be upgraded.
  @Test func ofASeedWhoseUpgradeFailsNothingStays() throws {
    struct Refused: Error {}
    let before = try names()

    let refused = #expect(throws: StoreError.self) {
      try open { _, _ in throw Refused() }
    }
    let newer = #expect(throws: StoreError.self) { try open(Zero.self) }

    #expect(try names() == before)
    #expect(refused?.description.contains("Refused") == true, "\(refused?.description ?? "")")
    #expect(newer == .fileIsNewer(path: seed, version: 1, newest: 0))
    let count = try open().objects(named: "P").count
    #expect(count == 2)
  }

  /// The wish to begin anew is about the file that is there, not about what it begins with.
  @Test func aSeedIsUpgradedWhereOldFilesAreDeleted() throws {
    let store = try open(deleting: true) { migration, _ in
      migration.enumerateObjects(ofType: "P") { old, new in new?["y"] = old?["x"] as? Int }
    }

    let values = try store.objects(named: "P").map { $0["y"] as? Int }
    #expect(values == [10, 20])
  }

  @Test func whatBeginsAnewBeginsWithTheSeed() throws {
    try FileManager.default.copyItem(atPath: seed, toPath: place)
    let database = try Database(path: place, mode: .readWrite)
    try database.execute("UPDATE P SET x = 7")
    database.close()

    let store = try open(deleting: true)
    let values = try store.objects(named: "P").map { $0["x"] as? Int }
    #expect(values == [10, 20])
    try store.write { try store.create(named: "P", value: ["x": 30]) }
    store.close()

    let again = try open(deleting: true).objects(named: "P").count
    #expect(again == 3, "a file of the schema's version stays")
  }

  @Test func aSeedThatIsNewerIsRefusedWhereOldFilesAreDeleted() throws {
    let before = try names()

    let error = #expect(throws: StoreError.self) { try open(Zero.self, deleting: true) }

    #expect(error == .fileIsNewer(path: seed, version: 1, newest: 0))
    #expect(try names() == before)
  }

  /// Else the file would be gone, and the next opening fail as well.
  @Test(arguments: ["missing", "newer"])
  func theFileStaysWhereItsSeedCannotBePlaced(what: String) throws {
    try FileManager.default.copyItem(atPath: seed, toPath: place)
    let newer = try ClassicBench()
    try newer.write(9, [Self.pet])
    let before = (try names(), try Data(contentsOf: URL(fileURLWithPath: place)))

    #expect(throws: StoreError.self) {
      try open(seed: what == "missing" ? seed + ".none" : newer.path, deleting: true)
    }

    #expect(try names() == before.0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: place)) == before.1)
  }

  /// While it is tried whether the seed can be placed, another process upgrades the file, and stores something.
  @Test func whatAnotherHasUpgradedMeanwhileIsNotDeleted() throws {
    try FileManager.default.copyItem(atPath: seed, toPath: place)
    let isFirst = Mutex(true)
    let place = place
    let store = try open(deleting: true) { _, _ in
      guard
        isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        })
      else { return }
      let other = try Store(
        configuration: Store.Configuration(
          fileURL: URL(fileURLWithPath: place), schema: Five.self, migrationBlock: { _, _ in }))
      try other.write { _ = try other.create(named: "P", value: ["x": 30]) }
      other.close()
    }
    let values = try store.objects(named: "P").map { $0["x"] as? Int }
    #expect(values == [10, 20, 30])
    store.close()
  }

  @Test func aReaderRefusesAnOldSeedAndLeavesNothing() throws {
    let before = try names()
    let error = #expect(throws: StoreError.self) { try open(readOnly: true) }
    #expect(error?.code == "STR5006")
    #expect(try names() == before)
  }

  /// The file's name with an ending is the first name that one thinks of.
  @Test(arguments: [".seed", ".copy", "-seed"])
  func aSeedMayHaveAnyName(ending: String) throws {
    try FileManager.default.moveItem(atPath: seed, toPath: place + ending)
    let store = try open(seed: place + ending)
    let count = try store.objects(named: "P").count
    #expect(count == 2)
    #expect(FileManager.default.fileExists(atPath: place + ending))
    try store.writeCopy(to: place + ".2")
    #expect(FileManager.default.fileExists(atPath: place + ending))
    try store.writeCopy(to: bench.path)
    #expect(FileManager.default.fileExists(atPath: place + ending))
  }

  /// An app and its extension are launched at once.
  @Test func oneOfSeveralPlacesTheSeed() async throws {
    let (seed, place) = (seed, place)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var configuration = Store.Configuration(
            fileURL: URL(fileURLWithPath: place), schema: Five.self,
            migrationBlock: { _, _ in })
          configuration.seedFileURL = URL(fileURLWithPath: seed)
          // Each gets its turn, however long the machine lets one of them stand still.
          configuration.busyTimeout = .seconds(600)
          let store = try Store(configuration: configuration)
          defer { store.close() }
          return try store.objects(named: "P").count
        }
      }
      for try await count in group { #expect(count == 2) }
    }
  }
}
