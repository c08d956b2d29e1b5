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
      let type = model.model.properties[index].type
      guard type.isCollection else {
        // A new object would be added before its link finds that the row is not there.
        if type.mayLink, let managedAccess, try !managedAccess.exists(row) {
          throw StoreError.invalidated(model: model.model.name)
        }
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
  /// - Parameter type: what its elements are in Swift; `AnyValue` for any.
  /// - Throws: `StoreError.unknownProperty`, `.wrongType` when it is of another kind, or has other elements
  public final func list<Element: StoredElement>(
    _ name: String, of type: Element.Type = AnyValue.self
  ) throws(StoreError) -> List<Element> {
    let index = try property(named: name)
    guard case .list = model.model.properties[index].type else { throw notA("list", index) }
    try checkElements(type, of: index)
    return List(core: collection(at: index, as: ListCore.self))
  }

  /// The set that a property holds, by name.
  public final func set<Element: StoredElement>(
    _ name: String, of type: Element.Type = AnyValue.self
  ) throws(StoreError) -> MutableSet<Element> {
    let index = try property(named: name)
    guard case .set = model.model.properties[index].type else { throw notA("set", index) }
    try checkElements(type, of: index)
    return MutableSet(core: collection(at: index, as: SetCore.self))
  }

  /// The map that a property holds, by name.
  public final func map<Value: StoredElement>(
    _ name: String, of type: Value.Type = AnyValue.self
  ) throws(StoreError) -> Map<Value> {
    let index = try property(named: name)
    guard case .map = model.model.properties[index].type else { throw notA("map", index) }
    try checkElements(type, of: index)
    return Map(core: collection(at: index, as: MapCore.self))
  }

  /// Whether the elements of a collection can be read as a type of Swift: others would show values that are not there.
  private func checkElements<Element: StoredElement>(
    _ type: Element.Type, of index: Int
  ) throws(StoreError) {
    if type == AnyValue.self || type == AnyValue?.self { return }
    let property = model.model.properties[index]
    guard let elements = property.type.valueType else { return }
    let fits: Bool
    if case .object(let name) = elements.base {
      // The class whose objects are read: that of the app, or `DynamicObject` of a store that has none.
      let target =
        managedAccess?.targets[index]?.generated ?? model.siblings?.model(named: name)
      fits = target.map { $0.type is Element.Type } ?? (type is Object.Type)
    } else {
      // An optional reads as nil what it cannot hold.
      fits = examples(of: elements).allSatisfy {
        type._generatedValue(of: _GeneratedCell($0))?._generatedCell.isNull == $0.isNull
      }
    }
    guard !fits else { return }
    throw .wrongType(
      model: model.model.name, property: property.name, expected: elements.spelling,
      found: "\(type)")
  }

  /// Values that tell apart what can hold all of a type.
  private func examples(of type: ValueType) -> [Value] {
    let values: [Value] =
      switch type.base {
      case .scalar(.any): [.bool(false), .int(0), .string("")]
      case .scalar(let scalar): [scalar.largest]
      case .enumeration(let name):
        // A type may have some of them in common.
        model.schema.enumeration(named: name)?.cases.map(\.rawValue) ?? []
      case .object: []
      }
    return type.isOptional && type.base != .scalar(.any) ? values + [.null] : values
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

extension ScalarType {
  /// A value of the type that no smaller one holds.
  fileprivate var largest: Value {
    switch self {
    case .bool: .bool(true)
    case .int, .int64: .int(.max)
    case .int32: .int(Int64(Int32.max))
    case .int16: .int(Int64(Int16.max))
    case .int8: .int(Int64(Int8.max))
    case .float: .float(.greatestFiniteMagnitude)
    case .double: .double(.greatestFiniteMagnitude)
    case .string: .string("")
    case .data: .data([])
    case .date: .date(0)
    case .uuid: .uuid(UUIDValue(high: 0, low: 0))
    case .decimal: DecimalValue("0").map(Value.decimal) ?? .null
    case .objectID: .objectID(ObjectIDValue(high: 0, low: 0))
    case .any: .null
    }
  }
}
