/// Stands for an empty collection of a standalone object until it is asked for, so that most objects that are made need none.
/// It never gets elements or an owner: who asks gets a collection of the object's own.
// What is never changed may be held on any thread.
@usableFromInline struct SharedEmptyCollection: @unchecked Sendable {
  let core: CollectionCore

  @usableFromInline static let list = SharedEmptyCollection(ListCore())
  @usableFromInline static let set = SharedEmptyCollection(SetCore())
  @usableFromInline static let map = SharedEmptyCollection(MapCore())

  private init(_ core: CollectionCore) {
    core.isSharedEmpty = true
    core.hasOwner = true
    self.core = core
  }
}
