/// The fewest elements that are removed and added between two collections: the greedy algorithm of E. W. Myers, "An O(ND)
/// Difference Algorithm and Its Variations", 1986.
enum ShortestEdit {
  /// Where elements of `old` are removed and elements of `new` are added.
  ///
  /// `CollectionDifference` has no bound: it takes minutes for long collections in which the same elements stand in another
  /// order.
  ///
  /// - Returns: nil where more than `maximumChanges` differ.
  /// - Complexity: O((old + new) · `maximumChanges`) in time, O(`maximumChanges`²) in space.
  static func places<Element: Hashable>(
    from old: [Element], to new: [Element], maximumChanges: Int
  ) -> (removed: Set<Int>, added: Set<Int>)? {
    var common = 0
    while common < min(old.count, new.count), old[common] == new[common] { common += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > common, newEnd > common, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    // Numbers are compared faster than lines.
    var numbers: [Element: Int] = [:]
    func number(_ element: Element) -> Int {
      if let known = numbers[element] { return known }
      let next = numbers.count
      numbers[element] = next
      return next
    }
    let a = old[common..<oldEnd].map(number)
    let b = new[common..<newEnd].map(number)
    // What one side has more often than the other differs in any case.
    var excess = Array(repeating: 0, count: numbers.count)
    for number in a { excess[number] += 1 }
    for number in b { excess[number] -= 1 }
    guard excess.reduce(0, { $0 + abs($1) }) <= maximumChanges,
      let found = places(from: a, to: b, limit: maximumChanges)
    else { return nil }
    return (Set(found.removed.map { $0 + common }), Set(found.added.map { $0 + common }))
  }

  /// - Returns: nil where more than `limit` differ.
  private static func places(
    from old: [Int], to new: [Int], limit: Int
  ) -> (removed: [Int], added: [Int])? {
    let limit = min(limit, old.count + new.count)
    // How far into `old` a path comes on each diagonal (place in `old` − place in `new`), from -limit - 1 on.
    var furthest = Array(repeating: 0, count: 2 * limit + 3)
    // The same for each number of changes: of its diagonals, every other one.
    var rounds: [[Int32]] = []
    for changes in 0...limit {
      var round: [Int32] = []
      round.reserveCapacity(changes + 1)
      for diagonal in stride(from: -changes, through: changes, by: 2) {
        let index = diagonal + limit + 1
        let isAddition =
          diagonal == -changes
          || diagonal != changes && furthest[index - 1] < furthest[index + 1]
        var x = isAddition ? furthest[index + 1] : furthest[index - 1] + 1
        var y = x - diagonal
        while x < old.count, y < new.count, old[x] == new[y] {
          x += 1
          y += 1
        }
        furthest[index] = x
        if x >= old.count, y >= new.count { return path(to: diagonal, through: rounds) }
        round.append(Int32(x))
      }
      rounds.append(round)
    }
    return nil
  }

  /// The changes of the path that ends on a diagonal, from the last to the first.
  private static func path(
    to end: Int, through rounds: [[Int32]]
  ) -> (removed: [Int], added: [Int]) {
    var removed: [Int] = []
    var added: [Int] = []
    var diagonal = end
    for changes in stride(from: rounds.count, to: 0, by: -1) {
      let before = rounds[changes - 1]
      func furthest(_ diagonal: Int) -> Int { Int(before[(diagonal + changes - 1) / 2]) }
      if diagonal == -changes
        || diagonal != changes && furthest(diagonal - 1) < furthest(diagonal + 1)
      {
        diagonal += 1
        added.append(furthest(diagonal) - diagonal)
      } else {
        diagonal -= 1
        removed.append(furthest(diagonal))
      }
    }
    return (removed, added)
  }
}
