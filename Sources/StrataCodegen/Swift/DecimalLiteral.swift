/// Whether a number's decimal text is that number wherever it is compiled.
///
/// On x86-64 the Swift compiler reads a floating-point literal with 64 significant bits first, and rounds that to the type's
/// own. Rounded twice, one of some thousand texts becomes the number's neighbour: 9.4934056 is one.
enum DecimalLiteral {
  /// False for each text whose distance from the number is, to a 64-bit reader, half of that to the neighbour; also for
  /// a few that are close to it. Computed in whole numbers, so that every machine says the same.
  ///
  /// - Parameters:
  ///   - value: a normal number.
  ///   - text: its shortest decimal text, `-12.5` or `1e-07`.
  static func isExact<T: BinaryFloatingPoint>(_ value: T, text: String) -> Bool {
    if value == 0 { return true }
    guard let decimal = parse(text) else { return false }
    // The number as a whole one with 64 bits: the last of its own bits stands for `unit`, half of it is the way to the neighbour.
    let bits = T.significandBitCount
    let unit = UInt64(1) << UInt64(63 - bits)
    let fraction = UInt64(value.significandBitPattern)
    let whole = (UInt64(1) << UInt64(bits) | fraction) * unit
    let binaryExponent = Int(value.exponent) - 63
    // Below a power of two the neighbours are half as far away.
    let below = fraction == 0 ? unit / 4 - 1 : unit / 2 - 1
    let above = unit / 2 - 1
    return isLess((whole - below, binaryExponent), decimal)
      && isLess(decimal, (whole + above, binaryExponent))
  }

  /// The digits as a whole number, and the power of ten that it is multiplied by.
  private static func parse(_ text: String) -> (digits: UInt64, exponent: Int)? {
    let parts = text.drop { $0 == "-" }.split(separator: "e", maxSplits: 1)
    guard let number = parts.first else { return nil }
    let halves = number.split(separator: ".", maxSplits: 1)
    guard let digits = UInt64(halves.joined()) else { return nil }
    var exponent = halves.count > 1 ? -halves[1].count : 0
    if parts.count > 1 {
      guard let power = Int(parts[1]) else { return nil }
      exponent += power
    }
    return (digits, exponent)
  }

  /// Whether `number · 2^exponent` is less than `digits · 10^exponent`.
  private static func isLess(
    _ binary: (number: UInt64, exponent: Int), _ decimal: (digits: UInt64, exponent: Int)
  ) -> Bool {
    let (left, right) = wholeNumbers(binary, decimal)
    return left.isLess(than: right)
  }

  private static func isLess(
    _ decimal: (digits: UInt64, exponent: Int), _ binary: (number: UInt64, exponent: Int)
  ) -> Bool {
    let (left, right) = wholeNumbers(binary, decimal)
    return right.isLess(than: left)
  }

  /// Both multiplied by the same, so that they are whole.
  private static func wholeNumbers(
    _ binary: (number: UInt64, exponent: Int), _ decimal: (digits: UInt64, exponent: Int)
  ) -> (binary: WholeNumber, decimal: WholeNumber) {
    var left = WholeNumber(binary.number)
    var right = WholeNumber(decimal.digits)
    left.multiply(by: 2, times: binary.exponent)
    right.multiply(by: 2, times: -binary.exponent)
    right.multiply(by: 10, times: decimal.exponent)
    left.multiply(by: 10, times: -decimal.exponent)
    return (left, right)
  }
}

/// A whole number of any size, just large enough for what is asked of it.
private struct WholeNumber {
  /// 32 bits each, the least significant first; the last one is not zero.
  private var limbs: [UInt32] = []

  init(_ value: UInt64) {
    limbs = [UInt32(truncatingIfNeeded: value), UInt32(value >> 32)]
    while limbs.last == 0 { limbs.removeLast() }
  }

  /// - Parameter count: nothing happens where it is negative.
  mutating func multiply(by factor: UInt64, times count: Int) {
    for _ in 0..<max(0, count) {
      var carry: UInt64 = 0
      for index in limbs.indices {
        carry += UInt64(limbs[index]) * factor
        limbs[index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      if carry > 0 { limbs.append(UInt32(carry)) }
    }
  }

  func isLess(than other: WholeNumber) -> Bool {
    guard limbs.count == other.limbs.count else { return limbs.count < other.limbs.count }
    for (own, others) in zip(limbs, other.limbs).reversed() where own != others {
      return own < others
    }
    return false
  }
}
