import StrataSQLite

/// How a frozen store and the one that it came from know of each other.
struct FrozenSharing {
  /// Of a frozen store: where it came from, and whose that was.
  weak var origin: Store?
  var owner: StoreOwner?
  /// Which actor has the live store: the same of a live store and of those that it has frozen.
  var home = StoreHome()
  /// Of a live store: the actor that has claimed it last.
  var claimant: ObjectIdentifier?
  /// Of a live store: whether it still reads on the connection of `keptShare`, because it stands on a version on which no other
  /// connection can be put.
  var sharesConnection = false
  /// Of a live store that shares its connection: the one that takes its place.
  var replacement: Database?
  /// The newest frozen store, and of which version it is; kept until this store stands on another version, because freezing one
  /// object after the other makes one store. Not weakly: what something weak has ever pointed to is slow to hold, and each
  /// frozen object holds its store.
  var keptShare: Store?
  var frozenMark: Int64?
  /// The same of a database in memory, whose copy is not kept longer than it is wanted.
  weak var memoryShare: Store?
}
