import StrataSource

extension Rule {
  /// Cannot be found as long as every algorithm that a lock names is kept; a test holds the digests of this one.
  static let hashAlgorithmChanged = Rule(
    "STR4008", "hash-algorithm-changed", .error, .never,
    "A newer tool would seal an unchanged schema with another digest.", .elsewhere)
}
