import Foundation
import StrataAdopt
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataCLI
@testable import StrataTesting

/// A shipped app's 117 versions: from each to the newest and back.
@Suite("Taking back WooCommerce's upgrades")
struct WooCommerceDowngradeTests {
  private static let path = "woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld"
  /// All of them take minutes: `STRATA_LONG_TESTS=1`.
  private static let isLong = ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil
  private static let versionsOfShortForm = 5
  private static let objects = 3

  @Test(
    .enabled(
      if: SharedHistoriesTests.isThere, "shared/data/histories is not beside the project"))
  func fromEachVersionToTheNewestAndBack() throws {
    let adopted = try AdoptedProject.read(
      .coredata, "\(SharedHistoriesTests.folder)/\(Self.path)", name: nil)
    let folder = try TemporaryFolder()
    let project = folder.path + "/project"
    defer { try? FileManager.default.removeItem(atPath: project) }
    let target = try self.target(adopted, project)
    let history = target.history
    let newest = try #require(history.newest)
    let older = Array(history.versions.dropLast())
    #expect(older.count == 116)
    let stride = Self.isLong ? 1 : older.count / Self.versionsOfShortForm
    var taken = 0
    var refusals: [String: [Int]] = [:]
    for index in Swift.stride(from: 0, to: older.count, by: stride) {
      let version = older[index]
      let (old, new) = ("\(folder.path)/old-\(index).db", "\(folder.path)/new-\(index).db")
      try SampleDatabase(version: version, of: history).create(
        at: old, objects: Self.objects, seed: 7)
      defer { for file in [old, new] { try? POSIXFiles().removeIfPresent(file) } }
      var options = Upgrade.Options()
      options.output = new
      do {
        try Upgrade(path: old, target: target, options: options).run()
      } catch let error as MigrationError where error.isRefusal || error.kind == .stepMissing {
        refusals["\(error.code) in the step to version \(error.version ?? 0)", default: []].append(
          version.number)
        continue
      }
      let (before, upgraded) = (try digest(old, target), try digest(new, target))
      let report = try Downgrade(path: new, from: old, target: target).run()
      #expect(report.from == newest.number)
      #expect(report.to == version.number)
      #expect(report.isLossless && report.changes.isEmpty)
      #expect(try digest(new, target) == before, "version \(version.number)")
      try Upgrade(path: new, target: target).run()
      #expect(try digest(new, target) == upgraded, "version \(version.number)")
      taken += 1
    }
    // What an upgrade refuses has nothing to take back.
    #expect(refusals == [:])
    #expect(taken == (Self.isLong ? 116 : (older.count + stride - 1) / stride))
  }

  /// The history as its adopted files say it, with what can be answered for all of it answered.
  private func target(_ adopted: AdoptedHistory, _ folder: String) throws -> UpgradeTarget {
    let answers = try AdoptAnswers(["required=zero", "gone=rename"])
    for file in try AdoptedProject(adopted, date: "2026-11-21", answers: answers).files {
      let url = URL(fileURLWithPath: "\(folder)/\(file.path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      // What is guessed there is as good as any other answer, and the only one without a guess asks for a day.
      let text = file.text.replacingOccurrences(of: "\"??? ", with: "\"")
        .replacingOccurrences(of: "date: ???", with: "date: \"date('2018-01-01')\"")
      try Data(text.utf8).write(to: url)
    }
    let whole = try Project.load(schemas: folder + "/schemas", migrations: folder + "/migrations")
    let (project, questions) = whole.settingQuestionsAside()
    var target = UpgradeTarget(history: try project.history())
    target.questions = questions
    return target
  }

  private func digest(_ path: String, _ target: UpgradeTarget) throws -> Digest? {
    try FileInspector().inspect(path, target: target, digest: true).dataDigest
  }
}
