import StrataSchema

/// An embedded object is named by its place: what is given for a place where one stands changes that one, as a key's object is changed.
extension ObjectReader {
  /// Changes the embedded objects that stand in a property, where the given value says which ones it means: the one of a link, those
  /// of a map by their keys. What it does not name of them stays.
  ///
  /// Places in a list move: a given element that leaves values out could get those of another one. So a list's elements are changed
  /// only where all values of as many as there are are given, and only what is different is to be written; otherwise new ones take their places.
  /// - Returns: whether the property holds what was given; otherwise it is to be set.
  func changeEmbedded(
    in property: Int, of object: Object, to given: GivenValue, depth: Int
  ) throws -> Bool {
    guard updates else { return false }
    let type = object.model.model.properties[property].type
    guard let target = embeddedModel(of: type, object.model) else { return false }
    switch type {
    case .value:
      guard given.isOfObject, let there = object.linkedObject(at: property) else { return false }
      try change(there, by: given, depth: depth)
      return true
    case .list:
      guard update == .modified, let elements = given.elements?.map({ GivenValue($0) }) else {
        return false
      }
      let core = object.collection(at: property, as: ListCore.self)
      guard core.count == elements.count, try elements.allSatisfy({ try isWhole($0, target) }),
        !target.schema.hasUniqueValues(within: target.model)
      else { return false }
      for (index, element) in elements.enumerated() {
        guard case .object(let there) = core.element(at: index).content else { return false }
        try change(there, by: element, depth: depth)
      }
      return true
    case .map(let type):
      guard let entries = given.entries?.map({ ($0.key, GivenValue($0.value)) }),
        entries.allSatisfy({ $0.1.isOfObject })
      else { return false }
      let core = object.collection(at: property, as: MapCore.self)
      let keys = Set(entries.map(\.0))
      for key in core.keys where !keys.contains(key) { core.remove(key) }
      for (key, value) in entries {
        if case .object(let there)? = core.element(forKey: key)?.content {
          try change(there, by: value, depth: depth)
        } else {
          let element = try element(value, .key(key), type, object.model, property, depth)
          core.set(element, forKey: key)
        }
      }
      return true
    case .set, .inverse: return false
    }
  }

  private func embeddedModel(of type: PropertyType, _ model: _GeneratedModel) -> _GeneratedModel? {
    guard let type = type.valueType, case .object(let name) = type.base,
      let target = model.siblings?.model(named: name), target.model.isEmbedded
    else { return nil }
    return target
  }

  private func change(_ there: Object, by given: GivenValue, depth: Int) throws {
    try checkDepth(depth + 1, there.model)
    for (property, value) in try values(there.model, given) {
      try set(property, of: there, to: value, depth: depth + 1)
    }
  }

  /// Whether a value is given for each property of an embedded object and of those within it.
  private func isWhole(_ given: GivenValue, _ model: _GeneratedModel) throws -> Bool {
    guard given.isOfObject else { return false }
    let values = try values(model, given)
    return try values.count == model.declaredOrder.count
      && values.allSatisfy { property, value in
        let type = model.model.properties[property].type
        guard !value.isNull, let target = embeddedModel(of: type, model) else { return true }
        return switch type {
        case .list: try (value.elements ?? []).allSatisfy { try isWhole(GivenValue($0), target) }
        case .map:
          try (value.entries ?? []).allSatisfy { try isWhole(GivenValue($0.value), target) }
        default: try isWhole(value, target)
        }
      }
  }
}

extension GivenValue {
  /// Whether it has the values of an object, and is none itself.
  fileprivate var isOfObject: Bool { object == nil && (members != nil || elements != nil) }
}
