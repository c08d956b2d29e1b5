/// Stands for an empty collection of a standalone object until it is asked for, so that most objects that are made need none.
/// It never gets elements or an owner: who asks gets a collection of the object's own.
// What is never changed may be held on any thread.
struct CollectionPlaceholder: @unchecked Sendable {
  let core: CollectionCore

  static let list = CollectionPlaceholder(ListCore())
  static let set = CollectionPlaceholder(SetCore())
  static let map = CollectionPlaceholder(MapCore())

  private init(_ core: CollectionCore) {
    core.isPlaceholder = true
    core.hasOwner = true
    self.core = core
  }
}
