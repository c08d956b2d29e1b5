import StrataSchema

/// The standalone objects that a `create` which updates was given, and what they lead to, as they were before they became rows: should
/// the rest of it fail, they belong to no store again.
final class GivenObjects {
  /// Whether there are any: what `create` makes itself is kept by nothing once it fails.
  var areAny = false
  private var objects:
    [(object: Object, storage: StandaloneStorage?, hashIdentity: HashIdentity?)] = []
  private var cores: [(core: CollectionCore, restoreElements: () -> Void)] = []

  /// Keeps what an addition is about to make an object of the store for good.
  func keep(_ object: Object) {
    objects.append((object, object.standalone, object.hashIdentity))
  }

  func keep(_ core: CollectionCore) {
    cores.append((core, core.standaloneElementsRestorer()))
  }

  /// The same for those of a `create` that another one was running around.
  func include(_ other: GivenObjects) {
    areAny = areAny || other.areAny
    objects += other.objects
    cores += other.cores
  }

  /// Makes the objects standalone again. To be called while their rows are there.
  func giveBack() {
    for (object, storage, hashIdentity) in objects {
      object.detachFromStore()
      object.standalone = storage
      hashIdentity?.leaveRow()
      object.hashIdentity = hashIdentity
    }
    for (core, restoreElements) in cores {
      core.detachFromStore()
      restoreElements()
    }
  }
}
