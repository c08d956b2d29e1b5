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
  /// Whether elements are compared that may be equal to each other.
  let mayRepeat: Bool
  /// Whether it is a list: what is inserted stands beside an equal element, not in its place, and a value that was put in the place of another one is a
  /// modification of that place.
  let isList: Bool

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
    if isList { _ = untold.joinReplacements() }
    let replaced = Set(isList ? own.joinReplacements() : [])
    let (inBefore, inAfter) = (NewPositions(untold), NewPositions(own))
    let (gone, deleted) = (Set(untold.deletions), Set(own.deletions))
    let moved = Set(own.moves.map(\.from))
    var kept = Kept()
    for position in own.insertions { kept.coming[position] = after[position] }
    var returns = Returns<Element>()
    if !isList, !gone.isEmpty, !own.insertions.isEmpty {
      let staying = told.indices.lazy.filter { !gone.contains($0) }.map(inBefore.position)
      returns = Returns(
        of: own.insertions, in: after,
        behind: staying.filter { !deleted.contains($0) && !moved.contains($0) }
          .map(inAfter.position))
    }
    for (index, element) in told.enumerated() {
      if gone.contains(index) {
        if let (new, stays) = returns.take(element) {
          // It is shown already: once, and where it is if that is where it belongs.
          if stays {
            kept.coming[new] = nil
            kept.anchors[new] = kept.elements.count
            kept.elements.append(element)
          }
          continue
        }
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
      returns.pass(new)
      // What was put there before and is not told yet is told later.
      let isOwn = replaced.contains(old) && element == before[old]
      kept.elements.append(isOwn ? after[new] : element)
    }
    return kept
  }
}

/// Elements that had gone, which is not told, and that its own transaction has brought back.
private struct Returns<Element: Hashable> {
  /// Their positions in the new collection, the first one last.
  private var positions: [Element: [Int]] = [:]
  /// Behind which of the elements that stay each position stands, by the positions of both.
  private var anchors: [Int: Int] = [:]
  /// The last element that stays, and the last one that was brought back behind it, among those that were passed.
  private var anchor = -1
  private var last = -1

  init() {}

  /// - Parameters:
  ///   - insertions: the new positions of what its own transaction has inserted.
  ///   - staying: those of the elements that it was told and that stay.
  init(of insertions: [Int], in after: [Element], behind staying: [Int]) {
    for position in insertions.reversed() {
      positions[after[position], default: []].append(position)
    }
    let staying = staying.sorted()
    var passed = 0
    for position in insertions {
      while passed < staying.count, staying[passed] < position { passed += 1 }
      anchors[position] = passed == 0 ? -1 : staying[passed - 1]
    }
  }

  /// An element that stays.
  mutating func pass(_ position: Int) { (anchor, last) = (position, -1) }

  /// An element that it was told and that had gone.
  /// - Returns: its new position, and whether that is between the same elements; nil where it is still gone.
  mutating func take(_ element: Element) -> (position: Int, stays: Bool)? {
    guard let position = positions[element]?.popLast() else { return nil }
    let stays = anchors[position] == anchor && position > last
    if stays { last = position }
    return (position, stays)
  }
}

extension NewPositions {
  fileprivate init(_ difference: ArrayDifference) {
    self.init(
      deletions: difference.deletions, insertions: difference.insertions, moves: difference.moves)
  }
}
