/// What makes one array of another, in the terms of ``CollectionChange``.
struct ArrayDifference {
  var deletions: [Int] = []
  var insertions: [Int] = []
  var moves: [CollectionMove] = []
  private let prefix: Int

  /// - Parameter mayRepeat: whether an element may stand in an array more than once.
  init<Element: Hashable>(from old: [Element], to new: [Element], mayRepeat: Bool = false) {
    var start = 0
    while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    prefix = start
    if start == oldEnd && start == newEnd { return }
    let (olds, news) = (old[start..<oldEnd], new[start..<newEnd])
    if mayRepeat {
      compare(Occurrence.all(olds), Occurrence.all(news))
    } else {
      compare(Array(olds), Array(news))
    }
  }

  /// Of the parts that are different, in which nothing stands twice.
  private mutating func compare<Element: Hashable>(_ old: [Element], _ new: [Element]) {
    var places: [Element: Int] = [:]
    places.reserveCapacity(new.count)
    for (index, element) in new.enumerated() { places[element] = index }
    var pairs: [(old: Int, new: Int)] = []
    for (index, element) in old.enumerated() {
      if let place = places.removeValue(forKey: element) {
        pairs.append((prefix + index, prefix + place))
      } else {
        deletions.append(prefix + index)
      }
    }
    insertions = places.values.map { $0 + prefix }.sorted()
    // The longest part that stays in order stays where it is; everything else moves.
    let staying = Self.longestIncreasing(pairs.map(\.new))
    for (pair, stays) in zip(pairs, staying) where !stays {
      moves.append(CollectionMove(from: pair.old, to: pair.new))
    }
    moves.sort { $0.to < $1.to }
  }

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty }

  /// A value that was put in the place of another one is a modification of that place.
  /// - Returns: the places in the old array.
  mutating func joinReplacements() -> [Int] {
    // What was deleted and what was inserted stand in one place when the same stays before them.
    guard !deletions.isEmpty, !insertions.isEmpty, moves.isEmpty else { return [] }
    var joined: [Int] = []
    var (oldLeft, newLeft): ([Int], [Int]) = ([], [])
    var (deletion, insertion) = (0, 0)
    while deletion < deletions.count || insertion < insertions.count {
      // Elements that stay, before each of them.
      let keptBeforeDeletion =
        deletion < deletions.count ? deletions[deletion] - deletion : Int.max
      let keptBeforeInsertion =
        insertion < insertions.count ? insertions[insertion] - insertion : Int.max
      // Among those of one place the first goes with the first.
      if keptBeforeDeletion == keptBeforeInsertion {
        joined.append(deletions[deletion])
        deletion += 1
        insertion += 1
      } else if keptBeforeDeletion < keptBeforeInsertion {
        oldLeft.append(deletions[deletion])
        deletion += 1
      } else {
        newLeft.append(insertions[insertion])
        insertion += 1
      }
    }
    deletions = oldLeft
    insertions = newLeft
    return joined
  }

  /// Which elements belong to a longest increasing part.
  static func longestIncreasing(_ numbers: [Int]) -> [Bool] {
    // For each length the position of the smallest last element, and for each element the one before it.
    var ends: [Int] = []
    var previous = Array(repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number {
          low = middle + 1
        } else {
          high = middle
        }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var isPart = Array(repeating: false, count: numbers.count)
    var position = ends.last ?? -1
    while position >= 0 {
      isPart[position] = true
      position = previous[position]
    }
    return isPart
  }
}

/// An element that may stand in an array more than once: which of its kind it is.
struct Occurrence<Element: Hashable>: Hashable {
  let element: Element
  let number: Int

  static func all(_ elements: ArraySlice<Element>) -> [Occurrence] {
    var counts: [Element: Int] = [:]
    return elements.map { element in
      let number = counts[element, default: 0]
      counts[element] = number + 1
      return Occurrence(element: element, number: number)
    }
  }
}
