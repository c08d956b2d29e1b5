import StrataSchema

/// Which object of which file: what a thread can give another instead of the object.
///
/// ```swift
/// let reference = try ObjectReference(to: person)
/// Task.detached {
///   let store = try Store()
///   guard let person = store.resolve(reference) else { return }
///   try store.write { person.age += 1 }
/// }
/// ```
///
/// A reference never leads to another object: identities are not used again, and a file that takes the place of another one
/// has references of its own.
public struct ObjectReference<Element: Object>: Hashable, Sendable {
  let file: FileIdentity
  let model: String
  let row: Int64
  /// How the transaction ended that added the object.
  private var outcome: WriteOutcome?

  /// - Throws: `StoreError.notManaged` for an object that belongs to no store
  public init(to object: Element) throws(StoreError) {
    guard let store = object.manager else { throw .notManaged(model: object.model.model.name) }
    self.init(in: store, model: object.model.model.name, row: object.givenRow)
    outcome = object.outcome
  }

  init(in store: Store, model: String, row: Int64) {
    file = store.fileIdentity
    self.model = model
    self.row = row
    outcome = store.outcome(of: row)
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.row == right.row && left.model == right.model && left.file == right.file
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(row)
    hasher.combine(model)
  }

  /// Whether the object was added in a transaction that was cancelled.
  var isCancelled: Bool { outcome?.isCancelled == true }
}

extension Store {
  /// The object of a reference as this store sees it; nil when it is not there, or of another file.
  public func resolve<Element: Object>(_ reference: ObjectReference<Element>) -> Element? {
    guard reference.file == fileIdentity, !reference.isCancelled,
      let access = try? access(named: reference.model)
    else {
      return nil
    }
    let object = access.object(reference.row)
    return object.isInvalidated ? nil : object as? Element
  }
}
