import StrataSQLite

/// What a running write transaction, or the next one, stands on.
struct WriteState {
  /// Whether no other connection can write, although no transaction of this store has begun: observers are being told.
  var holdsWriteLock = false
  /// Whether the store was closed in a transaction, which took it back.
  var wasEndedByClosing = false
  /// The identity of the next new object.
  var nextRow: Int64 = 0
  /// Above every object that others have made; nil after they have written.
  var knownFreeRow: Int64?
  /// The first identity of the running write transaction; the greatest number without one.
  var firstNewRow: Int64 = .max
  /// The beginning of the running write transaction, where it can be brought back to it.
  var beginning: Savepoint?
  /// How the running write transaction ends; made with its first new object.
  var outcome: WriteOutcome?
  /// The `add` that is running.
  unowned(unsafe) var addition: Addition?
  /// The one that is used each time that it is not running.
  var keptAddition: Addition?
  /// What the `create` that is running was given; nil without one that updates.
  var givenObjects: GivenObjects?
  /// Those who have tracked reads of objects before they were added in the running transaction.
  var trackedPlaces: [TrackedPlace] = []
  /// What each transaction is held against; nil until the first one, and where the schema has no rules.
  var rules: StoreRules?
  /// Whether the schema was asked for them.
  var hasReadRules = false
}
