import Strata

/// Tells people about many files: a bar on a terminal, a line per file otherwise, and what became of them in the end.
final class FleetReport {
  /// Reasons that the summary repeats: with thousands of failures the first ones say what is wrong.
  private static let maximumReasons = 10
  private static let interval = Duration.milliseconds(80)

  private let fileCount: Int
  private let byteCount: Int
  private let sizes: [String: Int]
  private let showsBar: Bool
  private let showsLines: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?
  private var hasDrawn = false

  private var finishedFiles = 0
  private var finishedBytes = 0
  private var finishedObjects = 0
  /// Files in hand.
  private var current: [String: UpgradeProgress] = [:]
  private var failures: [FileOutcome] = []
  private var counts: [FileOutcome.Status: Int] = [:]

  init(files: [FileSelection.File], showsBar: Bool, showsLines: Bool) {
    fileCount = files.count
    sizes = Dictionary(files.map { ($0.path, $0.size) }) { first, _ in first }
    byteCount = files.reduce(0) { $0 + $1.size }
    self.showsBar = showsBar
    self.showsLines = showsLines
    start = clock.now
  }

  func update(_ file: String, _ progress: UpgradeProgress) {
    current[file] = progress
    draw()
  }

  func finished(_ outcome: FileOutcome) {
    current[outcome.file] = nil
    finishedFiles += 1
    finishedBytes += sizes[outcome.file] ?? 0
    finishedObjects += outcome.objects
    counts[outcome.status, default: 0] += 1
    if outcome.isFailure { failures.append(outcome) }
    if outcome.isFailure || showsLines {
      clear()
      Self.tell(outcome)
    }
    draw()
  }

  /// Files that were not begun.
  func left(_ outcomes: [FileOutcome]) { counts[.skipped, default: 0] += outcomes.count }

  /// The line of one file.
  static func tell(_ outcome: FileOutcome) {
    if let text = outcome.planText { return Terminal.print(text) }
    switch outcome.status {
    case .failed: Terminal.error(outcome.message ?? outcome.file, code: outcome.code)
    case .skipped: Terminal.print("\(outcome.file): skipped, finished by an earlier run")
    case .current:
      Terminal.print("\(outcome.file): version \(outcome.to ?? 0), current")
    case .upgraded:
      let rate = outcome.seconds > 0 ? Int(Double(outcome.objects) / outcome.seconds) : 0
      Terminal.print(
        """
        \(outcome.file): version \(outcome.from ?? 0) → \(outcome.to ?? 0), \
        \(Numbers.grouped(outcome.objects)) objects in \(Numbers.duration(outcome.seconds)) \
        (\(Numbers.grouped(rate)) objects/s)
        """)
    }
  }

  // MARK: - The bar

  private func draw() {
    guard showsBar else { return }
    let now = clock.now
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    hasDrawn = true
    Terminal.write("\r\u{1B}[2K" + line(width: Terminal.width, elapsed: now - start), to: 2)
  }

  func line(width: Int, elapsed: Duration) -> String {
    let inHand = current.reduce(0.0) { $0 + $1.value.fraction * Double(sizes[$1.key] ?? 0) }
    let done = Double(finishedBytes) + inHand
    let share = byteCount > 0 ? min(1, done / Double(byteCount)) : 0
    let objects = finishedObjects + current.values.reduce(0) { $0 + $1.objectsDone }
    let seconds = elapsed.seconds
    var facts = " \(ProgressBar.percent(share))"
    if seconds > 0 {
      facts += " · \(Numbers.grouped(Int(Double(objects) / seconds)))/s"
      if share > 0 {
        facts += " · \(Numbers.duration(seconds * (1 - share) / share)) left"
      }
    }
    if let failed = counts[.failed] { facts += " · \(failed) failed" }
    if let newest = current.min(by: { $0.key < $1.key }) {
      facts += " · \(newest.key.suffix(24)) \(ProgressBar.activity(newest.value))"
      if newest.value.stepCount > 1 {
        facts += " step \(newest.value.step)/\(newest.value.stepCount)"
      }
    }
    return ProgressBar.drawn(
      "\(finishedFiles)/\(fileCount) files", share: share, width: width, facts: facts)
  }

  func clear() {
    guard hasDrawn else { return }
    hasDrawn = false
    Terminal.write("\r\u{1B}[2K", to: 2)
  }

  // MARK: - The end

  /// What became of the files, and the first reasons of those that failed.
  var summary: String {
    let seconds = (clock.now - start).seconds
    let parts = [FileOutcome.Status.upgraded, .current, .skipped, .failed].map {
      "\(Numbers.grouped(counts[$0] ?? 0)) \($0.rawValue)"
    }
    let rate = seconds > 0 ? Int(Double(finishedObjects) / seconds) : 0
    var lines = [
      """
      \(Numbers.grouped(fileCount)) \(fileCount == 1 ? "file" : "files"): \(parts.joined(separator: ", ")); \
      \(Numbers.grouped(finishedObjects)) objects in \(Numbers.duration(seconds)) \
      (\(Numbers.grouped(rate)) objects/s)
      """
    ]
    for failure in failures.prefix(Self.maximumReasons) {
      lines.append("  failed: \(failure.message ?? failure.file) [\(failure.code ?? "")]")
    }
    if failures.count > Self.maximumReasons {
      lines.append("  and \(failures.count - Self.maximumReasons) more")
    }
    return lines.joined(separator: "\n")
  }
}
