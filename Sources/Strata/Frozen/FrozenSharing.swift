/// How a frozen store and the one that it came from know of each other.
struct FrozenSharing {
  /// Of a frozen store: where it came from, and whose that was.
  weak var origin: Store?
  var owner: StoreOwner?
  /// The newest frozen store, and of which version it is.
  weak var frozenShare: Store?
  /// The same, as long as this store may still stand on its version: freezing one object after the other makes one store.
  var keptShare: Store?
  var frozenMark: Int64?
}
