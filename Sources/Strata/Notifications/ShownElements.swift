/// What an observer shows that has changed a collection itself, in a transaction that it is not told, before it was told all that came earlier.
///
/// What it was told, with the effect of its own transaction. What else was different when that began is told later.
struct ShownElements<Element: Hashable> {
  /// What it was told last.
  let told: [Element]
  /// What was there when its own transaction began.
  let before: [Element]
  /// What is there behind it.
  let after: [Element]
  /// Whether an element may stand in the collection more than once.
  let mayRepeat: Bool
  /// Whether a value that was put in the place of another one is a modification of that place.
  let joinsReplacements: Bool

  /// What stays before its own transaction's elements.
  private struct Kept {
    /// What it was told, with what was put in the place of elements.
    var elements: [Element] = []
    /// Where those stand among `elements` that stay where they are, by their positions in `after`.
    var anchors: [Int: Int] = [:]
    /// What its own transaction has inserted or moved, by position in `after`.
    var coming: [Int: Element] = [:]
  }

  /// What it shows.
  var elements: [Element] {
    if told == before { return after }
    if before == after { return told }
    let kept = kept()
    // Each that comes stands behind the same element as in the collection.
    var behind: [Int: [Element]] = [:]
    var anchor = -1
    for position in after.indices {
      if let index = kept.anchors[position] {
        anchor = index
      } else if let element = kept.coming[position] {
        behind[anchor, default: []].append(element)
      }
    }
    var result = behind[-1] ?? []
    for (index, element) in kept.elements.enumerated() {
      result.append(element)
      result += behind[index] ?? []
    }
    return result
  }

  private func kept() -> Kept {
    var untold = ArrayDifference(from: told, to: before, mayRepeat: mayRepeat)
    var own = ArrayDifference(from: before, to: after, mayRepeat: mayRepeat)
    if joinsReplacements { _ = untold.joinReplacements() }
    let replaced = Set(joinsReplacements ? own.joinReplacements() : [])
    let (inBefore, inAfter) = (NewPositions(untold), NewPositions(own))
    let (gone, deleted) = (Set(untold.deletions), Set(own.deletions))
    let moved = Set(own.moves.map(\.from))
    var kept = Kept()
    for position in own.insertions { kept.coming[position] = after[position] }
    for (index, element) in told.enumerated() {
      if gone.contains(index) {
        // That it has gone is told later.
        kept.elements.append(element)
        continue
      }
      let old = inBefore.position(of: index)
      if deleted.contains(old) { continue }
      let new = inAfter.position(of: old)
      if moved.contains(old) {
        kept.coming[new] = element
        continue
      }
      kept.anchors[new] = kept.elements.count
      // What was put there before and is not told yet is told later.
      let isOwn = replaced.contains(old) && element == before[old]
      kept.elements.append(isOwn ? after[new] : element)
    }
    return kept
  }
}

extension NewPositions {
  fileprivate init(_ difference: ArrayDifference) {
    self.init(
      deletions: difference.deletions, insertions: difference.insertions, moves: difference.moves)
  }
}
