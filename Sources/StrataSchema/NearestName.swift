/// Finds the name that was most likely meant.
package enum NearestName {
  /// Longer names are not compared; no keyword and no declarable name is longer.
  package static let maximumLength = 63
  /// Where more candidates are equally near, none of them is worth naming.
  package static let maximumCount = 3

  /// The candidate that is nearer than every other one. Nil where nothing is near, or several are equally.
  package static func find(_ name: String, among candidates: some Sequence<String>) -> String? {
    let near = all(name, among: candidates)
    return near.count == 1 ? near[0] : nil
  }

  /// The candidates that take the fewest single-character edits, at most a third of the name's length, so that a part of both
  /// stays: a name of one letter is near to itself alone. Upper and lower case count little.
  package static func all(_ name: String, among candidates: some Sequence<String>) -> [String] {
    let wanted = folded(name)
    guard !wanted.isEmpty, wanted.count <= maximumLength else { return [] }
    let letters = letterSet(wanted)
    var best = min(max(1, wanted.count / 3), wanted.count - 1)
    var near: [String] = []
    for candidate in candidates where candidate != name {
      let scalars = candidate.unicodeScalars.lazy.map(folded)
      // An edit changes two letters of the set at most, so that most candidates need no closer look.
      guard abs(candidate.unicodeScalars.count - wanted.count) <= best,
        (letters ^ letterSet(scalars)).nonzeroBitCount <= 2 * best,
        let found = distance(wanted, Array(scalars), limit: best),
        found < candidate.unicodeScalars.count, !near.contains(candidate)
      else { continue }
      if found < best { near = [] }
      best = found
      near.append(candidate)
    }
    return near.count > maximumCount ? [] : near
  }

  /// "did you mean 'a' or 'b'?", of all that are equally near; nil where nothing is near.
  package static func question(_ name: String, among candidates: some Sequence<String>) -> String? {
    question(all(name, among: candidates))
  }

  package static func question(_ near: [String]) -> String? {
    guard let last = near.last else { return nil }
    let others = near.dropLast().map { "'\($0)'" }.joined(separator: ", ")
    return "did you mean \(others.isEmpty ? "" : others + " or ")'\(last)'?"
  }

  /// Which letters occur, by their last six bits.
  private static func letterSet(_ letters: some Sequence<UInt32>) -> UInt64 {
    letters.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  private static func folded(_ name: String) -> [UInt32] { name.unicodeScalars.map(folded) }

  private static func folded(_ letter: Unicode.Scalar) -> UInt32 {
    ("A"..."Z").contains(letter) ? letter.value + 32 : letter.value
  }

  /// Edit distance with swaps of neighbours as one edit; nil above the limit.
  private static func distance(_ a: [UInt32], _ b: [UInt32], limit: Int) -> Int? {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in b.indices {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      guard row.contains(where: { $0 <= limit }) else { return nil }
      beforeLast = last
      last = row
    }
    return last[b.count] <= limit ? last[b.count] : nil
  }
}
