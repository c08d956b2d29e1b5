import StrataSource
import Testing

@Suite struct SourceFileTests {
  @Test(arguments: [
    (0, "1:1"), (1, "1:2"), (3, "2:1"), (4, "3:1"), (6, "3:2"), (9, "3:3"), (13, "3:4"),
    (14, "3:5"), (15, "4:1"), (99, "4:1"),
  ])
  func placesCountLinesAndScalars(offset: Int, place: String) {
    // CR LF, CR and LF end a line; é, € and an emoji are one column each.
    let file = SourceFile(path: "a", text: "a\r\n\ré€😀\t\n")
    let location = file.location(at: offset)
    #expect("\(location.line):\(location.column)" == place)
  }

  @Test(arguments: [
    ("a\r\nb\n", "\r\n"), ("a\nb\r\n", "\n"), ("a\rb", "\r"), ("a\r", "\r"), ("a", "\n"),
    ("", "\n"),
  ])
  func linesThatAreAddedEndAsTheFirstDoes(text: String, lineBreak: String) {
    #expect(SourceFile(path: "a", text: text).lineBreak == lineBreak)
  }

  /// Characters are counted by blocks of bytes; a block may end within one.
  @Test func columnsOfALongLineAreCharacters() {
    let file = SourceFile(path: "a.yaml", text: "ab\n" + String(repeating: "€", count: 3000) + "x")
    for character in [0, 1, 340, 341, 342, 1000, 2999, 3000] {
      #expect(
        file.location(at: 3 + 3 * character) == SourceLocation(line: 2, column: character + 1))
    }
    #expect(file.location(at: .max) == SourceLocation(line: 2, column: 3002))
  }

  @Test func aByteOrderMarkTakesNoColumn() {
    let file = SourceFile(path: "a", text: "\u{FEFF}ab\nc")
    #expect(file.location(at: 3) == SourceLocation(line: 1, column: 1))
    #expect(file.location(at: 4) == SourceLocation(line: 1, column: 2))
    #expect(file.text(in: file.rangeOfLine(1)) == "ab")
    #expect(file.text(in: file.rangeOfLine(2)) == "c")
    #expect(file.rangeOfLine(3).isEmpty)
  }

  @Test func aPathsLastPartIsTheName() {
    #expect(SourceFile(path: "a/b.yaml", text: "").name == "b.yaml")
    #expect(SourceFile(path: "b.yaml", text: "").name == "b.yaml")
  }

  @Test func findingsAreSortedAndBounded() {
    let kind = DiagnosticKind("STR9001", "advice", "Something.", severity: .warning)
    let file = SourceFile(path: "b", text: "abc")
    let other = SourceFile(path: "a", text: "abc")
    var diagnostics = Diagnostics()
    diagnostics.report(kind, "3", at: file.span(1..<2))
    diagnostics.report(kind, "2", at: file.span(0..<1))
    diagnostics.report(kind, "1", at: other.span(2..<3))
    diagnostics.report(kind, "2", at: file.span(0..<1))
    diagnostics.report(kind, "0", at: nil)
    #expect(diagnostics.sorted.map(\.message) == ["0", "1", "2", "3"])
    #expect(!diagnostics.hasErrors)
    for number in 0..<Diagnostics.maximumCount {
      diagnostics.report(kind, "\(number)", at: file.span(0..<1))
    }
    #expect(diagnostics.omittedCount == 5)
  }

  @Test func anErrorIsKeptBehindManyHints() {
    let hint = DiagnosticKind("STR9001", "advice", "Something.", severity: .info)
    let error = DiagnosticKind("STR9002", "mistake", "Something else.")
    var diagnostics = Diagnostics()
    for number in 1...Diagnostics.maximumCount + 1 {
      diagnostics.report(hint, "\(number)", at: nil)
    }
    for name in ["a", "b"] { diagnostics.report(error, name, at: nil) }

    // The last hints give their places.
    let kept = diagnostics.sorted.map(\.message)
    #expect(kept.count == 10_000)
    #expect(Array(kept.suffix(3)) == ["9998", "a", "b"])
    #expect(diagnostics.count == 10_003)
    #expect(diagnostics.omittedCount == 3)
    #expect(diagnostics.omittedCount(of: .info) == 3)
    #expect(diagnostics.errorCount == 2)
    #expect(diagnostics.hasFindings(from: .error))
    // A hint more does not take the place of anything.
    diagnostics.report(hint, "10002", at: nil)
    #expect(diagnostics.sorted.map(\.message) == kept)

    let shown = diagnostics.withoutHints
    #expect(shown.sorted.map(\.message) == ["a", "b"])
    #expect(shown.omission == nil)
  }

  @Test func errorsThatAreNotKeptCount() {
    let error = DiagnosticKind("STR9002", "mistake", "Something else.")
    let hint = DiagnosticKind("STR9001", "advice", "Something.", severity: .info)
    var many = Diagnostics()
    for number in 1...Diagnostics.maximumCount + 7 { many.report(error, "\(number)", at: nil) }
    var all = Diagnostics()
    all.report(hint, "first", at: nil)
    all.append(many)

    #expect(all.errorCount == 10_007)
    #expect(all.omittedCount(of: .error) == 7)
    #expect(all.omittedCount(of: .info) == 1)
    #expect(all.renamingPaths { $0 }.errorCount == 10_007)
    #expect(all.withoutHints.errorCount == 10_007)
    #expect(all.withoutHints.omittedCount == 7)
    #expect(!Diagnostics().hasFindings(from: .info))
  }
}
