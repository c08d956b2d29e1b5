import StrataAdopt

/// What the `ADOPTED.md` of an earlier run says of versions: a later run keeps it of those that its source does not have.
struct EarlierReport {
  private struct Entry {
    let note: AdoptNote
    /// Empty for what is not about one version.
    let versions: [ClosedRange<Int>]
  }

  static let headOfVersions = "## Versions"
  static let headOfEntries = "## Not as it was"

  /// What the source called each version.
  private(set) var names: [Int: String] = [:]
  private var entries: [Entry] = []

  init(_ report: String) {
    var section = ""
    for line in report.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "## ".utf8) { section = String(decoding: line, as: UTF8.self) }
      guard let cells = Self.cells(of: line) else { continue }
      switch section {
      case Self.headOfVersions where cells.count == 2:
        if let number = Int(cells[0]) { names[number] = cells[1] }
      case Self.headOfEntries where cells.count == 5:
        // Not of the line of names, and of the one below it.
        guard let kind = Self.kinds.first(where: { $0.word == cells[3] })?.kind else { continue }
        entries.append(
          Entry(
            note: AdoptNote(
              kind: kind, entity: cells[1], property: cells[2].isEmpty ? nil : cells[2],
              reason: cells[4]), versions: Self.versions(in: cells[0])))
      default: continue
      }
    }
  }

  /// What is not as it was in a version.
  func notes(of number: Int) -> [AdoptNote] {
    entries.filter { $0.versions.contains { $0.contains(number) } }.map(\.note)
  }

  /// What is not about one version.
  var generalNotes: [AdoptNote] { entries.filter(\.versions.isEmpty).map(\.note) }

  // MARK: - Cells

  private static let kinds: [(kind: AdoptNote.Kind, word: String)] = [
    (.leftOut, "left out"), (.changed, "changed"),
  ]

  static func word(for kind: AdoptNote.Kind) -> String {
    kinds.first { $0.kind == kind }?.word ?? kind.rawValue
  }

  /// A line of a table. A bar in a cell has a backslash before it.
  static func row(_ cells: [String]) -> String {
    // By bytes: a bar with an accent on it is a bar.
    let escaped = cells.map { cell in
      let line = cell.split(whereSeparator: \.isNewline).joined(separator: " ")
      return String(
        decoding: line.utf8.flatMap { $0 == bar ? [backslash, $0] : [$0] }, as: UTF8.self)
    }
    return "| \(escaped.joined(separator: " | ")) |"
  }

  /// The cells of a line that `row` has made; nil for another line.
  private static func cells(of line: Substring.UTF8View) -> [String]? {
    guard line.starts(with: "| ".utf8), line.suffix(2).elementsEqual(" |".utf8), line.count >= 4
    else { return nil }
    var cells: [[UInt8]] = [[]]
    for byte in line.dropFirst(2).dropLast(2) {
      let last = cells.count - 1
      if byte != bar {
        cells[last].append(byte)
      } else if cells[last].last == backslash {
        cells[last].removeLast()
        cells[last].append(bar)
      } else {
        cells.append([])
      }
    }
    let last = cells.count - 1
    // A space stands on both sides of each bar.
    return cells.enumerated().map { place, cell in
      let inner = cell.dropFirst(place == 0 ? 0 : 1).dropLast(place == last ? 0 : 1)
      return String(decoding: inner, as: UTF8.self)
    }
  }

  private static let bar = UInt8(ascii: "|")
  private static let backslash = UInt8(ascii: "\\")

  // MARK: - Versions

  /// All versions of a row, those that follow one another together: `versions 1 to 3, 7`.
  ///
  /// - Parameter versions: in order.
  static func text(of versions: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for version in versions {
      if let range = ranges.last, range.upperBound + 1 == version {
        ranges[ranges.count - 1] = range.lowerBound...version
      } else {
        ranges.append(version...version)
      }
    }
    if ranges.isEmpty { return "" }
    let list = ranges.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    return (versions.count == 1 ? "version " : "versions ") + list.joined(separator: ", ")
  }

  private static func versions(in text: String) -> [ClosedRange<Int>] {
    guard let space = text.firstIndex(of: " ") else { return [] }
    return text[space...].split(separator: ",").compactMap { part in
      let bounds = part.split(separator: " ").compactMap { Int($0) }
      guard let first = bounds.first, let last = bounds.last, first <= last else { return nil }
      return first...last
    }
  }
}
