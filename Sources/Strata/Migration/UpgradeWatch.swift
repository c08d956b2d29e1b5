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
  /// The newest step that the pass carries out, from 1: one pass may carry out several.
  public var step = 1
  /// Steps between the file's version and the one to reach.
  public var stepCount = 1
  /// The model whose objects are upgraded.
  public var model: String
  /// Objects upgraded so far, in all passes.
  public var objectsDone: Int
  /// Objects to upgrade, in all passes.
  public var objectsTotal: Int
  /// Bytes written so far: of the new file, and of those that were written back.
  public var bytesWritten = 0
  /// How much of the whole upgrade is done, from 0 to 1.
  public var fraction = 0.0
  /// Time since the upgrade began.
  public var elapsed = Duration.zero

  package init(
    phase: Phase, pass: Int, passCount: Int, model: String, objectsDone: Int, objectsTotal: Int
  ) {
    self.phase = phase
    self.pass = pass
    self.passCount = passCount
    self.model = model
    self.objectsDone = objectsDone
    self.objectsTotal = objectsTotal
  }

  /// Objects upgraded in a second, so far.
  public var objectsPerSecond: Double {
    elapsed > .zero ? Double(objectsDone) / elapsed.seconds : 0
  }

  /// How long the rest will take if it goes on like this; nil while nothing is known.
  public var timeLeft: Duration? {
    guard fraction > 0, elapsed > .zero else { return nil }
    return elapsed * ((1 - fraction) / fraction)
  }
}

extension Duration {
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
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
  static let objectsPerReport = 4096
  /// SQLite's instructions between two calls while one statement runs.
  private static let instructionsPerReport = 400_000
  /// Reports after which those that come often are told only so often.
  private static let fewestReports = 100
  private static let timeBetweenReports = Duration.milliseconds(20)

  private let path: String
  private let callback: ((UpgradeProgress) -> UpgradeControl)?
  private(set) var progress: UpgradeProgress
  private var isCancelled = false
  /// Whether the answer of the callback stops the statement that is running.
  private var stopsStatements = true
  private var reportCount = 0
  private var objectsOfModel = 0
  private let isWrittenBack: Bool
  private let direction: Direction
  private let elapsed: () -> Duration
  /// Bytes of the file that is being built.
  private var builtBytes: () -> Int = { 0 }
  private var bytesOfFinishedPasses = 0
  /// Of the new content, how much is in the old file.
  private var share = 0.0
  private var writtenBack = 0

  /// - Parameters:
  ///   - isWrittenBack: whether the new content is copied into the old file in the end.
  ///   - elapsed: the time since some moment, for tests.
  init(
    path: String, isWrittenBack: Bool = true, direction: Direction = .upgrade,
    elapsed: (() -> Duration)? = nil, callback: ((UpgradeProgress) -> UpgradeControl)?
  ) {
    self.path = path
    self.callback = callback
    self.isWrittenBack = isWrittenBack
    self.direction = direction
    let clock = ContinuousClock()
    let start = clock.now
    self.elapsed = elapsed ?? { clock.now - start }
    progress = UpgradeProgress(
      phase: .objects, pass: 1, passCount: 1, model: "", objectsDone: 0, objectsTotal: 0)
  }

  func begin(passes: Int, objects: Int) {
    progress.passCount = passes
    progress.objectsTotal = objects
  }

  /// - Parameters:
  ///   - step: the newest step of the pass, from 1.
  ///   - builtBytes: how large the file is that the pass writes.
  func begin(pass: Int, step: Int, of stepCount: Int, builtBytes: @escaping () -> Int) {
    finishModel()
    bytesOfFinishedPasses += self.builtBytes()
    self.builtBytes = builtBytes
    progress.pass = pass
    progress.step = step
    progress.stepCount = stepCount
    progress.phase = .objects
  }

  /// A table is about to be read; how many objects it holds.
  ///
  /// - Parameter known: that number, where it was counted already.
  @discardableResult
  func begin(model: String, source: String, in database: Database, known: Int? = nil) throws -> Int
  {
    finishModel()
    progress.model = model
    objectsOfModel =
      try known ?? database.count(of: "source.\(SQL.identifier(source))")
    streamed = 0
    identities = nil
    try report()
    return objectsOfModel
  }

  private var streamed = 0
  /// The identities between which the objects are that one statement makes.
  private var identities: ClosedRange<Int64>?

  /// One statement is about to make all objects of the model, in the order of their identities.
  func beginStatement(source: String, in database: Database) throws {
    guard callback != nil else { return }
    let table = "source.\(SQL.identifier(source))"
    let ends = try database.rows(
      // Each for itself is one look at the tree; together they read all of it.
      "SELECT (SELECT min(_row) FROM \(table)), (SELECT max(_row) FROM \(table))"
    ).first
    guard let first = ends?[0].ifInteger, let last = ends?[1].ifInteger, first < last else {
      return
    }
    identities = first...last
  }

  /// How far a statement is, from the identity that it has written last.
  private func follow(identity: Int64) {
    guard let identities, identities.contains(identity) else { return }
    let share =
      Double(identity - identities.lowerBound)
      / Double(identities.upperBound - identities.lowerBound)
    let done = Int(Double(objectsOfModel) * share)
    guard done > streamed else { return }
    progress.objectsDone += done - streamed
    streamed = done
  }

  private func finishModel() {
    identities = nil
    progress.objectsDone += objectsOfModel - streamed
    objectsOfModel = 0
    streamed = 0
  }

  /// So many more objects are done; told every so many that are worth a report.
  func objectsDone(_ count: Int) throws {
    streamed += count
    progress.objectsDone += count
    try report()
  }

  /// Goes through the rows of a reader, and reports as it goes.
  ///
  /// - Parameter body: returns whether the row's object is one of the new version.
  @inline(__always)
  func goThrough(_ reader: TableReader, _ body: () throws -> Bool) throws {
    var done = 0
    while try reader.next() {
      guard try body() else { continue }
      done += 1
      if done == Self.objectsPerReport {
        try objectsDone(done)
        done = 0
      }
    }
  }

  func describe(_ phase: UpgradeProgress.Phase) {
    finishModel()
    progress.phase = phase
    try? report()
  }

  /// Lets the callback speak while one statement runs for long. The connection keeps the watch.
  func watch(_ database: Database) {
    guard callback != nil else { return }
    let thread = ThreadIdentity.current
    database.setProgressHandler(every: Self.instructionsPerReport) {
      [self, unowned database] in
      // A thread that inserts is none of the caller's; the thread that fills its batches reports.
      guard ThreadIdentity.current == thread else { return false }
      follow(identity: database.lastInsertedRow)
      let isCancelled = (try? reportIfDue()) == nil
      return isCancelled && stopsStatements
    }
  }

  /// Runs what a block asks for and cannot throw: a block that counts on a value or an element would go wrong without it. Where the
  /// callback cancels meanwhile, what can throw stops next.
  func finishingStatements<Result>(_ body: () throws -> Result) rethrows -> Result {
    let stops = stopsStatements
    stopsStatements = false
    defer { stopsStatements = stops }
    return try body()
  }

  /// Throws where the callback has cancelled while statements were finished.
  func stopIfCancelled() throws {
    if isCancelled { throw cancellation }
  }

  /// The file is upgraded, and what the callback answers comes too late.
  func finish() {
    guard let callback else { return }
    finishModel()
    progress.phase = .writing
    progress.elapsed = elapsed()
    progress.objectsTotal = max(progress.objectsTotal, progress.objectsDone)
    progress.fraction = 1
    _ = callback(progress)
  }

  /// So much of the new content stands in the old file.
  func written(bytes: Int, of total: Int) throws {
    share = total > 0 ? Double(bytes) / Double(total) : 1
    writtenBack = bytes
    try report()
  }

  /// Tells what happens for each object or more often: of a short upgrade all, of a long one no more than an eye can follow.
  func reportIfDue() throws {
    guard callback != nil, !isCancelled, reportCount >= Self.fewestReports else {
      return try report()
    }
    guard elapsed() - progress.elapsed >= Self.timeBetweenReports else { return }
    try report()
  }

  func report() throws {
    guard let callback, !isCancelled else {
      if isCancelled { throw cancellation }
      return
    }
    reportCount += 1
    progress.elapsed = elapsed()
    // Steps may make objects.
    progress.objectsTotal = max(progress.objectsTotal, progress.objectsDone)
    progress.bytesWritten = bytesOfFinishedPasses + builtBytes() + writtenBack
    progress.fraction = max(progress.fraction, fraction)
    if case .cancel = callback(progress) {
      isCancelled = true
      throw cancellation
    }
  }

  /// Upgrading objects takes most of the time, then writing back; what either takes was measured.
  private var fraction: Double {
    let objects = isWrittenBack ? 0.7 : 0.8
    let built = isWrittenBack ? 0.85 : 1.0
    switch progress.phase {
    case .objects:
      guard progress.objectsTotal > 0 else { return 0 }
      return objects * min(1, Double(progress.objectsDone) / Double(progress.objectsTotal))
    case .indexes: return progress.pass < progress.passCount ? 0 : objects
    case .verifying: return progress.pass < progress.passCount ? 0 : (objects + built) / 2
    case .writing: return built + (1 - built) * share
    }
  }

  var cancellation: MigrationError {
    MigrationError(.cancelled, "The \(direction) of \(path) was cancelled; the file is as it was.")
  }
}
