/// What SQLite's own check says, <https://www.sqlite.org/pragma.html#pragma_integrity_check>.
package enum IntegrityFinding {
  private static let head = "*** in database "

  /// - Parameter answer: one row of the check.
  /// - Returns: what is wrong, a line each; none for `ok`. A finding about a row may have a name of several lines in it.
  package static func lines(of answer: String) -> [String] {
    // Findings about pages stand below a head, each in a line.
    let lines =
      answer.hasPrefix(head)
      ? answer.utf8.split(separator: UInt8(ascii: "\n")).map { String($0) ?? answer } : [answer]
    return lines.filter { $0 != "ok" && !$0.hasPrefix(head) }
  }

  /// Whether a finding is about what a column or a search should hold, and not about which rows there are.
  package static func isOfValues(_ finding: String) -> Bool {
    let beginnings = [
      "NULL value in ", "NUMERIC value in ", "TEXT value in ", "CHECK constraint failed in ",
      "malformed inverted index for ", "unable to validate the inverted index for ", "In RTree ",
    ]
    return beginnings.contains { finding.hasPrefix($0) }
      // Of a STRICT table: `non-INT value in`.
      || finding.hasPrefix("non-") && finding.contains(" value in ")
        && !finding.hasPrefix("non-unique ")
  }
}
