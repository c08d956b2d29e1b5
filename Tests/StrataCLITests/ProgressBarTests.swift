import Strata
import Testing

@testable import StrataCLI

/// The line that tells of an upgrade on a terminal: a bar, the rate, the time left and the step, on one line whatever the width.
@Suite struct ProgressBarTests {
  private static let progress: UpgradeProgress = {
    var progress = UpgradeProgress(
      phase: .objects, pass: 2, passCount: 3, model: "Person", objectsDone: 500_000,
      objectsTotal: 1_000_000)
    progress.step = 4
    progress.stepCount = 5
    progress.fraction = 0.5
    progress.elapsed = .seconds(100)
    return progress
  }()

  private func line(_ label: String = "people.db", width: Int) -> String {
    ProgressBar.line(label, Self.progress, width: width)
  }

  @Test func saysEverythingWhereThereIsRoom() {
    #expect(
      line(width: 120) == """
        people.db ████████████████████░░░░░░░░░░░░░░░░░░░░ \
        50% Person step 4/5 pass 2/3 · 5,000/s · 1:40 min left
        """)
    #expect(
      line(width: 80) == """
        people.db ███████░░░░░░░ 50% Person step 4/5 pass 2/3 · 5,000/s · 1:40 min left
        """)
  }

  @Test func leavesOutWhatANarrowTerminalHasNoRoomFor() {
    #expect(line(width: 60) == "people.db ██████░░░░░░░ 50% Person step 4/5 · 1:40 min left")
    #expect(line(width: 43) == "people.db ██████░░░░░░ 50% Person step 4/5")
    #expect(line(width: 32) == "people.db 50% Person step 4/5")
    #expect(line(width: 10) == "50% Perso")
  }

  @Test func showsTheEndOfALongPath() {
    let line = line("fleet/europe/customers/2026/people.db", width: 80)
    #expect(line.hasPrefix("…") && line.contains("people.db █████░░░░░ 50%"), "\(line)")
  }

  @Test(arguments: 0...220) func isNeverLongerThanTheTerminal(width: Int) {
    for label in ["a.db", String(repeating: "x", count: 300), String(repeating: "人", count: 90)] {
      #expect(TerminalText.columns(of: line(label, width: width)) <= max(0, width - 1))
    }
  }

  @Test(arguments: [(0.2, "1 s"), (59, "59 s"), (61, "1:01 min"), (7384, "2:03:04 h")])
  func timeLeft(seconds: Double, text: String) {
    #expect(Numbers.timeLeft(seconds) == text)
  }

  @Test func whatWouldMoveTheCursorIsSpelledOut() {
    #expect(TerminalText.plain("a\nb\u{1B}[31m\t.db") == #"a\nb\u{1B}[31m\t.db"#)
    #expect(TerminalText.plain("ünï 人.db") == "ünï 人.db")
  }

  @Test(arguments: [
    ("ab", "ab  |", "  ab|"), ("人", "人  |", "  人|"), ("e\u{301}🚀", "e\u{301}🚀 |", " e\u{301}🚀|"),
  ])
  func columnsOfATableAreAsWideAsTheyLook(text: String, left: String, right: String) {
    #expect(text.padded(to: 4) + "|" == left)
    #expect(text.leftPadded(to: 4) + "|" == right)
  }

  /// Of many files: how many are done, and which one is in hand.
  @Test(arguments: [20, 40, 80, 120, 200]) func aFleetIsOneLineToo(width: Int) {
    let files = (1...3).map { FileSelection.File(path: "fleet/\($0)/customers.db", size: 1000) }
    let report = FleetReport(files: files, showsBar: false, showsLines: false)
    report.update(files[1].path, Self.progress)
    let line = report.line(width: width, elapsed: .seconds(10))
    #expect(TerminalText.columns(of: line) < width)
    #expect(line.hasPrefix("0/3 files "), "\(line)")
    if width >= 120 {
      #expect(
        line.contains("16% · 50,000/s · 51 s left · fleet/2/customers.db · Person step 4/5"),
        "\(line)")
    }
  }
}
