import StrataSQLite
import StrataSchema

/// How far an upgrade is. Given to a callback that may stop it.
public struct UpgradeProgress: Sendable, Hashable {
  /// What is being done.
  public enum Phase: String, Sendable, Hashable {
    /// Objects are upgraded into a new file beside the old one.
    case objects
    /// Indexes of the new file are built.
    case indexes
    /// The new file is checked against the layout of its version.
    case verifying
    /// The new content is written into the file.
    case writing
  }

  public var phase: Phase
  /// The pass over the data, from 1.
  public var pass: Int
  public var passCount: Int
  /// The model whose objects are upgraded.
  public var model: String
  /// Objects upgraded so far, in all passes.
  public var objectsDone: Int
  /// Objects to upgrade, in all passes.
  public var objectsTotal: Int
}

/// What the callback of an upgrade wants next.
public enum UpgradeControl: Sendable {
  case proceed
  /// Stops the upgrade; the file stays as it was.
  case cancel
}

/// Counts objects, tells the callback, and stops the upgrade when it says so.
final class UpgradeWatch {
  /// Objects between two calls of the callback.
  private static let objectsPerReport = 4096
  /// SQLite's instructions between two calls while one statement runs.
  private static let instructionsPerReport = 400_000

  private let path: String
  private let callback: ((UpgradeProgress) -> UpgradeControl)?
  private(set) var progress: UpgradeProgress
  private var isCancelled = false
  private var objectsOfModel = 0

  init(path: String, callback: ((UpgradeProgress) -> UpgradeControl)?) {
    self.path = path
    self.callback = callback
    progress = UpgradeProgress(
      phase: .objects, pass: 1, passCount: 1, model: "", objectsDone: 0, objectsTotal: 0)
  }

  func begin(passes: Int, objects: Int) {
    progress.passCount = passes
    progress.objectsTotal = objects
  }

  func begin(pass: Int) {
    finishModel()
    progress.pass = pass
    progress.phase = .objects
  }

  /// A table is about to be read.
  func begin(model: String, source: String, in database: Database) throws {
    finishModel()
    progress.model = model
    objectsOfModel =
      Int(
        try database.firstValue("SELECT count(*) FROM source.\(SQL.identifier(source))")?.ifInteger
          ?? 0)
    streamed = 0
    try report()
  }

  private var streamed = 0

  /// What set-based statements did is known when they are done.
  private func finishModel() {
    progress.objectsDone += objectsOfModel - streamed
    objectsOfModel = 0
    streamed = 0
  }

  @inline(__always)
  func objectDone() throws {
    streamed += 1
    progress.objectsDone += 1
    if streamed % Self.objectsPerReport == 0 { try report() }
  }

  func describe(_ phase: UpgradeProgress.Phase) {
    finishModel()
    progress.phase = phase
    try? report()
  }

  /// Lets the callback speak while one statement runs for long.
  func watch(_ database: Database) {
    guard callback != nil else { return }
    database.setProgressHandler(every: Self.instructionsPerReport) { [unowned self] in
      (try? report()) == nil
    }
  }

  func report() throws {
    guard let callback, !isCancelled else {
      if isCancelled { throw cancellation }
      return
    }
    if case .cancel = callback(progress) {
      isCancelled = true
      throw cancellation
    }
  }

  var cancellation: MigrationError {
    MigrationError(.cancelled, "The upgrade of \(path) was cancelled; the file is as it was.")
  }
}
