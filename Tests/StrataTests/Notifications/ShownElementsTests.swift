import Testing

@testable import Strata

/// What an observer shows behind a transaction of its own, for all small collections in which nothing stands twice.
@Suite struct ShownElementsTests {
  /// All arrangements of some of the first numbers.
  private static func arrangements(of count: Int) -> [[Int]] {
    var all: [[Int]] = [[]]
    var last = all
    for _ in 0..<count {
      last = last.flatMap { start in
        (1...count).filter { !start.contains($0) }.map { start + [$0] }
      }
      all += last
    }
    return all
  }

  /// Which of them are which does not matter: those that were told are 1, 2, 3 in this order.
  private func forEachCase(
    _ check: (_ told: [Int], _ before: [Int], _ after: [Int], _ shown: [Int]) -> Void
  ) {
    let all = Self.arrangements(of: 3)
    for count in 0...3 {
      let told = Array([1, 2, 3].prefix(count))
      for before in all {
        for after in all {
          for mayRepeat in [false, true] {
            let shown = ShownElements(
              told: told, before: before, after: after, mayRepeat: mayRepeat, isList: false)
            check(told, before, after, shown.elements)
          }
        }
      }
    }
  }

  /// Those that its own transaction has brought, those that it was told and has not removed itself, and each once.
  @Test func whatIsShown() {
    forEachCase { told, before, after, shown in
      let expected = [1, 2, 3].filter { element in
        before.contains(element) == after.contains(element)
          ? told.contains(element) : after.contains(element)
      }
      #expect(shown.sorted() == expected, "\(told), then \(before), then \(after)")
    }
  }

  /// What it was told stays as it was told, unless it has moved it itself.
  @Test func whereThatStandsWhichItHasNotMoved() {
    forEachCase { told, before, after, shown in
      let own = ArrayDifference(from: before, to: after)
      let moved = own.moves.map { before[$0.from] }
      // In the collection, too, those that it shows stand as they did.
      let rest = told.filter { !moved.contains($0) }
      guard after.filter(rest.contains) == rest.filter(after.contains) else { return }
      #expect(
        shown.filter(rest.contains) == rest.filter(shown.contains),
        "\(told), then \(before), then \(after)")
    }
  }

  /// What its own transaction has brought or moved stands behind the element behind which it stands in the collection, among those that stay.
  @Test func whereThatStandsWhichComes() {
    forEachCase { told, before, after, shown in
      let own = ArrayDifference(from: before, to: after)
      let coming = own.insertions.map { after[$0] } + own.moves.map { before[$0.from] }
      let staying = told.filter { before.contains($0) && after.contains($0) }
        .filter { !coming.contains($0) }
      func anchor(_ element: Int, _ elements: [Int]) -> Int? {
        elements.prefix { $0 != element }.last(where: staying.contains)
      }
      for element in coming where shown.contains(element) {
        #expect(
          anchor(element, shown) == anchor(element, after),
          "\(element) in \(shown): \(told), then \(before), then \(after)")
      }
    }
  }

  /// Without anything that is told later it is what is there, and without anything of its own what it was told.
  @Test func whereOneOfBothIsNothing() {
    forEachCase { told, before, after, shown in
      if told == before { #expect(shown == after) }
      if before == after { #expect(shown == told) }
    }
  }

  /// In a list what is inserted is another element than an equal one that is gone.
  @Test func aListShowsBoth() {
    let shown = ShownElements(
      told: [1, 2], before: [2], after: [1, 2], mayRepeat: true, isList: true)
    #expect(shown.elements == [1, 1, 2])
  }
}
