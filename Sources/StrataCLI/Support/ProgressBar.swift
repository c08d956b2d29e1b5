import Strata

/// Shows an upgrade's progress on a terminal: a bar, the rate and the time left, redrawn in place.
final class ProgressBar {
  private let label: String
  private let isVisible: Bool
  private let clock = ContinuousClock()
  private var lastDrawn: ContinuousClock.Instant?
  private var hasDrawn = false

  /// Redrawing more often than this only costs.
  private static let interval = Duration.milliseconds(80)

  init(label: String, isVisible: Bool) {
    self.label = label
    self.isVisible = isVisible
  }

  func update(_ progress: UpgradeProgress) {
    guard isVisible else { return }
    let now = clock.now
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    hasDrawn = true
    Terminal.write("\r\u{1B}[2K" + Self.line(label, progress, width: Terminal.width), to: 2)
  }

  /// Clears the line, so that what follows stands alone.
  func finish() {
    guard hasDrawn else { return }
    Terminal.write("\r\u{1B}[2K", to: 2)
  }

  /// A bar with what an upgrade does, how fast, and for how long still.
  static func line(_ label: String, _ progress: UpgradeProgress, width: Int) -> String {
    let step = progress.stepCount > 1 ? " step \(progress.step)/\(progress.stepCount)" : ""
    let pass = progress.passCount > 1 ? " pass \(progress.pass)/\(progress.passCount)" : ""
    return drawn(
      label, share: progress.fraction, width: width,
      facts: " \(percent(progress.fraction)) \(activity(progress))\(step)\(pass) · "
        + "\(Numbers.grouped(Int(progress.objectsPerSecond)))/s"
        + (progress.timeLeft.map { " · \(Numbers.duration($0.seconds)) left" } ?? ""))
  }

  static func activity(_ progress: UpgradeProgress) -> String {
    switch progress.phase {
    case .objects: progress.model
    case .indexes: "indexes"
    case .verifying: "verifying"
    case .writing: "writing back"
    }
  }

  static func percent(_ share: Double) -> String { "\(Int(min(1, max(0, share)) * 100))%" }

  /// The bar takes what its label and the facts leave of the terminal's width.
  static func drawn(_ label: String, share: Double, width: Int, facts: String) -> String {
    let length = max(10, min(40, width - label.count - facts.count - 4))
    let filled = Int(min(1, max(0, share)) * Double(length))
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: length - filled)
    return "\(label) \(bar)\(facts)"
  }
}

/// Numbers for people.
enum Numbers {
  /// `1,234,567`.
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
  }

  /// `0.42 s`, `3:07 min`.
  static func duration(_ seconds: Double) -> String {
    guard seconds < 60 else {
      let whole = Int(seconds)
      let rest = whole % 60
      return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest) min"
    }
    return "\((seconds * 100).rounded() / 100) s"
  }

  /// `3.2 MB`, in powers of ten.
  static func bytes(_ count: Int) -> String {
    var value = Double(count)
    for unit in ["bytes", "kB", "MB", "GB"] {
      if value < 1000 {
        return unit == "bytes" ? "\(count) bytes" : "\((value * 10).rounded() / 10) \(unit)"
      }
      value /= 1000
    }
    return "\((value * 10).rounded() / 10) TB"
  }
}
