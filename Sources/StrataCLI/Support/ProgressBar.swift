import Strata
import StrataSchema

/// Shows an upgrade's progress on a terminal: a bar, the rate and the time left, redrawn in place.
final class ProgressBar {
  private let label: String
  private let isVisible: Bool
  private let clock = ContinuousClock()
  private var lastDrawn: ContinuousClock.Instant?
  private var hasDrawn = false

  /// Redrawing more often than this only costs.
  private static let interval = Duration.milliseconds(80)

  /// - Parameter label: the path of the file in hand.
  init(label: String, isVisible: Bool) {
    self.label = PathArgument.asGiven(label)
    self.isVisible = isVisible
  }

  func update(_ progress: UpgradeProgress) {
    draw { Self.line(label, progress, width: Terminal.width) }
  }

  /// Shows a share of the work, from 0 to 1, and what is being done.
  func update(share: Double, _ activity: String) {
    draw {
      Self.drawn(
        label, share: share, width: Terminal.width,
        facts: [Fact("\(Self.percent(share)) "), Fact(activity)])
    }
  }

  private func draw(_ line: () -> String) {
    guard isVisible else { return }
    let now = clock.now
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    hasDrawn = true
    Terminal.write("\r\u{1B}[2K" + line(), to: 2)
  }

  /// Clears the line, so that what follows stands alone.
  func finish() {
    guard hasDrawn else { return }
    Terminal.write("\r\u{1B}[2K", to: 2)
  }

  /// A bar with what an upgrade does, how fast, and for how long still.
  static func line(_ label: String, _ progress: UpgradeProgress, width: Int) -> String {
    let pass = progress.passCount > 1 ? " pass \(progress.pass)/\(progress.passCount)" : ""
    var facts = [
      Fact("\(percent(progress.fraction)) "), Fact(activity(progress)), Fact(pass, rank: 3),
    ]
    if progress.objectsDone > 0 {
      facts.append(Fact(" · \(grouped(Int(progress.objectsPerSecond)))/s", rank: 2))
    }
    if let left = progress.timeLeft {
      facts.append(Fact(" · \(Numbers.timeLeft(left.seconds)) left", rank: 1))
    }
    return drawn(label, share: progress.fraction, width: width, facts: facts)
  }

  /// What is being done, and the newest step that it carries out.
  static func activity(_ progress: UpgradeProgress) -> String {
    let activity =
      switch progress.phase {
      case .objects: progress.model
      case .indexes: "indexes"
      case .verifying: "verifying"
      case .writing: "writing back"
      }
    return activity + " step \(progress.step)/\(progress.stepCount)"
  }

  static func percent(_ share: Double) -> String { "\(Int(min(1, max(0, share)) * 100))%" }

  /// Something that stands behind the bar.
  struct Fact {
    let text: String
    /// The higher, the sooner a narrow terminal does without it.
    let rank: Int

    init(_ text: String, rank: Int = 0) {
      self.text = TerminalText.plain(text)
      self.rank = rank
    }
  }

  private static let shortestBar = 10
  private static let longestBar = 40
  private static let shortestLabel = 16

  /// One line, whatever the terminal's width: facts are left out and the label is shortened before a line would be too
  /// long to be drawn over. The bar takes what they leave.
  static func drawn(_ label: String, share: Double, width: Int, facts: [Fact]) -> String {
    let label = TerminalText.plain(label)
    // Some terminals begin another line when the last column is taken.
    let width = max(0, width - 1)
    var facts = facts
    func length() -> Int { facts.reduce(0) { $0 + TerminalText.columns(of: $1.text) } }
    let least = min(TerminalText.columns(of: label), shortestLabel) + 1 + shortestBar + 1
    while least + length() > width, let rank = facts.map(\.rank).max(), rank > 0 {
      facts.removeAll { $0.rank == rank }
    }
    let room = width - length()
    let text = facts.map(\.text).joined()
    guard room >= least else {
      let shown = TerminalText.end(of: label, columns: max(0, room - 1))
      return TerminalText.beginning(of: shown.isEmpty ? text : shown + " " + text, columns: width)
    }
    let shown = TerminalText.end(of: label, columns: room - shortestBar - 2)
    let bar = min(longestBar, room - TerminalText.columns(of: shown) - 2)
    let filled = Int(min(1, max(0, share)) * Double(bar))
    return shown + " " + String(repeating: "█", count: filled)
      + String(repeating: "░", count: bar - filled) + " " + text
  }
}

/// Numbers for people.
enum Numbers {
  /// `0.42 s`, `3:07 min`.
  static func duration(_ seconds: Double) -> String {
    guard seconds < 60 else {
      let whole = Int(seconds)
      let rest = whole % 60
      return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest) min"
    }
    return "\((seconds * 100).rounded() / 100) s"
  }

  /// `12 s`, `3:07 min`, `2:03:07 h`: parts of a second of what is still to come cannot be known.
  static func timeLeft(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e9)).rounded(.up))
    func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    if whole < 60 { return "\(whole) s" }
    let (minutes, rest) = (whole / 60, twoDigits(whole % 60))
    if minutes < 60 { return "\(minutes):\(rest) min" }
    return "\(minutes / 60):\(twoDigits(minutes % 60)):\(rest) h"
  }
}
