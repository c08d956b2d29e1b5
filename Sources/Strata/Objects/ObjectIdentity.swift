import StrataSchema

/// Which object it is: the same for every view of a row, also in other stores of the file and in frozen ones; of a standalone object the
/// instance.
///
/// It is the `id` of generated classes without a property of this name, so that SwiftUI's lists can tell their rows apart.
public struct ObjectIdentity: Hashable, Sendable {
  private let instance: ObjectIdentifier?
  private let file: FileIdentity?
  private let model: String
  private let row: Int64

  init(_ object: Object) {
    let store = object.store
    instance = store == nil ? ObjectIdentifier(object) : nil
    file = store?.fileIdentity
    model = object.model.model.name
    row = object.givenRow
  }
}

extension Identifiable where Self: Object {
  /// Which object it is.
  public var id: ObjectIdentity { ObjectIdentity(self) }
}

extension DynamicObject: Identifiable {}
