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
public struct ObjectReference<Element: Object>: Hashable, Sendable {
  let file: String
  let model: String
  let row: Int64

  /// - Throws: `StoreError.notManaged` for an object that belongs to no store
  public init(to object: Element) throws(StoreError) {
    guard let store = object.manager else { throw .notManaged(model: object.model.model.name) }
    self.init(file: store.fileKey, model: object.model.model.name, row: object.row)
  }

  init(file: String, model: String, row: Int64) {
    self.file = file
    self.model = model
    self.row = row
  }
}

extension Store {
  /// The object of a reference as this store sees it; nil when it is not there, or of another file.
  public func resolve<Element: Object>(_ reference: ObjectReference<Element>) -> Element? {
    guard reference.file == fileKey, let access = try? access(named: reference.model) else {
      return nil
    }
    let object = access.object(reference.row)
    return object.isInvalidated ? nil : object as? Element
  }
}
