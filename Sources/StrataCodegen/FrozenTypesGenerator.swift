import StrataSchema

/// Writes the types of one version's objects for Swift blocks: a struct for each model that a block names, and an empty one
/// for what those link to.
struct FrozenTypesGenerator {
  let selection: FrozenSelection
  let access: AccessLevel
  private let declared: Set<String>
  private let names: SwiftTypeNames

  init(selection: FrozenSelection, access: AccessLevel) {
    self.selection = selection
    self.access = access
    declared = Set(
      selection.named.union(selection.linked).map {
        selection.schema.model(named: $0)?.swiftName ?? $0
      })
    names = SwiftTypeNames(schema: selection.schema, declared: declared)
  }

  private var schema: Schema { selection.schema }

  private func models(_ names: Set<String>) -> [Model] {
    schema.models.filter { names.contains($0.name) }
  }

  /// `public enum V0 { … }`
  func versionType() -> SwiftType {
    let state =
      selection.isFrozen ? ", as it was frozen on \(selection.date)." : ", which is not frozen yet."
    var type = SwiftType(
      doc: "Objects of version \(schema.version)" + state, "\(access.rawValue) enum",
      "V\(schema.version)")
    for model in models(selection.named.union(selection.linked)) {
      type.members.append(.type(frozenType(model, isOpaque: !selection.named.contains(model.name))))
    }
    return type
  }

  private func frozenType(_ model: Model, isOpaque: Bool) -> SwiftType {
    let access = access.rawValue
    var type = SwiftType(
      doc: model.doc, "\(access) struct",
      SwiftIdentifier.type(model.swiftName ?? model.name),
      inherits: [names.strata("FrozenObject")])
    type.members = [
      .property(
        SwiftProperty(
          "\(access) static let", "modelName", type: nil,
          .stored(.verbatim(SwiftLiteral.string(model.name))))),
      .property(
        SwiftProperty(
          "\(access) static let", "version", type: nil,
          .stored(.verbatim(String(schema.version))))),
      .property(
        SwiftProperty(
          "\(access) let", "_row", type: names.strata("FrozenRow"), .stored(nil))),
      .function(
        SwiftFunction(
          "\(access) init",
          parameters: [SwiftParameter(name: "_row", type: names.strata("FrozenRow"))],
          body: [.assignment("self._row", .verbatim("_row"))])),
    ]
    guard !isOpaque else { return type }
    for (index, property) in model.properties.enumerated() where property.isStored {
      type.members.append(.property(face(of: property, index)))
    }
    return type
  }

  private func face(of property: Property, _ index: Int) -> SwiftProperty {
    let (type, getter, setter) = access(to: property.type)
    let get = SwiftExpression.verbatim("_row.\(getter)(\(index))")
    let body: SwiftProperty.Body =
      if let setter {
        .accessors(
          get: get, set: .verbatim("_row.\(setter)(\(index), newValue)"),
          setIntroducer: "nonmutating set")
      } else {
        .getter(get)
      }
    return SwiftProperty(
      doc: property.doc, "\(access.rawValue) var",
      SwiftIdentifier.escaped(property.swiftName ?? property.name), type: type, body)
  }

  /// The type of a property, and the functions of its row that read and write it. Collections are changed in place.
  private func access(to type: PropertyType) -> (type: String, getter: String, setter: String?) {
    guard let value = type.valueType else { return ("", "", nil) }
    let target = type.linkedModel.map { "\(names.strata("FrozenLink"))<\(names.model($0))>" }
    switch type {
    case .value, .inverse:
      guard let target else { return (plain(value), "value", "setValue") }
      // Optional where it is required, too: a new object's link is nil until a block sets it.
      return (target + "?", "link", "setLink")
    case .list, .set:
      let name = names.strata("FrozenList")
      guard let target else { return ("\(name)<\(plain(value))>", "list", nil) }
      return ("\(name)<\(target)>", "links", nil)
    case .map:
      let name = names.strata("FrozenMap")
      guard let target else { return ("\(name)<\(plain(value))>", "map", nil) }
      return ("\(name)<\(target)>", "linkMap", nil)
    }
  }

  /// A value's type; an enum of the past appears as what it is stored as.
  private func plain(_ type: ValueType) -> String {
    let scalar = schema.storedScalar(of: type.base)
    return (scalar.map(names.scalar) ?? names.base(type.base)) + (type.isOptional ? "?" : "")
  }

  // MARK: - What the file has to say on top

  /// Nil where no property needs it.
  var foundationImport: SwiftImport? {
    let isNeeded = models(selection.named).contains { model in
      model.storedProperties.contains { $0.type.valueType?.needsFoundation ?? false }
    }
    return isNeeded ? .foundation(access, unless: declared.contains) : nil
  }

  var lintRulesBroken: Set<String> {
    var rules: Set<String> = []
    for model in models(selection.named.union(selection.linked)) {
      rules.formUnion(SwiftIdentifier.lintRulesBroken(byType: model.swiftName ?? model.name))
      for property in model.storedProperties {
        rules.formUnion(
          SwiftIdentifier.lintRulesBroken(byMember: property.swiftName ?? property.name))
      }
    }
    return rules
  }
}
