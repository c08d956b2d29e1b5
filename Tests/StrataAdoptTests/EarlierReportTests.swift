import StrataAdopt
import Testing

@testable import StrataCLI

/// What a later run reads in the `ADOPTED.md` of an earlier one.
@Suite("The report of an earlier run")
struct EarlierReportTests {
  private func report(_ versions: [Int], _ cells: [String]) -> EarlierReport {
    EarlierReport(
      """
      # What it made

      \(EarlierReport.headOfVersions)

      | version | in the source |
      |---|---|
      \(EarlierReport.row(["7", "a | b"]))

      \(EarlierReport.headOfEntries)

      | versions | entity | property | | reason |
      |---|---|---|---|---|
      \(EarlierReport.row([EarlierReport.text(of: versions)] + cells))

      ## Objects

      | model | objects | | | |
      | version 1 | Note | text | changed | of another table |
      """)
  }

  @Test(
    "A row is read as it was written: empty cells, bars, and bars with an accent or a backslash",
    arguments: [
      ["Note", "text", "changed", "it is | another"], ["", "", "left out", "a \\| b | c\\"],
      ["|", "|\u{301}", "left out", " spaced "], ["Note", "text", "changed", ""],
    ])
  func rows(_ cells: [String]) {
    let report = report([3], cells)

    #expect(
      report.notes(of: 3) == [
        AdoptNote(
          kind: cells[2] == "changed" ? .changed : .leftOut, entity: cells[0],
          property: cells[1].isEmpty ? nil : cells[1], reason: cells[3])
      ])
    #expect(report.notes(of: 1) == [])
    #expect(report.generalNotes == [])
    #expect(report.names == [7: "a | b"])
  }

  @Test(
    "All versions of a row are named, those that follow one another together",
    arguments: [
      ([], ""), ([3], "version 3"), ([1, 2], "versions 1 to 2"),
      ([1, 2, 3, 5, 7, 8], "versions 1 to 3, 5, 7 to 8"),
    ] as [([Int], String)])
  func versions(_ versions: [Int], _ text: String) {
    #expect(EarlierReport.text(of: versions) == text)
    let report = report(versions, ["Note", "", "changed", "why"])
    let note = AdoptNote(kind: .changed, entity: "Note", property: nil, reason: "why")
    #expect((0...9).filter { report.notes(of: $0) == [note] } == versions)
    #expect(report.generalNotes == (versions.isEmpty ? [note] : []))
  }
}
