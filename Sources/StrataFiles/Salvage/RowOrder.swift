/// Tells which numbers of rows stand in their order.
///
/// A number that is not higher than the one before says that one of both is wrong, and not which: all around them are asked.
enum RowOrder {
  /// Rows that are out of their order together: so many come of a page in the place of another one, and no longer of a damaged number.
  private static let leastOfPage = 8

  /// For each number whether it is in every longest ascending selection of them.
  ///
  /// Where a whole page of rows may stand in the place of another one or the other way round, the rows of one of both are: each of them
  /// is what it says.
  ///
  /// - Parameter floor: numbers that are not above it are in none.
  static func inOrder(_ numbers: [Int64], above floor: Int64) -> [Bool] {
    if isAscending(numbers, above: floor) { return numbers.map { _ in true } }
    let places = numbers.indices.filter { numbers[$0] > floor }
    let before = lengths(places.map { numbers[$0] })
    let behind = Array(lengths(places.reversed().map { -numbers[$0] }).lengths.reversed())
    let longest = before.chain.count
    // How many numbers can be the first of a longest selection, the second, and so on.
    var choices = [Int](repeating: 0, count: longest)
    for (one, other) in zip(before.lengths, behind) where one + other - 1 == longest {
      choices[one - 1] += 1
    }
    var isInOrder = numbers.map { _ in false }
    var doubtful: [Int] = []
    func endDoubt() {
      if doubtful.count >= leastOfPage { for place in doubtful { isInOrder[place] = true } }
      doubtful = []
    }
    for (length, number) in before.chain.enumerated() {
      if choices[length] > 1 {
        doubtful.append(places[number])
      } else {
        endDoubt()
        isInOrder[places[number]] = true
      }
    }
    endDoubt()
    return isInOrder
  }

  private static func isAscending(_ numbers: [Int64], above floor: Int64) -> Bool {
    var last = floor
    for number in numbers {
      guard number > last else { return false }
      last = number
    }
    return true
  }

  /// For each number the length of the longest ascending selection that ends with it, and where the numbers of a longest one stand.
  private static func lengths(_ numbers: [Int64]) -> (lengths: [Int], chain: [Int]) {
    // By length, where the lowest number stands with which a selection can end.
    var ends: [Int] = []
    var lengths: [Int] = []
    var previous: [Int?] = []
    for (place, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      lengths.append(low + 1)
      previous.append(low > 0 ? ends[low - 1] : nil)
      if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var chain: [Int] = []
    var next = ends.last
    while let place = next {
      chain.append(place)
      next = previous[place]
    }
    return (lengths, chain.reversed())
  }
}
