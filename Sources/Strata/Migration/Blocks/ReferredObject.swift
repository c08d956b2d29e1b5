import StrataSchema

/// The object that a property of type `any` holds, where no store is open to look into it: in a block of a step. It can be
/// assigned to another such property, of the new version too, and says nothing but its model.
final class ReferredObject: Object {
  private let reference: Value
  /// Whether it was read from an old object, whose version may call the model otherwise.
  private let isOld: Bool
  /// What the models of old objects are called in the version of a new object that it was read from.
  private let renamedModels: [String: String]

  /// - Parameters:
  ///   - value: one that is an object.
  ///   - row: the object that it was read from.
  init(_ value: Value, of row: FrozenRow) {
    let isOld = row.isReadOnly
    reference = value
    self.isOld = isOld
    // Those of an old object are of the step before.
    renamedModels = isOld ? [:] : row.environment.renamedModels
    super.init()
    if case .object(let model, _) = value {
      standaloneModel = _GeneratedModel(
        schema: Schema(name: model, version: 0, models: [Model(name: model)]), index: 0,
        type: ReferredObject.self, family: ModelFamily(), order: nil)
    }
  }

  required init() {
    reference = .null
    isOld = false
    renamedModels = [:]
    super.init()
  }

  /// What a row stores that it is assigned to.
  func value(in row: FrozenRow) -> Value {
    isOld && !row.isReadOnly
      ? reference.renamingModels(row.environment.renamedModels) : reference
  }

  /// Whether both lead to the same object: each read makes an instance of its own. An old and a new object are compared by the
  /// newer version's names.
  func leadsToSameObject(as other: ReferredObject) -> Bool {
    // One that leads nowhere is like no other.
    if reference.isNull { return false }
    return switch (isOld, other.isOld) {
    case (true, false): reference.renamingModels(other.renamedModels) == other.reference
    case (false, true): reference == other.reference.renamingModels(renamedModels)
    case (true, true), (false, false): reference == other.reference
    }
  }

  /// Without the model, whose name may differ between equal ones.
  func hashReference(into hasher: inout Hasher) {
    guard case .object(_, let identity) = reference else { return }
    hasher.combine(identity)
  }
}
