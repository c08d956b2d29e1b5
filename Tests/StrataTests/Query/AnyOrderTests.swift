import StrataExpression
import StrataSchema
import Testing

@testable import Strata

/// The order of values of type `any`, and of numbers beside decimals.
@Suite struct AnyOrderTests {
  /// Ascending. A decimal has 166 digits at most; doubles beyond have more in either direction.
  private static let numbers: [Value] =
    [
      .double(.nan), .double(-.infinity), .double(-1.7e308), .double(-1e300), .double(-2.5e200),
      .double(-1e200), .decimal(DecimalValue("-1e150") ?? .zero), .int(-1), .double(-0.1),
      .double(-1e-120), .double(-1e-200), .double(-1e-300), .double(-.leastNonzeroMagnitude),
      .int(0),
      .double(.leastNonzeroMagnitude), .double(1e-300), .double(2.5e-300), .double(1e-200),
      .double(1e-120),
      .double(0.1), .decimal(DecimalValue("0.11") ?? .zero), .int(1), .double(1e20),
      .decimal(DecimalValue("1e150") ?? .zero), .double(1e200), .double(2.5e200), .double(1e256),
      .double(1e300), .double(1.7e308), .double(.infinity),
    ]

  @Test func sortKeysAreInTheOrderOfTheNumbers() throws {
    let keys = Self.numbers.map { $0.anySortKey ?? [] }
    for (index, pair) in zip(keys, keys.dropFirst()).enumerated() {
      #expect(
        pair.0.lexicographicallyPrecedes(pair.1),
        "\(Self.numbers[index]), \(Self.numbers[index + 1])")
    }
  }

  @Test func decimalsCompareInTheSameOrder() {
    for (left, first) in Self.numbers.enumerated() {
      for (right, second) in Self.numbers.enumerated() {
        let expected: Comparison = left < right ? .before : left > right ? .after : .same
        #expect(Comparison.of(first, second) == expected, "\(first), \(second)")
      }
    }
    let zero = Value.decimal(.zero)
    #expect(Comparison.of(zero, .double(.leastNonzeroMagnitude)) == .before)
    #expect(Comparison.of(.double(-.leastNonzeroMagnitude), zero) == .before)
  }
}
