import StrataExpression
package import StrataHistory
import StrataSchema
package import StrataSource

/// A lock as its file says it, and where.
package struct LockReading: Sendable {
  package let lock: VersionLock
  /// The line of each version.
  package let spans: [Int: SourceSpan]
}

/// Reads `schema.lock`.
package enum LockReader {
  /// All errors are reported at once; nil where there is any.
  package static func read(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics
  ) -> LockReading? {
    diagnostics.add(file)
    let errorsBefore = diagnostics.errorCount
    guard file.bytes.count <= SourceFile.maximumSize, file.lineCount <= VersionLock.maximumLines
    else {
      diagnostics.report(
        HistoryDiagnostic.lockInvalid, "the lock is too large to be one", at: file.span(0..<0),
        help: restore)
      return nil
    }
    guard checkHeader(file, reporting: &diagnostics) else { return nil }
    if file.bytes.last != 0x0A {
      diagnostics.report(
        HistoryDiagnostic.lockInvalid, "the lock ends within a line",
        at: file.span(file.rangeOfLine(file.lineCount)), help: restore)
    }
    var lines: [VersionLock.Line] = []
    var spans: [Int: SourceSpan] = [:]
    for number in 2...max(2, file.lineCount) {
      let range = file.rangeOfLine(number)
      guard !range.isEmpty else {
        // The text ends with a line break, so that the last line is empty.
        guard number < file.lineCount else { break }
        diagnostics.report(
          HistoryDiagnostic.lockInvalid, "the lock has an empty line", at: file.span(range),
          help: restore)
        continue
      }
      let text = file.text(in: range)
      let span = file.span(range)
      if ["<<<<<<<", "=======", ">>>>>>>"].contains(where: text.hasPrefix) {
        diagnostics.report(
          HistoryDiagnostic.versionCollision, "git could not merge the lock", at: span,
          help: "keep the other branch's lines and run 'strata freeze --rebase' for ours")
        return nil
      }
      guard let line = VersionLock.Line(text: text) else {
        diagnostics.report(
          HistoryDiagnostic.lockInvalid, "this is no line of a lock", at: span,
          help: "a line is: version date=… shape=… step=… chain=…; \(restore)")
        continue
      }
      if let first = spans[line.version] {
        diagnostics.report(
          HistoryDiagnostic.versionCollision, "version \(line.version) is frozen twice", at: span,
          labels: [Diagnostic.Label("it stands here first", at: first)],
          help: "keep the other branch's line and run 'strata freeze --rebase' for ours")
        continue
      }
      if let last = lines.last, last.version > line.version {
        if let fork = VersionLock(lines: lines + [line]).fork(before: line) {
          diagnostics.report(
            HistoryDiagnostic.versionCollision, fork.message, at: span,
            labels: spans[fork.other].map {
              [Diagnostic.Label("the other branch's is here", at: $0)]
            } ?? [], help: rebase)
          continue
        }
        diagnostics.report(
          HistoryDiagnostic.lockInvalid,
          "version \(line.version) stands behind version \(last.version)", at: span, help: restore)
      }
      spans[line.version] = span
      lines.append(line)
    }
    guard diagnostics.errorCount == errorsBefore else { return nil }
    return LockReading(lock: VersionLock(lines: lines), spans: spans)
  }

  /// The lines of a damaged lock that are whole, for a repair. Of one version there may be several, as git leaves them.
  package static func wholeLines(of file: SourceFile) -> [VersionLock.Line] {
    guard file.bytes.count <= SourceFile.maximumSize, file.lineCount <= VersionLock.maximumLines
    else { return [] }
    return (1...max(1, file.lineCount)).compactMap {
      VersionLock.Line(text: file.text(in: file.rangeOfLine($0)))
    }
  }

  /// The first line of a lock, which names how its digests are made; nil where it is that of no lock.
  package static func algorithm(of file: SourceFile) -> String? {
    let text = file.text(in: file.rangeOfLine(1))
    return text.hasPrefix("strata-lock ") ? text : nil
  }

  static let rebase = "'strata freeze --rebase' puts ours on top of theirs"

  static let restore =
    "restore it from version control, or let 'strata freeze --repair' show and mend it"

  private static func checkHeader(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics
  ) -> Bool {
    let range = file.rangeOfLine(1)
    let text = file.text(in: range)
    if text == VersionLock.header { return true }
    let isNewer = text.hasPrefix("strata-lock ")
    diagnostics.report(
      HistoryDiagnostic.lockInvalid,
      isNewer
        ? "the lock is of a newer kind: \(text)"
        : "the lock does not begin with '\(VersionLock.header)'",
      at: file.span(range), help: isNewer ? "use a newer strata" : restore)
    return false
  }
}

extension VersionLock.Line {
  /// Reads exactly what `text` writes.
  fileprivate init?(text: String) {
    // The reason is the one field that may hold spaces; it stands between quotes that it has none of itself.
    let quoted = text.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
      .map { String($0) }
    var (plain, because): (String, String?) = (text, nil)
    if quoted.count == 3, quoted[0].hasSuffix(" because="), Self.isReason(quoted[1]) {
      (plain, because) = (String(quoted[0].dropLast(" because=".count)) + quoted[2], quoted[1])
    }
    let fields = plain.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var rest = fields.dropFirst()
    func next(_ key: String) -> String? {
      guard let field = rest.first, field.hasPrefix(key + "=") else { return nil }
      rest.removeFirst()
      return String(field.dropFirst(key.count + 1))
    }
    guard let version = Int(fields[0]), (0...Int(Int32.max)).contains(version),
      let date = next("date"), date.utf8.count == 10, DateText.parse(date) != nil,
      let shape = next("shape").flatMap({ Digest($0) })
    else { return nil }
    let rules = next("rules").flatMap { Digest($0) }
    let cases = next("cases").flatMap { Digest($0) }
    guard let stepText = next("step"), let chain = next("chain").flatMap({ Digest($0) }) else {
      return nil
    }
    let step = Digest(stepText)
    guard step != nil || stepText == "-" else { return nil }
    self.init(
      version: version, date: date, shape: shape, rules: rules, cases: cases, step: step,
      because: because, chain: chain)
    // A digest that is none, or a field too many, is not written again.
    guard self.text == text else { return nil }
  }
}

extension VersionLock {
  /// What a merge that kept the lines of both branches leaves: a line that was sealed behind one further up, as if those
  /// between were not there. Nil for a line whose seal fits nowhere.
  func fork(before line: Line) -> (other: Int, message: String)? {
    guard let index = lines.firstIndex(of: line), index > 0 else { return nil }
    // The line behind the one that both came from has to fit there, too: else lines were swapped.
    let earlier = [nil] + lines[..<(index - 1)].map(Optional.some)
    let fork = Array(zip(earlier, lines)).last { base, next in
      line.chain == line.sealed(after: base?.chain) && next.chain == next.sealed(after: base?.chain)
    }
    guard let fork else { return nil }
    let from = fork.0.map { "behind version \($0.version)" } ?? "as the first one"
    let other = lines[index - 1].version
    return (
      other,
      "version \(line.version) was sealed \(from), and so was version \(other): two branches froze side by side"
    )
  }
}
