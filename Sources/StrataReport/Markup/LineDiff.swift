/// The lines of two texts side by side: what stays, what goes, what comes (E. W. Myers, 1986).
struct LineDiff {
  enum Line: Equatable {
    case same(String)
    case removed(String)
    case added(String)
    /// So many equal lines are left out.
    case skipped(Int)
  }

  /// Texts of more lines are not compared.
  static let maximumLines = 20_000
  /// Lines that may differ; the comparison takes lines × differences.
  static let maximumChanges = 4_000
  static let context = 3

  let lines: [Line]

  /// Nil for texts that are too long or too different to be compared.
  init?(from older: String, to newer: String) {
    let old = older.split(separator: "\n", omittingEmptySubsequences: false)
    let new = newer.split(separator: "\n", omittingEmptySubsequences: false)
    guard old.count <= Self.maximumLines, new.count <= Self.maximumLines,
      let (removed, added) = ShortestEdit.places(
        from: old, to: new, maximumChanges: Self.maximumChanges)
    else { return nil }
    var all: [Line] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if removed.contains(i) {
        all.append(.removed(String(old[i])))
        i += 1
      } else if added.contains(j) {
        all.append(.added(String(new[j])))
        j += 1
      } else {
        all.append(.same(String(old[i])))
        i += 1
        j += 1
      }
    }
    lines = Self.folded(all)
  }

  /// Without the equal lines that are far from a difference.
  private static func folded(_ all: [Line]) -> [Line] {
    var isNear = Array(repeating: false, count: all.count)
    for (index, line) in all.enumerated() {
      if case .same = line { continue }
      for near in max(0, index - context)...min(all.count - 1, index + context) {
        isNear[near] = true
      }
    }
    var result: [Line] = []
    var skipped = 0
    for (index, line) in all.enumerated() {
      if isNear[index] {
        if skipped > 0 { result.append(.skipped(skipped)) }
        skipped = 0
        result.append(line)
      } else {
        skipped += 1
      }
    }
    if skipped > 0 { result.append(.skipped(skipped)) }
    return result
  }
}
