/// What SQLite's own check says, <https://www.sqlite.org/pragma.html#pragma_integrity_check>.
package enum IntegrityFinding {
  private static let head = "*** in database "
  /// Findings that are asked for, and what is asked for where each of so many was told: what matters may stand behind them.
  package static let limits = [100, 1_000_000]

  /// Looks through what SQLite finds wrong with the whole file, until `body` throws.
  package static func checkWhole(_ database: Database, _ body: (String) throws -> Void) throws {
    for limit in limits where try check(database, String(limit), body) < limit { return }
  }

  /// One finding after the other, as they come: SQLite itself may fail behind one of them.
  ///
  /// - Parameter what: how many findings, or the table that is looked at, as SQL writes it.
  /// - Returns: how many there were.
  package static func check(
    _ database: Database, _ what: String, _ body: (String) throws -> Void
  ) throws -> Int {
    let statement = try database.prepare("PRAGMA main.integrity_check(\(what))")
    defer { statement.reset() }
    var count = 0
    while try statement.step() {
      for line in lines(of: statement.string(at: 0)) {
        try body(line)
        count += 1
      }
    }
    return count
  }

  /// - Parameter answer: one row of the check.
  /// - Returns: what is wrong, a line each; none for `ok`. A finding about a row may have a name of several lines in it.
  package static func lines(of answer: String) -> [String] {
    // Findings about pages stand below a head, each in a line.
    let lines =
      answer.hasPrefix(head)
      ? answer.utf8.split(separator: UInt8(ascii: "\n")).map { String($0) ?? answer } : [answer]
    return lines.filter { $0 != "ok" && !$0.hasPrefix(head) }
  }

  /// Whether SQLite takes a table's name for how many findings are asked for, or may: `2nd` and `0x1F` are such names.
  package static func beginsAsNumber(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first else { return true }
    switch first {
    case "\0"..." ", "+", "-", "0"..."9": return true
    default: return false
    }
  }

  /// Whether a finding is about what a column should hold, or what cannot be looked at here, and not about which rows there are.
  package static func isOfValues(_ finding: String) -> Bool {
    let beginnings = [
      "NULL value in ", "NUMERIC value in ", "TEXT value in ", "CHECK constraint failed in ",
      "unable to validate the inverted index for ",
    ]
    return beginnings.contains { finding.hasPrefix($0) }
      // Of a STRICT table: `non-INT value in`.
      || finding.hasPrefix("non-") && finding.contains(" value in ")
        && !finding.hasPrefix("non-unique ")
  }

  /// Whether a finding is about pages that no table and no index has. SQLite before 3.42 words them otherwise.
  package static func isOfUnusedPages(_ finding: String) -> Bool {
    if finding.hasPrefix("Freelist: ") || finding.hasPrefix("Main freelist: ") { return true }
    return finding.hasPrefix("Page ")
      && (finding.hasSuffix(": never used") || finding.hasSuffix(" is never used"))
  }

  /// Whether a finding is about what a full-text or spatial search keeps of its rows.
  package static func isOfSearch(_ finding: String) -> Bool {
    finding.hasPrefix("malformed inverted index for ") || finding.hasPrefix("In RTree ")
  }
}
