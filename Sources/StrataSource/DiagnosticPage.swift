/// What there is to say about one kind of finding: the text behind `strata explain` and `docs/diagnostics/`.
package struct DiagnosticPage: Sendable {
  package let kind: DiagnosticKind
  /// Paragraphs of Markdown: why it is a mistake, and what to do.
  package let explanation: String
  /// Files with the mistake; none where no file alone can show it.
  package let failing: [ExampleFile]
  /// Those of the files that a repair changes; none where there is nothing to repair.
  package let repaired: [ExampleFile]
  /// What comes of the failing example, where running it takes more than reading it.
  package let said: String?

  package init(
    _ kind: DiagnosticKind, _ explanation: String, failing: [ExampleFile], repaired: [ExampleFile],
    said: String? = nil
  ) {
    self.said = said
    self.kind = kind
    self.explanation = explanation
    self.failing = failing
    self.repaired = repaired
  }

  /// The page as Markdown.
  ///
  /// - Parameter findings: what the tool says about the failing files.
  package func markdown(findings: String) -> String {
    var text = "# \(kind.code) \(kind.name)\n\n\(kind.summary)\n\n\(explanation)\n\n"
    text += "Severity: \(kind.severity.rawValue).\n\n"
    if !failing.isEmpty {
      text += "## An example\n\n" + Self.listing(failing) + "```text\n\(findings)```\n\n"
    }
    if !repaired.isEmpty { text += "## Repaired\n\n" + Self.listing(repaired) }
    while text.hasSuffix("\n\n") { text.removeLast() }
    return text
  }

  private static func listing(_ files: [ExampleFile]) -> String {
    files.map { file in
      let language =
        file.path.hasSuffix(".yaml")
        ? "yaml"
        : file.path.hasSuffix(".swift")
          ? "swift" : file.path.hasSuffix(".sh") ? "sh" : "text"
      return "`\(file.path)`\n\n```\(language)\n\(file.shownText)```\n\n"
    }.joined()
  }
}

/// A file of an example, as it is shown.
///
/// What cannot be shown is written in angle brackets: `⟨E9⟩` is one byte, and `⟨3 × text №⟩` stands for the
/// text three times, numbered from 1, a line each.
package struct ExampleFile: Sendable {
  package let path: String
  package let shownText: String

  package init(_ path: String, _ shownText: String) {
    self.path = path
    self.shownText = shownText.hasSuffix("\n") ? shownText : shownText + "\n"
  }

  /// The file as it is meant.
  package var source: SourceFile {
    var bytes: [UInt8] = []
    for line in shownText.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      bytes += Self.expand(line)
      bytes.append(0x0A)
    }
    return SourceFile(path: path, bytes: bytes)
  }

  private static func expand(_ line: Substring) -> [UInt8] {
    guard let open = line.firstIndex(of: "⟨"), let close = line.lastIndex(of: "⟩") else {
      return Array(line.utf8)
    }
    let inner = line[line.index(after: open)..<close]
    let before = Array(line[..<open].utf8)
    let after = Array(line[line.index(after: close)...].utf8)
    if let byte = UInt8(inner, radix: 16) { return before + [byte] + after }
    let parts = inner.split(separator: " × ", maxSplits: 1)
    guard parts.count == 2, let count = Int(parts[0]) else { return Array(line.utf8) }
    var lines: [UInt8] = []
    for number in 1...count {
      if number > 1 { lines.append(0x0A) }
      lines += before
      lines +=
        parts[1].split(separator: "№", omittingEmptySubsequences: false)
        .joined(separator: String(number)).utf8
      lines += after
    }
    return lines
  }
}
