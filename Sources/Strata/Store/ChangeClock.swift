import StrataSchema

/// When the parts of a store changed last. What was read stays valid until something that it depends on changes.
///
/// Each change takes the next number of one count, and leaves it with what it touches: the rows of a model, its
/// membership, a property, a collection. What was read remembers the number that the count stood at.
final class ChangeClock {
  /// The number of the newest change; from 1, because 0 stands for "never read".
  let now = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
  /// By index into the schema's models.
  let models: [ModelClock]

  init(_ schema: Schema) {
    now.initialize(to: 1)
    models = schema.models.map { [now] in ModelClock($0, now: now) }
  }

  deinit { now.deallocate() }

  /// After what is not known in detail: a rollback, a write of another connection.
  func changedEverything() {
    now.pointee &+= 1
    for model in models { model.changedEverything(at: now.pointee) }
  }

  /// After what was done since a moment was taken back. All of it was told: where nothing was, what was read is true again.
  func takenBack(since mark: UInt64) {
    if now.pointee == mark { return }
    now.pointee &+= 1
    for model in models where model.isChanged(after: mark) {
      model.changedEverything(at: now.pointee)
    }
  }
}
