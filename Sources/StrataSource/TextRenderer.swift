/// Findings as people read them: `path:line:column: error: message [STRnnnn]`, the line with a caret span,
/// and the help.
package struct TextRenderer: Sendable {
  /// Longer lines are cut around the span.
  package static let maximumLineLength = 160

  package var usesColour: Bool

  package init(usesColour: Bool = false) { self.usesColour = usesColour }

  package func render(_ diagnostics: Diagnostics) -> String {
    var text = ""
    for diagnostic in diagnostics.sorted {
      text += render(diagnostic, sources: diagnostics.sources)
    }
    return text + (diagnostics.omission.map { $0 + "\n" } ?? "")
  }

  package func render(_ diagnostic: Diagnostic, sources: [String: SourceFile]) -> String {
    let severity = paint(diagnostic.severity.rawValue, diagnostic.severity.colour)
    var text = ""
    if let span = diagnostic.span {
      text += "\(shown(span.path)):\(span.start.line):\(span.start.column): "
    }
    text += "\(severity): \(paint(shown(diagnostic.message), .bold)) [\(diagnostic.code)]\n"
    if let span = diagnostic.span, let source = sources[span.path] {
      text += excerpt(of: source, span: span, mark: "^", colour: diagnostic.severity.colour)
    }
    for label in diagnostic.labels {
      text += "\(shown(label.span.path)):\(label.span.start.line):\(label.span.start.column): "
      text += "\(paint("note", .cyan)): \(shown(label.message))\n"
      if let source = sources[label.span.path] {
        text += excerpt(of: source, span: label.span, mark: "-", colour: .cyan)
      }
    }
    if let help = diagnostic.help { text += "\(gutter)\(paint("help", .green)): \(shown(help))\n" }
    return text
  }

  private var gutter: String { String(repeating: " ", count: 8) }

  /// The span's first line, and under it a caret with tildes for the rest of the span.
  private func excerpt(of source: SourceFile, span: SourceSpan, mark: String, colour: Colour)
    -> String
  {
    let line = source.rangeOfLine(span.start.line)
    let (scalars, start, isWhole) = characters(around: span, in: line, of: source)
    let length = span.end.column - span.start.column
    let stop =
      span.end.line == span.start.line
      ? max(start, min(start + length, scalars.count))
      : scalars.count
    var first = 0
    var last = scalars.count
    if !isWhole || scalars.count > Self.maximumLineLength {
      first = max(0, start - Self.maximumLineLength / 4)
      last = min(scalars.count, first + Self.maximumLineLength)
    }
    var quoted = first > 0 ? "…" : ""
    var under = first > 0 ? " " : ""
    for (index, scalar) in scalars[first..<last].enumerated() {
      quoted.unicodeScalars.append(scalar.shown)
      if first + index < start { under += scalar.padding }
    }
    if last < scalars.count { quoted += "…" }
    let tail = scalars[min(start + 1, last)..<min(max(stop, start + 1), last)]
    let carets = mark + tail.map { String(repeating: "~", count: $0.columns) }.joined()
    let number = String(span.start.line)
    let margin = String(repeating: " ", count: max(0, 5 - number.utf8.count)) + number
    return "\(margin) | \(quoted)\n\(String(repeating: " ", count: 5)) | "
      + "\(under)\(paint(carets, colour))\n"
  }

  /// The characters of a line, or those around a span in it: of a long line that has many findings not all are read for each.
  ///
  /// - Returns: where the span begins among them, and whether the line has no others.
  private func characters(around span: SourceSpan, in line: Range<Int>, of source: SourceFile)
    -> (scalars: [Unicode.Scalar], start: Int, isWhole: Bool)
  {
    let longest = 4 * 2 * Self.maximumLineLength
    guard line.count > 2 * longest else {
      let scalars = Array(source.text(in: line).unicodeScalars)
      return (scalars, min(span.start.column - 1, scalars.count), true)
    }
    let middle = min(max(span.range.lowerBound, line.lowerBound), line.upperBound)
    func isInside(_ offset: Int) -> Bool {
      offset < line.upperBound && source.bytes[offset] & 0xC0 == 0x80
    }
    var (lower, upper) = (
      max(line.lowerBound, middle - longest), min(line.upperBound, middle + longest)
    )
    while lower < middle, isInside(lower) { lower += 1 }
    while upper > middle, isInside(upper) { upper -= 1 }
    let before = Array(source.text(in: lower..<middle).unicodeScalars)
    return (
      before + source.text(in: middle..<upper).unicodeScalars, before.count, false
    )
  }

  /// Text of a user's file in a message must not steer the terminal.
  private func shown(_ message: String) -> String {
    var result = ""
    for scalar in message.unicodeScalars { result.unicodeScalars.append(scalar.shown) }
    return result
  }

  fileprivate enum Colour: String {
    case red = "31"
    case yellow = "33"
    case blue = "34"
    case green = "32"
    case cyan = "36"
    case bold = "1"
  }

  private func paint(_ text: String, _ colour: Colour) -> String {
    usesColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension Severity {
  fileprivate var colour: TextRenderer.Colour {
    switch self {
    case .error: .red
    case .warning: .yellow
    case .info: .blue
    }
  }
}

extension Unicode.Scalar {
  /// What stands under the character in a line of carets: a tab under a tab, so that both are as wide.
  fileprivate var padding: String {
    self == "\t" ? "\t" : String(repeating: " ", count: columns)
  }
}
