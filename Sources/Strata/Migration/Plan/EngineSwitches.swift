/// Ways to run an upgrade that must not change its result. Only proofs turn them on.
///
/// They are read where rows are enumerated and written instead of being handed through every layer, because nothing but a
/// proof ever sets them.
package struct EngineSwitches: Sendable, Hashable {
  @TaskLocal package static var current = EngineSwitches()

  /// Objects are enumerated from the last to the first, so that blocks that depend on the order are found.
  package var isBackwards = false
  /// Every version is made by the pass that looks beyond single objects, also where none has to.
  package var usesWorkspaces = false
  /// Rows that are read or written at once; nil for the engine's own number.
  package var rowsAtOnce: Int?
  /// From how many objects on a thread of its own inserts them; nil for the engine's own number.
  package var fewestObjectsForThread: Int?
  /// Versions that are made in one pass at most; nil for the engine's own bound.
  package var versionsInOnePass: Int?
  /// Kibibytes of pages that a connection keeps, so that it writes before it commits; nil for the engine's own number.
  package var cacheSize: Int64?

  package init() {}

  /// Behind an ORDER BY of identities.
  package var direction: String { isBackwards ? " DESC" : "" }
}
