import Strata

/// Shows an upgrade's progress on a terminal: a bar, the rate and the time left, redrawn in place.
final class ProgressBar {
  private let label: String
  private let isVisible: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?
  private var hasDrawn = false

  /// Redrawing more often than this only costs.
  private static let interval = Duration.milliseconds(80)

  init(label: String, isVisible: Bool) {
    self.label = label
    self.isVisible = isVisible
    start = clock.now
  }

  func update(_ progress: UpgradeProgress) {
    guard isVisible else { return }
    let now = clock.now
    if let lastDrawn, now - lastDrawn < Self.interval { return }
    lastDrawn = now
    hasDrawn = true
    Terminal.write("\r\u{1B}[2K" + line(progress, seconds: (now - start).seconds), to: 2)
  }

  /// Clears the line, so that what follows stands alone.
  func finish() {
    guard hasDrawn else { return }
    Terminal.write("\r\u{1B}[2K", to: 2)
  }

  private func line(_ progress: UpgradeProgress, seconds: Double) -> String {
    let total = max(progress.objectsTotal, 1)
    let share = min(1, Double(progress.objectsDone) / Double(total))
    let what =
      switch progress.phase {
      case .objects: progress.model
      case .indexes: "indexes"
      case .verifying: "verifying"
      case .writing: "writing back"
      }
    let rate = seconds > 0 ? Double(progress.objectsDone) / seconds : 0
    let left = rate > 0 ? Double(total - progress.objectsDone) / rate : 0
    let pass = progress.passCount > 1 ? " pass \(progress.pass)/\(progress.passCount)" : ""
    let facts =
      " \(Int(share * 100))% \(what)\(pass) · \(Numbers.grouped(Int(rate)))/s · "
      + "\(Numbers.duration(left)) left"
    let width = max(10, min(40, Terminal.width - label.count - facts.count - 4))
    let filled = Int(share * Double(width))
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    return "\(label) \(bar)\(facts)"
  }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
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
