import Strata

extension Article {
  /// Whether so many pieces are there.
  package func has(_ pieces: Int) -> Bool { stock >= pieces }
}
