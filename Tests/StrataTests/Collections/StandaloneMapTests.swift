import Strata
import StrataTestModels
import Testing

/// A map that belongs to nothing against arrays of keys and values: its order is asked for now and then, or never.
@Suite struct StandaloneMapTests {
  /// Two of them are equal in Swift, and not in a map.
  private static let keys = [
    "", "a", "b", "ab", "Z", "\u{E9}", "e\u{301}", "\u{10000}", "\u{FFFF}",
  ]

  private func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  @Test(arguments: 0..<20) func itDoesAsArraysDo(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let map = Map<Int>()
    var expected: [(key: String, value: Int)] = []
    func place(of key: String) -> Int? {
      expected.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    }
    let asksForOrder = seed % 3
    for round in 0..<200 {
      let key = Self.keys.randomElement(using: &random) ?? ""
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<6:
        map[key] = round
        if let place = place(of: key) {
          expected[place].value = round
        } else {
          expected.append((key, round))
        }
      case 6..<9:
        let old = place(of: key)
        #expect(map.removeValue(forKey: key) == (old != nil))
        if let old { expected.remove(at: old) }
      case 9 where asksForOrder > 0:
        expected.sort { precedes($0.key, $1.key) }
        #expect(Array(map.keys.map { Array($0.utf8) }) == expected.map { Array($0.key.utf8) })
        #expect(map.values == expected.map(\.value))
        if let first = expected.first { #expect(map[0].value == first.value) }
      case 10 where asksForOrder == 2:
        map.removeAll()
        expected = []
      default:
        #expect(map[key] == place(of: key).map { expected[$0].value })
      }
      #expect(map.count == expected.count && map.isEmpty == expected.isEmpty)
    }
    #expect(map.map(\.value) == expected.sorted { precedes($0.key, $1.key) }.map(\.value))
  }

  @Test func aWalkShowsWhatWasThereWhenItBegan() {
    let map: Map<Int> = ["b": 2, "a": 1]
    var seen: [Int] = []
    for (key, value) in map {
      seen.append(value)
      map.removeValue(forKey: key)
      map["c\(value)"] = 10 * value
    }
    #expect(seen == [1, 2])
    #expect(map.keys == ["c1", "c2"] && map.values == [10, 20])
  }
}
