/// Finds the name that was most likely meant.
package enum NearestName {
  /// Longer names are not compared; no keyword and no declarable name is longer.
  package static let maximumLength = 63

  /// The candidate that takes the fewest single-character edits, at most a third of the name's length;
  /// upper and lower case count little. Nil where nothing is near.
  package static func find(_ name: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.utf8)
    guard !wanted.isEmpty, wanted.count <= maximumLength else { return nil }
    let lowered = wanted.map(lowercase)
    let letters = letterSet(lowered)
    let limit = max(1, wanted.count / 3)
    var best: (distance: Int, name: String)?
    for candidate in candidates {
      let count = candidate.utf8.count
      guard abs(count - wanted.count) <= limit, candidate != name else { continue }
      let allowed = min(limit, (best?.distance ?? limit + 1) - 1)
      guard allowed >= 0 else { break }
      // An edit changes two letters of the set at most, so that most candidates need no closer look.
      let difference = letters ^ letterSet(candidate.utf8.lazy.map(lowercase))
      guard difference.nonzeroBitCount <= 2 * allowed,
        let found = distance(lowered, candidate.utf8.map(lowercase), limit: allowed)
      else { continue }
      best = (found, candidate)
    }
    return best?.name
  }

  /// Which letters occur, by their last six bits.
  private static func letterSet(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
  }

  /// Edit distance with swaps of neighbours as one edit; nil above the limit.
  private static func distance(_ a: [UInt8], _ b: [UInt8], limit: Int) -> Int? {
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
