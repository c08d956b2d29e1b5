import Strata

/// What every model with a name can do: an abstract model is a protocol.
extension Named {
  /// The first letter, for an index.
  public var initial: String { name.first.map { $0.uppercased() } ?? "?" }
}
