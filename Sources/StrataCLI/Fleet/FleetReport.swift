import Strata
import StrataSchema

/// Tells people about many files: a bar on a terminal, a line per file otherwise, and what became of them in the end.
final class FleetReport {
  /// Reasons that the summary repeats: with thousands of failures the first ones say what is wrong.
  private static let maximumReasons = 10
  /// Letters of a name.
  private static let maximumName = 100
  private static let interval = Duration.milliseconds(80)

  private let fileCount: Int
  private let byteCount: Int
  private let sizes: [PathKey: Int]
  /// Patterns that find nothing: what is said of them is no file's failure.
  private let patterns: Set<PathKey>
  private let showsBar: Bool
  private let showsLines: Bool
  private let isDryRun: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?
  private var hasDrawn = false

  private var finishedFiles = 0
  private var finishedBytes = 0
  private var finishedObjects = 0
  /// Files in hand.
  private var current: [PathKey: UpgradeProgress] = [:]
  private var failures: [FileOutcome] = []
  private var counts: [FileOutcome.Status: Int] = [:]

  init(files: [FileSelection.File], showsBar: Bool, showsLines: Bool, isDryRun: Bool = false) {
    patterns = Set(files.filter(\.isPattern).map { PathKey($0.path) })
    fileCount = files.count { !$0.isPattern }
    sizes = Dictionary(files.map { (PathKey($0.path), $0.size) }) { first, _ in first }
    byteCount = files.reduce(0) { $0 + $1.size }
    self.showsBar = showsBar
    self.showsLines = showsLines
    self.isDryRun = isDryRun
    start = clock.now
  }

  func update(_ file: String, _ progress: UpgradeProgress) {
    current[PathKey(file)] = progress
    draw()
  }

  func finished(_ outcome: FileOutcome) {
    let key = PathKey(outcome.file)
    current[key] = nil
    if patterns.contains(key) {
      failures.append(outcome)
      clear()
      return Self.tell(outcome, showsPlan: false)
    }
    finishedFiles += 1
    finishedBytes += sizes[key] ?? 0
    finishedObjects += outcome.objects
    counts[outcome.status, default: 0] += 1
    if outcome.isFailure { failures.append(outcome) }
    // What is gone is said also where a bar stands in the place of lines.
    if outcome.isFailure || showsLines || showsBar && !outcome.otherTables.isEmpty {
      clear()
      Self.tell(outcome, showsPlan: showsLines)
    }
    draw()
  }

  /// Files that were not begun: behind the first of many thousands to fail only who asks wants a line of each.
  func left(_ outcomes: [FileOutcome], showsLines: Bool) {
    let files = outcomes.filter { !patterns.contains(PathKey($0.file)) }
    counts[.notReached, default: 0] += files.count
    guard showsLines else { return }
    clear()
    for outcome in files { Self.tell(outcome, showsPlan: false) }
  }

  /// The line of one file.
  ///
  /// - Parameters:
  ///   - showsPlan: whether a dry run shows the plan of a file that will be refused, too.
  ///   - namingFile: whether a failure has to say which of many files it is about.
  static func tell(_ outcome: FileOutcome, showsPlan: Bool, namingFile: Bool = true) {
    let file = outcome.file
    switch outcome.status {
    case .failed:
      if showsPlan, let plan = outcome.planText { Terminal.print(plan, keepingLines: true) }
      Terminal.error(reason(of: outcome, namingFile: namingFile), code: outcome.code)
    case .skipped: Terminal.print("\(file): skipped, finished by an earlier run")
    case .planned: Terminal.print(outcome.planText ?? file, keepingLines: true)
    case .notReached: Terminal.print("\(file): not reached")
    case .current:
      let isDone = outcome.plan == nil
      guard isDone || outcome.output != nil || outcome.needsNoBackup else {
        return Terminal.print(outcome.planText ?? file, keepingLines: true)
      }
      let copied =
        outcome.output.map { isDone ? "; copied to \($0)" : "; would be copied to \($0)" } ?? ""
      let noBackup = outcome.needsNoBackup ? "; no backup, because nothing changed" : ""
      Terminal.print("\(file): version \(outcome.to ?? 0), current\(copied)\(noBackup)")
    case .upgraded:
      let rate = outcome.seconds > 0 ? Int(Double(outcome.objects) / outcome.seconds) : 0
      Terminal.print(
        """
        \(file): version \(outcome.from ?? 0) → \(outcome.to ?? 0), \
        \(counted(outcome.objects, "object")) in \(Numbers.duration(outcome.seconds)) \
        (\(grouped(rate)) objects/s)\
        \(leftOut(of: outcome))
        """)
    }
  }

  private static func leftOut(of outcome: FileOutcome) -> String {
    guard !outcome.otherTables.isEmpty else { return "" }
    let names = outcome.otherTables.prefix(maximumReasons).map { name in
      name.count > maximumName ? String(name.prefix(maximumName)) + "…" : name
    }
    let rest = outcome.otherTables.count - names.count
    return TerminalText.plain(
      "; left out what other programs had in the file: " + names.joined(separator: ", ")
        + (rest > 0 ? " and \(rest) more" : ""))
  }

  /// Why a file failed. What concerns its output, or a step, does not name it.
  private static func reason(of failure: FileOutcome, namingFile: Bool = true) -> String {
    let message = failure.message ?? failure.file
    let isNamed = !namingFile || Mention(of: failure.file).stands(in: message)
    return TerminalText.plain(
      isNamed ? message : "\(failure.file): \(message)", keepingLines: true)
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
    var facts = [ProgressBar.Fact(ProgressBar.percent(share))]
    if seconds > 0, objects > 0 {
      let rate = grouped(Int(Double(objects) / seconds))
      facts.append(.init(" · \(rate)/s", rank: 2))
    }
    if seconds > 0, share > 0 {
      facts.append(.init(" · \(Numbers.timeLeft(seconds * (1 - share) / share)) left", rank: 1))
    }
    if let failed = counts[.failed] { facts.append(.init(" · \(failed) failed")) }
    if let newest = current.min(by: { $0.key.path < $1.key.path }) {
      let path = PathArgument.asGiven(newest.key.path)
      facts.append(.init(" · \(TerminalText.end(of: path, columns: 24))", rank: 4))
      facts.append(.init(" · \(ProgressBar.activity(newest.value))", rank: 3))
    }
    return ProgressBar.drawn(
      "\(grouped(finishedFiles))/\(grouped(fileCount)) files", share: share,
      width: width, facts: facts)
  }

  func clear() {
    guard hasDrawn else { return }
    hasDrawn = false
    Terminal.write("\r\u{1B}[2K", to: 2)
  }

  // MARK: - The end

  /// What became of the files, and the first reasons of those that failed; nil where there was no file.
  var summary: String? {
    guard fileCount > 0 else { return nil }
    let seconds = (clock.now - start).seconds
    var parts = [FileOutcome.Status.upgraded, .current, .skipped].map {
      "\(grouped(counts[$0] ?? 0)) \($0.words)"
    }
    if isDryRun { parts[0] = "\(grouped(counts[.planned] ?? 0)) to upgrade" }
    if let left = counts[.notReached], left > 0 {
      parts.append("\(grouped(left)) \(FileOutcome.Status.notReached.words)")
    }
    parts.append("\(grouped(counts[.failed] ?? 0)) failed")
    let rate = seconds > 0 ? Int(Double(finishedObjects) / seconds) : 0
    let time = Numbers.duration(seconds)
    let work =
      isDryRun
      ? "in \(time)"
      : "\(counted(finishedObjects, "object")) in \(time) (\(grouped(rate)) objects/s)"
    var lines = ["\(counted(fileCount, "file")): \(parts.joined(separator: ", ")); \(work)"]
    for failure in failures.prefix(Self.maximumReasons) {
      let what = patterns.contains(PathKey(failure.file)) ? "" : "failed: "
      let reason = PathArgument.asGiven(message: Self.reason(of: failure))
      lines.append("  \(what)\(reason) [\(failure.code ?? "")]")
    }
    if failures.count > Self.maximumReasons {
      lines.append("  and \(grouped(failures.count - Self.maximumReasons)) more")
    }
    return lines.joined(separator: "\n")
  }
}
