import StrataSchema

/// One object, and what it links to, on its way to a form.
struct ObjectFormWriter {
  /// How deeply objects may stand inside of others: as deeply as they are read again.
  static let maximumDepth = ObjectDecoding.maximumDepth
  /// How often objects without a key are written again with what they link to, because nothing names them: between objects that all link
  /// to each other there are more ways than a text has room for. Of many objects it is so many times their number.
  static let maximumRepetitions = 10_000
  private static let maximumRepetitionsOfEach = 10

  private enum Identity: Hashable {
    case row(model: ObjectIdentifier, row: Int64)
    case instance(ObjectIdentifier)

    init(_ object: Object) {
      self =
        object.manager == nil
        ? .instance(ObjectIdentifier(object))
        : .row(model: ObjectIdentifier(object.model), row: object.row)
    }
  }

  /// Objects that were written whole.
  private var written: Set<Identity> = []
  /// Objects that contain the one that is being written.
  private var outer: Set<Identity> = []
  /// How often an object without a key was written that was written before.
  private var repetitions = 0
  /// Whether an embedded object was left out because it stood too deep.
  private(set) var wasCut = false

  /// - Parameter isNamed: whether the form says the model, because nothing else does.
  mutating func form(of object: Object, depth: Int, isNamed: Bool = false) -> ObjectForm {
    let identity = Identity(object)
    written.insert(identity)
    outer.insert(identity)
    defer { outer.remove(identity) }
    var members = modelName(of: object, isNamed)
    let shapes = object.model.shapes
    members.reserveCapacity(members.count + shapes.count)
    for index in shapes.indices where shapes[index].kind != .none {
      members.append((shapes[index].name, form(of: shapes[index], at: index, object, depth)))
    }
    return .object(members)
  }

  private func modelName(
    of object: Object, _ isNamed: Bool
  ) -> [(name: String, value: ObjectForm)] {
    isNamed ? [("$model", .scalar(.string(object.model.model.name)))] : []
  }

  private mutating func form(
    of shape: PropertyShape, at index: Int, _ object: Object, _ depth: Int
  ) -> ObjectForm {
    let (scalar, isAny) = (shape.scalar, shape.isAny)
    switch shape.kind {
    case .none: return .scalar(.null)
    case .value:
      return form(object.cell(at: index), scalar, depth, isAny) ?? .scalar(.null)
    case .list:
      let elements = object.passingCollection(at: index, as: ListCore.self).standaloneElements
      return .array(elements.compactMap { form($0.cell, scalar, depth, isAny) })
    case .set:
      let elements = object.passingCollection(at: index, as: SetCore.self).standaloneElements
      return .array(elements.compactMap { form($0.cell, scalar, depth, isAny) })
    case .map:
      var members: [(key: String, value: ObjectForm)] = []
      for (key, element) in object.passingCollection(at: index, as: MapCore.self).standaloneElements
      {
        if let form = form(element.cell, scalar, depth, isAny) { members.append((key, form)) }
      }
      return .map(members)
    }
  }

  /// Nil for an object that cannot be named and would contain itself.
  private mutating func form(
    _ cell: _GeneratedCell?, _ scalar: ScalarType, _ depth: Int, _ isNamed: Bool
  ) -> ObjectForm? {
    switch cell?.content {
    case nil: return .scalar(.null)
    case .value(let value): return .scalar(JSONCoding.json(value, as: scalar))
    case .object(let object):
      let identity = Identity(object)
      if object.model.model.isEmbedded {
        if outer.contains(identity) { return nil }
        guard outer.count < Self.maximumDepth else {
          wasCut = true
          return nil
        }
        return form(of: object, depth: depth)
      }
      let hasKey = !object.model.model.primaryKey.isEmpty
      let isWritten = written.contains(identity)
      if depth <= 0 || outer.count >= Self.maximumDepth || outer.contains(identity)
        || (hasKey && isWritten) || object.isNameAlone
      {
        return key(of: object, isNamed)
      }
      if isWritten { repetitions += 1 }
      let maximum = max(Self.maximumRepetitions, Self.maximumRepetitionsOfEach * written.count)
      let hasLinks = repetitions <= maximum || !isWritten
      return form(of: object, depth: hasLinks ? depth - 1 : 0, isNamed: isNamed)
    }
  }

  private mutating func key(of object: Object, _ isNamed: Bool) -> ObjectForm? {
    if object.model.model.primaryKey.isEmpty { return nil }
    var members = modelName(of: object, isNamed)
    let shapes = object.model.shapes
    for index in shapes.indices where shapes[index].isPartOfPrimaryKey {
      members.append((shapes[index].name, form(of: shapes[index], at: index, object, 0)))
    }
    return .object(members)
  }
}
