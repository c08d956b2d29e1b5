/// Who hears of changes, and how the store hears of those that others make.
struct Following {
  let identity = StoreIdentity()
  /// The store's observers; nil until the first one is added.
  var observers: Observers?
  /// What tracked reads depend on; nil while none are.
  var trackedReads: TrackedReads?
  /// Hears of what others write.
  var listener: CommitListener?
  /// Whether a task of the observers' isolation moves the store on.
  var isFollowing = false
  /// Models whose deletions reach the change sink, with all that they lead to.
  var watchedModels: Set<Int> = []
  var hasWatchFunctions = false
}
