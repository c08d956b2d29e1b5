import StrataSchema

extension ModelsGenerator {
  /// The live class of a model: a thin typed face of the core, which works from the schema.
  func classType(_ model: Model) -> SwiftType {
    let access = options.access.rawValue
    var type = SwiftType(
      doc: model.doc, "\(access) final class",
      SwiftIdentifier.type(model.swiftName ?? model.name),
      inherits: [names.strata("Object")] + identifiable(model) + abstractAncestors(of: model))
    let properties = order.properties(of: model)
    for (index, property) in properties {
      type.members.append(.property(propertyFace(property, index)))
    }
    type.members.append(
      .function(
        SwiftFunction(
          doc: "An object that belongs to no store yet and holds the declared defaults.",
          "\(access) required init",
          body: [.expression(.call("super.init", []))])))
    if let initializer = initializer(properties.filter { !$0.property.type.isInverse }) {
      type.members.append(.function(initializer))
    }
    type.members += modelMembers(of: model)
    return type
  }

  /// What leads from the class to its model. It is looked up by its name, once: its position changes with each model that comes or goes in
  /// front of it, and so would the file.
  private func modelMembers(of model: Model) -> [SwiftDeclaration] {
    [
      .property(
        SwiftProperty(
          "private static let", "_ownModel", type: nil,
          .stored(
            .call(
              "\(names.schemaType).definition._model",
              [("named", .verbatim(SwiftLiteral.string(model.name)))])))),
      .property(
        SwiftProperty(
          "override \(options.access.rawValue) class var", "_generatedModel",
          type: names.strata("_GeneratedModel"), .getter(.verbatim("_ownModel")))),
    ]
  }

  /// The protocol of an abstract model: what every class that extends it has.
  func protocolType(_ model: Model) -> SwiftType {
    let access = options.access.rawValue
    var type = SwiftType(
      doc: model.doc, "\(access) protocol",
      SwiftIdentifier.type(model.swiftName ?? model.name),
      inherits: [names.strata("Object")] + abstractAncestors(of: model))
    for (_, property) in order.properties(of: model) {
      type.members.append(
        .property(
          SwiftProperty(
            doc: property.doc, "var",
            SwiftIdentifier.escaped(property.swiftName ?? property.name),
            type: property.isIgnored ? names.plain(property.type) : names.property(property.type),
            .requirement(property.type.isInverse ? "get" : "get set"))))
    }
    return type
  }

  /// An object is known by its property `id`, else by its place in the store, which Strata knows. A collection, or the objects of an
  /// inverse, cannot say which object it is.
  private func identifiable(_ model: Model) -> [String] {
    let hasOther = order.properties(of: model).contains { _, property in
      guard (property.swiftName ?? property.name) == "id" else { return false }
      if case .value = property.type { return false }
      return true
    }
    return hasOther ? [] : [names.imported("Identifiable", from: "Swift")]
  }

  /// The nearest abstract models up the chain of `extends`; each refines its own.
  private func abstractAncestors(of model: Model) -> [String] {
    var next = model.extends
    var visited: Set<String> = [model.name]
    while let name = next, visited.insert(name).inserted, let parent = schema.model(named: name) {
      if parent.isAbstract { return [names.model(name)] }
      next = parent.extends
    }
    return []
  }

  private func propertyFace(_ property: Property, _ index: Int) -> SwiftProperty {
    let name = SwiftIdentifier.escaped(property.swiftName ?? property.name)
    let introducer = "\(options.access.rawValue) var"
    if property.isIgnored {
      return SwiftProperty(
        doc: property.doc, introducer, name, type: names.plain(property.type),
        .stored(ignoredValue(of: property)))
    }
    let face = PropertyAccess(property.type)
    let core = names.strata("_GeneratedAccess")
    let get = SwiftExpression.verbatim("\(core).\(face.getter)(self, \(index))")
    let body: SwiftProperty.Body =
      if let setter = face.setter {
        .accessors(
          get: get, set: .verbatim("\(core).\(setter)(self, \(index), newValue)"),
          setIntroducer: "set")
      } else {
        .getter(get)
      }
    return SwiftProperty(
      doc: property.doc, introducer, name, type: names.property(property.type), body)
  }

  /// The value that an ignored property starts with.
  func ignoredValue(of property: Property) -> SwiftExpression {
    if let generator = property.generate { return newValue(of: generator) }
    return initialValue(of: property) ?? placeholder(for: property.type)
  }

  /// What gives each object a value of its own: nothing else generates one for a property that no store knows.
  private func newValue(of generator: Property.Generator) -> SwiftExpression {
    let type: ScalarType =
      switch generator {
      case .uuid: .uuid
      case .objectID: .objectID
      case .now: .date
      }
    return .call(names.scalar(type), [])
  }

  /// What the type itself starts with, for an ignored property without a default.
  private func placeholder(for type: PropertyType) -> SwiftExpression {
    guard case .value(let value) = type, let scalar = schema.storedScalar(of: value.base) else {
      return .verbatim("nil")
    }
    return SwiftDefault(names: names, schema: schema).zero(of: value.base, scalar)
  }
}

/// The functions of `_GeneratedAccess` that read and write a property of a type.
struct PropertyAccess {
  let getter: String
  let setter: String?
  /// What gives a collection the elements that an initialiser was given.
  let elementsSetter: String?

  init(_ type: PropertyType) {
    switch type {
    case .value(let value):
      if case .object = value.base {
        (getter, setter) =
          value.isOptional ? ("link", "setLink") : ("requiredLink", "setRequiredLink")
      } else {
        (getter, setter) = ("value", "setValue")
      }
    case .list: (getter, setter) = ("list", "setList")
    case .set: (getter, setter) = ("set", "setSet")
    case .map: (getter, setter) = ("map", "setMap")
    case .inverse: (getter, setter) = ("linkingObjects", nil)
    }
    elementsSetter = type.isCollection ? setter.map { $0 + "Elements" } : nil
  }
}
