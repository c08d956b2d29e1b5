import StrataSchema
import Testing

@testable import Strata

/// The keys by which a list's elements are ordered: an insertion takes one between its neighbours, and other elements are given new
/// ones only where there is no room left.
@Suite struct OrderKeyTests {
  /// How many elements are given another key while so many are inserted.
  private func moves(
    _ count: Int, into start: Int = 0, at place: (Int) -> Int
  ) throws -> Int {
    let rows = ListRows(owner: 1)
    rows.replaceAll(
      keys: (0..<start).map { Int64($0 + 1) * ListCore.gap },
      values: (0..<start).map { .int(Int64($0)) })
    var taken = Set(rows.keys)
    var moves = 0
    for number in 0..<count {
      let index = place(rows.count)
      let key = try rows.freeKey(at: index) { old, new in
        // As the table: no two elements have one key, not even for a moment.
        #expect(taken.remove(old) != nil && taken.insert(new).inserted)
        moves += 1
      }
      #expect(taken.insert(key).inserted)
      rows.insert(.int(Int64(number)), key, at: index)
    }
    #expect(zip(rows.keys, rows.keys.dropFirst()).allSatisfy { $0 < $1 })
    #expect(taken == Set(rows.keys))
    return moves
  }

  @Test(arguments: [0, 1, 2, 100]) func atOnePlaceNearlyNothingMoves(place: Int) throws {
    #expect(try moves(4000) { min(place, $0) } < 100)
  }

  @Test func inTheMiddleLessThanOneElementMovesForEach() throws {
    #expect(try moves(16_000) { $0 / 2 } < 10_000)
    #expect(try moves(4000, into: 4000) { $0 / 2 } < 5000)
  }

  @Test func anywhereLessThanOneElementMovesForEach() throws {
    var random = SeededGenerator(seed: 1)
    #expect(try moves(4000) { Int.random(in: 0...$0, using: &random) } < 4000)
  }

  @Test(arguments: [3, 5]) func atAPlaceThatWandersAFewMove(part: Int) throws {
    #expect(try moves(4000) { $0 / part } < 24_000)
  }
}

/// Texts are compared as SQLite compares them: by their bytes.
@Suite struct ByteOrderTests {
  private static let texts = [
    "", "a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefgz", "abcdefgh\u{0}", "é", "e\u{301}", "z",
    "zzzzzzzzzzzzzzzzzzzzzzzé", "zzzzzzzzzzzzzzzzzzzzzzza", "\u{10FFFF}", "\u{FFFF}",
  ]

  @Test func everyPairIsInTheOrderOfItsBytes() {
    for left in Self.texts {
      for right in Self.texts {
        #expect(
          left.precedesInBytes(right) == left.utf8.lexicographicallyPrecedes(right.utf8),
          "\(left) and \(right)")
      }
    }
  }
}
