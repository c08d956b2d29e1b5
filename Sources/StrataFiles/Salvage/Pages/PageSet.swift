/// Numbers of pages, a bit for each page of a file.
struct PageSet {
  private var words: [UInt64]

  /// - Parameter last: the highest number.
  init(upTo last: Int) { words = [UInt64](repeating: 0, count: last / 64 + 1) }

  /// Whether the page is in the set: never one beyond the highest number, which a damaged page may name.
  func contains(_ number: Int) -> Bool {
    number / 64 < words.count && words[number / 64] >> UInt64(number % 64) & 1 == 1
  }

  /// - Returns: whether the page was not in the set.
  @discardableResult
  mutating func insert(_ number: Int) -> Bool {
    guard !contains(number) else { return false }
    words[number / 64] |= 1 << UInt64(number % 64)
    return true
  }

  mutating func remove(_ number: Int) { words[number / 64] &= ~(1 << UInt64(number % 64)) }
}
