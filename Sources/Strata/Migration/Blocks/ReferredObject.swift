import StrataSchema

/// The object that a property of type `any` holds, where no store is open to look into it: in a block of a step. It can be
/// assigned to another such property, of the new version too, and says nothing but its model.
final class ReferredObject: Object {
  private let reference: Value
  /// Whether it was read from an old object, whose version may call the model otherwise.
  private let isOld: Bool

  /// - Parameter value: one that is an object.
  init(_ value: Value, isOld: Bool) {
    reference = value
    self.isOld = isOld
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
    super.init()
  }

  /// What a row stores that it is assigned to.
  func value(in row: FrozenRow) -> Value {
    isOld && !row.isReadOnly
      ? reference.renamingModels(row.environment.renamedModels) : reference
  }
}
