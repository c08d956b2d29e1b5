import Foundation
import PeopleMigrations
import PeopleModels
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import StrataTesting
import Testing

@testable import Strata

/// A store that keeps the file as it was before an upgrade, and a program that takes the upgrade back.
@Suite struct KeptPeopleTests {
  private func withOldFile(
    version: Int, _ body: (Store.Configuration, _ folder: URL) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("people.db").path
    let history = try UpgradeTarget(PeopleMigrations.self).history
    let old = try #require(history.version(version))
    try SampleDatabase(version: old, of: history).create(at: path, objects: 50, seed: 7)
    try body(
      Store.Configuration(
        fileURL: URL(fileURLWithPath: path), schema: PeopleSchema.self,
        migrations: PeopleMigrations.self, keepsOldFile: .forDays(30)), folder)
  }

  private func kept(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.contains(".kept-") }
  }

  @Test func openingKeepsTheOldFileAndADowngradeFindsIt() throws {
    try withOldFile(version: 4) { configuration, folder in
      let path = folder.appendingPathComponent("people.db").path
      let before = try FileInspector().inspect(path, target: nil, digest: true).dataDigest
      try Store(configuration: configuration).close()
      #expect(try kept(in: folder).map { $0.prefix(17) } == ["people.db.kept-4-"])
      // A second opening has nothing to keep.
      try Store(configuration: configuration).close()
      #expect(try kept(in: folder).count == 1)

      let report = try Store.downgrade(configuration)

      #expect(report.isLossless && report.changes.isEmpty)
      let inspected = try FileInspector().inspect(path, target: nil, digest: true)
      #expect(inspected.version == 4)
      #expect(inspected.dataDigest == before)
    }
  }

  @Test func whatAKilledUpgradeLeftBesideAKeptFileIsRemoved() throws {
    try withOldFile(version: 4) { configuration, folder in
      let left = [
        "people.db.kept-4-20200101-strata-upgrade", "people.db.kept-4-20200101-strata-upgrade-copy",
      ]
      for name in left { try Data().write(to: folder.appendingPathComponent(name)) }
      try Store(configuration: configuration).close()
      #expect(try kept(in: folder).count == 1)
    }
  }

  /// As large as the file each, and nothing that an opening which succeeds would ever make room of.
  @Test(arguments: [UpgradeProgress.Phase.objects, .writing])
  func anUpgradeThatFailsKeepsNothing(phase: UpgradeProgress.Phase) throws {
    try withOldFile(version: 4) { configuration, folder in
      var configuration = configuration
      configuration.upgradeProgress = { $0.phase == phase ? .cancel : .proceed }
      for _ in 1...3 {
        #expect(throws: StoreError.self) { try Store(configuration: configuration) }
      }
      let names = try kept(in: folder)
      #expect(names == [])
    }
  }

  /// A kill while the content is written leaves what was kept, and a kill before it a draft.
  @Test func anUpgradeAfterKilledOnesKeepsOneFile() throws {
    try withOldFile(version: 4) { configuration, folder in
      let copy = folder.appendingPathComponent("copy")
      var killed = configuration
      killed.upgradeProgress = { progress in
        guard progress.phase == .writing else { return .proceed }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        if let name = names.first(where: { $0.contains(".kept-") }) {
          try? FileManager.default.copyItem(at: folder.appendingPathComponent(name), to: copy)
          try? Data(name.utf8).write(to: folder.appendingPathComponent("name"))
        }
        return .cancel
      }
      for _ in 1...3 {
        #expect(throws: StoreError.self) { try Store(configuration: killed) }
        let name = try String(
          contentsOf: folder.appendingPathComponent("name"), encoding: .utf8)
        if try kept(in: folder).isEmpty {
          try FileManager.default.moveItem(at: copy, to: folder.appendingPathComponent(name))
        }
        for end in ["-strata-upgrade", "-strata-upgrade-copy"] {
          try Data().write(to: folder.appendingPathComponent("\(name)-9\(end)"))
        }
      }
      try Store(configuration: configuration).close()
      #expect(try kept(in: folder).count == 1)
      #expect(try Store.downgrade(configuration).isLossless)
    }
  }

  @Test func deletingAStoreDeletesWhatIsKeptAndLeftBeside() throws {
    try withOldFile(version: 4) { configuration, folder in
      try Store(configuration: configuration).close()
      #expect(try kept(in: folder).count == 1)
      for name in [
        "people.db-strata-upgrade-1", "people.db-strata-upgrade-seed",
        "people.db-strata-upgrade-seed-strata-upgrade-new",
        "people.db-strata-upgrade-seed-strata-upgrade-new-strata-upgrade-1",
        "people.db-strata-upgrade-new-strata-upgrade-copy-wal", "people.db.kept-3-20200101",
        "people.db.kept-3-20200101-wal",
        "people.db.kept-4-20200101-strata-upgrade-copy",
        // What the user has made.
        "people.db.kept-notes", "people2.db", "people.db.old",
      ] { try Data("x".utf8).write(to: folder.appendingPathComponent(name)) }

      #expect(try Store.deleteFiles(for: configuration))

      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
          == ["people.db.kept-notes", "people.db.old", "people2.db"])
    }
  }

  /// What begins anew by itself is not what a user has deleted.
  @Test func whatBeginsAnewLeavesWhatIsKeptUntilItsTimeIsOver() throws {
    try withOldFile(version: 4) { configuration, folder in
      try Store(configuration: configuration).close()
      let names = try kept(in: folder)
      #expect(names.count == 1)
      // An older file comes to the place, as from a backup of the device.
      let path = folder.appendingPathComponent("people.db").path
      try FileManager.default.removeItem(atPath: path)
      let history = try UpgradeTarget(PeopleMigrations.self).history
      let old = try #require(history.version(3))
      try SampleDatabase(version: old, of: history).create(at: path, objects: 5, seed: 8)
      var beginsAnew = configuration
      beginsAnew.deleteIfMigrationNeeded = true

      let store = try Store(configuration: beginsAnew)
      #expect(store.objects(Person.self).isEmpty)
      store.close()
      #expect(try kept(in: folder) == names)

      try Data("x".utf8).write(to: folder.appendingPathComponent("people.db.kept-4-20200101"))
      try Store(configuration: beginsAnew).close()
      #expect(try kept(in: folder) == names)
    }
  }

  @Test func whatIsKeptStaysWhileTheStoreIsOpen() throws {
    try withOldFile(version: 4) { configuration, folder in
      let store = try Store(configuration: configuration)
      let path = folder.appendingPathComponent("people.db").path

      #expect(throws: StoreError.fileIsOpen(path: path)) {
        try Store.deleteFiles(for: configuration)
      }

      #expect(try kept(in: folder).count == 1)
      store.close()
    }
  }

  @Test func nothingIsDeletedWhileAnUpgradeIsAtWork() throws {
    try withOldFile(version: 4) { configuration, folder in
      let path = folder.appendingPathComponent("people.db").path
      let place = try POSIXFiles().realPath(of: path)
      let lock = try #require(
        try AsideFile.lockNames(beside: place, waiting: 0, files: POSIXFiles()))

      #expect(throws: StoreError.fileIsOpen(path: path)) {
        try Store.deleteFiles(for: configuration)
      }

      lock.release()
      #expect(try Store.deleteFiles(for: configuration))
    }
  }

  @Test func whatWasChangedSinceGoesBackAndWhatCannotIsRefusedFirst() throws {
    try withOldFile(version: 4) { configuration, folder in
      let store = try Store(configuration: configuration)
      try store.write { store.objects(Person.self).first?.age = 99 }
      store.close()
      #expect(try Store.downgrade(configuration, isDryRun: true).isLossless)

      let again = try Store(configuration: configuration)
      try again.write { again.objects(Person.self).first?.nickname = "Captain" }
      again.close()
      let error = #expect(throws: StoreError.self) { try Store.downgrade(configuration) }
      guard case .migrationFailed(let failure)? = error, failure.kind == .losesData else {
        Issue.record("refused with \(String(describing: error))")
        return
      }

      let report = try Store.downgrade(configuration, acceptingLoss: true)
      #expect(!report.isLossless)
      let path = folder.appendingPathComponent("people.db").path
      #expect(try FileInspector().inspect(path, target: nil).version == 4)
      // The newer program upgrades it once more, and the age is still there.
      let upgraded = try Store(configuration: configuration)
      #expect(upgraded.objects(Person.self).first?.age == 99)
      upgraded.close()
    }
  }

  @Test func withoutAKeptFileTheErrorSaysWhatIsMissing() throws {
    try withOldFile(version: 4) { configuration, folder in
      var configuration = configuration
      configuration.keepsOldFile = nil
      try Store(configuration: configuration).close()
      #expect(try kept(in: folder).isEmpty)
      let error = #expect(throws: StoreError.self) { try Store.downgrade(configuration) }
      #expect("\(String(describing: error))".contains("no file of an earlier version is kept"))
    }
  }
}
