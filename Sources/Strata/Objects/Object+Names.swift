import StrataSchema

extension Object {
  /// A property by name: a value of its Swift type (an enum's raw value), an object, a ``List``, ``MutableSet`` or ``Map``
  /// of ``AnyValue``; nil for no value, and for a name that the model does not have.
  ///
  /// Setting follows the same rules as `Store.create(_:value:update:)`; a wrong name or type is a mistake of the program.
  /// ``setValue(_:forKey:)`` throws instead.
  public final subscript(name: String) -> Any? {
    get { anyValue(named: name) }
    set {
      do {
        try setValue(newValue, forKey: name)
      } catch {
        misuse(error.description)
      }
    }
  }

  /// A property by name.
  ///
  /// - Throws: `StoreError.unknownProperty`
  public final func value(forKey name: String) throws(StoreError) -> Any? {
    _ = try property(named: name)
    return anyValue(named: name)
  }

  /// Sets a property by name: with a value of its type, what stands for one in JSON, an array or dictionary for a
  /// collection, a dictionary for a new object.
  ///
  /// - Throws: `StoreError.unknownProperty`, `.wrongType`, `.notInWriteTransaction`, `.notUnique`
  public final func setValue(_ value: Any?, forKey name: String) throws(StoreError) {
    let index = try property(named: name)
    if case .inverse = model.model.properties[index].type {
      throw .wrongType(
        model: model.model.name, property: name,
        expected: "an inverse, which is not set: it follows from links to the object",
        found: GivenValue(value).typeName)
    }
    do {
      let reader = ObjectReader(store: manager, update: .error)
      guard let manager else { return try reader.set([name: value], of: self) }
      try manager.checkInWriteTransaction()
      guard model.model.properties[index].type.isCollection else {
        return try reader.set([name: value], of: self)
      }
      try manager.allOrNothing("strata_set") { try reader.set([name: value], of: self) }
    } catch {
      throw manager?.storeError(error) ?? StoreError(error, path: "")
    }
  }

  private func property(named name: String) throws(StoreError) -> Int {
    guard let index = model.model.indexOfProperty(named: name) else {
      throw .unknownProperty(model: model.model.name, property: name)
    }
    return index
  }

  /// Nil for an unknown name.
  final func anyValue(named name: String) -> Any? {
    guard let index = model.model.indexOfProperty(named: name) else { return nil }
    switch model.model.properties[index].type {
    case .list: return List<AnyValue>(core: collection(at: index, as: ListCore.self))
    case .set: return MutableSet<AnyValue>(core: collection(at: index, as: SetCore.self))
    case .map: return Map<AnyValue>(core: collection(at: index, as: MapCore.self))
    case .inverse: return LinkingObjects<Object>(of: self, property: index)
    case .value: return cell(at: index).flatMap { AnyValue($0).payload }
    }
  }

  /// The list that a property holds, by name.
  ///
  /// - Throws: `StoreError.unknownProperty`, `.wrongType` when it is of another kind
  public final func list<Element: StoredElement>(
    _ name: String, of type: Element.Type = AnyValue.self
  ) throws(StoreError) -> List<Element> {
    let index = try property(named: name)
    guard case .list = model.model.properties[index].type else { throw notA("list", index) }
    return List(core: collection(at: index, as: ListCore.self))
  }

  /// The set that a property holds, by name.
  public final func set<Element: StoredElement>(
    _ name: String, of type: Element.Type = AnyValue.self
  ) throws(StoreError) -> MutableSet<Element> {
    let index = try property(named: name)
    guard case .set = model.model.properties[index].type else { throw notA("set", index) }
    return MutableSet(core: collection(at: index, as: SetCore.self))
  }

  /// The map that a property holds, by name.
  public final func map<Value: StoredElement>(
    _ name: String, of type: Value.Type = AnyValue.self
  ) throws(StoreError) -> Map<Value> {
    let index = try property(named: name)
    guard case .map = model.model.properties[index].type else { throw notA("map", index) }
    return Map(core: collection(at: index, as: MapCore.self))
  }

  private func notA(_ kind: String, _ index: Int) -> StoreError {
    let property = model.model.properties[index]
    return .wrongType(
      model: model.model.name, property: property.name, expected: property.type.spelling,
      found: "a \(kind)")
  }

  /// The objects of a class whose property, a link or a collection of links, leads to this one.
  ///
  /// - Throws: `StoreError.unknownModel`, `.unknownProperty`
  public final func linkingObjects<Source: Object>(
    ofType type: Source.Type, property name: String
  ) throws(StoreError) -> Results<Source> {
    guard let manager else { throw .notManaged(model: model.model.name) }
    let access = try manager.access(type)
    guard let property = access.model.property(named: name),
      property.type.linkedModel == model.model.name, property.isStored
    else { throw .unknownProperty(model: access.model.name, property: name) }
    return Results(Query(access).linking(to: row, through: name).ifCommitted(outcome))
  }
}
