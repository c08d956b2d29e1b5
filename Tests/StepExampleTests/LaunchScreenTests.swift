import Foundation
import PeopleMigrations
import PeopleModels
import StrataExpression
import StrataHistory
import Synchronization
import Testing

@testable import Strata
@testable import StrataTesting

/// Shows how far an upgrade is, and has a button that stops it.
@MainActor
final class LaunchScreen {
  private(set) var bar = 0.0
  private(set) var text = ""
  private let isCancelled = Atomic(false)

  func cancelButtonTapped() { isCancelled.store(true, ordering: .relaxed) }

  /// Opens the file, upgraded where it needs it.
  func open(_ url: URL) async throws -> Store {
    let configuration = Store.Configuration(
      fileURL: url, schema: PeopleSchema.self, migrations: PeopleMigrations.self)
    if case .needsUpgrade = try Store.open(configuration) {
      try await upgrade(configuration)
    }
    return try Store(configuration: configuration)
  }

  /// Away from the main thread, which shows the newest report meanwhile.
  private func upgrade(_ configuration: Store.Configuration) async throws {
    let (reports, reporter) = AsyncStream.makeStream(
      of: UpgradeProgress.self, bufferingPolicy: .bufferingNewest(1))
    var configuration = configuration
    configuration.upgradeProgress = { progress in
      reporter.yield(progress)
      return self.isCancelled.load(ordering: .relaxed) ? .cancel : .proceed
    }
    let upgrade = Task.detached { [configuration] in
      defer { reporter.finish() }
      try Store(configuration: configuration).close()
    }
    for await progress in reports { show(progress) }
    try await upgrade.value
  }

  private func show(_ progress: UpgradeProgress) {
    bar = progress.fraction
    text =
      "Step \(progress.step) of \(progress.stepCount), \(progress.model): "
      + "\(progress.objectsDone) of \(progress.objectsTotal) objects"
    if let left = progress.timeLeft { text += ", \(left.components.seconds + 1) s left" }
  }
}

/// The launch screen of docs/migrations.md, on a file of the first version.
@Suite("Progress on docs/migrations.md")
@MainActor
struct LaunchScreenTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("strata-launch-\(UUID().uuidString)")
  private var url: URL { folder.appendingPathComponent("people.db") }

  private func withOldFile(_ body: () async throws -> Void) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let history = try UpgradeTarget(PeopleMigrations.self).history
    let first = try #require(history.version(0))
    try SampleDatabase(version: first, of: history).create(at: url.path, objects: 20_000, seed: 7)
    try await body()
  }

  @Test("A screen shows what the upgrade reports and gets the store")
  func shows() async throws {
    try await withOldFile {
      let screen = LaunchScreen()
      let store = try await screen.open(url)
      defer { store.close() }
      #expect(store.objects(Person.self).count == 20_000)
      #expect(screen.bar > 0.5 && screen.bar <= 1)
      #expect(screen.text.hasPrefix("Step 5 of 5"), "\(screen.text)")
      #expect(screen.text.contains("20000 of 20000 objects"), "\(screen.text)")
    }
  }

  @Test("A button stops the upgrade, the file is as it was, and the next start upgrades it")
  func cancels() async throws {
    try await withOldFile {
      let old = try Data(contentsOf: url)
      let screen = LaunchScreen()
      screen.cancelButtonTapped()
      let error = await #expect(throws: StoreError.self) { _ = try await screen.open(url) }
      guard case .migrationFailed(let failure)? = error else {
        Issue.record("stopped by \(String(describing: error))")
        return
      }
      #expect(failure.kind == .cancelled)
      #expect(try Data(contentsOf: url) == old)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["people.db"])

      let store = try await LaunchScreen().open(url)
      #expect(store.objects(Person.self).count == 20_000)
      store.close()
    }
  }

  @Test("A current file is opened without a report")
  func current() async throws {
    try await withOldFile {
      try await LaunchScreen().open(url).close()
      let screen = LaunchScreen()
      try await screen.open(url).close()
      #expect(screen.text.isEmpty)
    }
  }
}
