import StrataSchema
import StrataSource
import StrataYAML

extension Resolver {
  mutating func resolveProperties() {
    ownProperties.reserveCapacity(models.count)
    ownLinks.reserveCapacity(models.count)
    for known in known {
      ownProperties.append(known?.properties ?? [])
      ownLinks.append(known?.links ?? [])
    }
    judge { $0.resolveProperties(ofModel: $1) }
  }

  private mutating func resolveProperties(ofModel index: Int) {
    var properties: [Property?] = []
    var links: [OwnLink] = []
    properties.reserveCapacity(models[index].properties.count)
    for position in models[index].properties.indices {
      let property = resolveProperty(models[index].properties[position])
      if let property, let link = ownLink(property, at: position) { links.append(link) }
      properties.append(property)
    }
    ownProperties[index] = properties
    ownLinks[index] = links
  }

  private func ownLink(_ property: Property, at position: Int) -> OwnLink? {
    guard property.isStored, case .object(let name)? = property.type.valueType?.base,
      let target = modelIndexes[name]
    else { return nil }
    return OwnLink(
      property: position, target: target,
      isRequired: property.type.isToOne && property.type.valueType?.isOptional == false,
      deleteRule: property.deleteRule)
  }

  /// What a property is, looked at alone; nil where something about it is wrong, which is reported.
  mutating func resolveProperty(_ declared: PropertyDeclaration) -> Property? {
    if let inverse = declared.inverse { return resolveInverse(inverse, of: declared) }
    guard let syntax = declared.type, let type = resolveType(syntax, in: declared.file) else {
      return nil
    }
    guard let details = declared.details?.contents else {
      guard checkDeleteRule(declared, type: type) else { return nil }
      return Property(name: declared.name.value, type: type)
    }
    let errorsBefore = diagnostics.errorCount
    let property = Property(
      name: declared.name.value, swiftName: details.swiftName?.value, doc: details.doc, type: type,
      defaultValue: resolveDefault(declared, details, type: type),
      index: details.index?.value ?? .none, isUnique: details.isUnique?.value ?? false,
      isIgnored: details.isIgnored?.value ?? false,
      deleteRule: details.deleteRule?.value ?? .nullify, generate: details.generate?.value)
    _ = checkDeleteRule(declared, type: type)
    checkIgnored(declared, details, property)
    checkIndex(declared, details, property)
    checkGenerate(declared, details, property)
    return diagnostics.errorCount == errorsBefore ? property : nil
  }

  // MARK: - Types

  private mutating func resolveType(_ syntax: TypeSyntax, in file: Int) -> PropertyType? {
    let name = syntax.name.value
    let base: BaseType
    switch typeMeanings[name] {
    case .scalar(let scalar): base = .scalar(scalar)
    case .model(let index):
      base = .object(models[index].name.value)
      guard checkLink(syntax, to: index, in: file) else { return nil }
    case .enumeration(let index): base = .enumeration(enums[index].name.value)
    case nil:
      guard isComplete else { return nil }
      let near =
        TypeAliases.meaning[name.lowercased()].map { [$0] } ?? nearest(name, among: typeNames())
      report(
        DeclarationDiagnostic.typeUnknown, "there is no type '\(name)'", at: syntax.name.range,
        in: file, meaning: near,
        isGuess: Self.mayBeMeant(name) && !near.contains { ScalarType(rawValue: $0) != nil },
        else: near.isEmpty
          ? "a type is one of \(TypeAliases.scalarList), or a model or enum of the schema" : nil)
      return nil
    }
    let value = ValueType(base, isOptional: syntax.isOptional)
    return switch syntax.shape {
    case .value: .value(value)
    case .list: .list(value)
    case .set: .set(value)
    case .map: .map(value)
    }
  }

  private mutating func checkLink(
    _ syntax: TypeSyntax, to index: Int, in file: Int
  ) -> Bool {
    if models[index].isAbstract?.value == true {
      let model = models[index]
      report(
        DeclarationDiagnostic.typeImpossible,
        "'\(model.name.value)' is abstract, so that no object of it is stored",
        at: syntax.name.range, in: file,
        labels: [label("it is declared here", at: model.name.range, in: model.file)],
        help: "link to one of the models that extend it")
      return false
    }
    if syntax.shape != .value, syntax.isOptional {
      report(
        DeclarationDiagnostic.typeImpossible, "a collection of objects has no empty places",
        at: syntax.range, in: file, help: "remove the '?' behind '\(syntax.name.value)'",
        replacement: TypeSyntax.spelling(syntax.shape, of: syntax.name.value))
      return false
    }
    if syntax.shape == .set, embeddedFlags[index] {
      report(
        DeclarationDiagnostic.typeImpossible, "embedded objects cannot be elements of a set",
        at: syntax.range, in: file, help: "make it a list: [\(syntax.name.value)]",
        replacement: TypeSyntax.spelling(.list, of: syntax.name.value))
      return false
    }
    return true
  }

  /// Whether a model is embedded, by its own word or that of the nearest ancestor that says so.
  func isEmbedded(_ index: Int) -> Bool {
    var next = index
    for _ in 0...SchemaCompiler.maximumInheritance {
      if let says = models[next].isEmbedded { return says.value }
      guard let parent = models[next].extends, let index = modelIndexes[parent.value] else {
        return false
      }
      next = index
    }
    return false
  }

  // MARK: - Defaults

  private mutating func resolveDefault(
    _ declared: PropertyDeclaration, _ details: PropertyDetails.Contents, type: PropertyType
  ) -> Value? {
    guard let node = details.defaultValue, !node.isRefused, let place = details.key(.default) else {
      return nil
    }
    let range = place.value.isEmpty ? place.range : place.value
    guard case .value(let valueType) = type, !type.isToOne else {
      reportSuperfluous(
        DeclarationDiagnostic.keyNotApplicable,
        type.isCollection ? "a collection begins empty" : "a link has no default", key: .default,
        at: place, in: declared.file)
      return nil
    }
    if node.isNull {
      // An optional is nil without saying so; both ways are the same schema.
      if valueType.isOptional { return nil }
      report(
        DeclarationDiagnostic.defaultMismatch, "a required property cannot be nothing", at: range,
        in: declared.file, help: "write a value, or make the type optional: \(valueType.spelling)?")
      return nil
    }
    if case .enumeration(let name) = valueType.base {
      return enumDefault(node, of: name, at: range, in: declared.file)
    }
    guard let scalar = valueType.base.scalar else { return nil }
    switch LiteralReader.read(node, as: scalar) {
    case .value(let value): return value
    case .wrong(let help, let replacement):
      report(
        DeclarationDiagnostic.defaultMismatch,
        "\(node.kindName) is no \(scalar == .any ? "value" : scalar.rawValue)",
        at: range, in: declared.file, help: help, replacement: replacement)
      return nil
    }
  }

  private mutating func enumDefault(
    _ node: YAMLNode, of name: String, at range: Range<Int>, in file: Int
  ) -> Value? {
    // An enum that is wrong itself has no cases to compare with.
    guard let index = enumIndexes[name], let type = resolvedEnums[index] else { return nil }
    if let found = type.cases.first(where: { $0.name == node.scalar?.text }) {
      return found.rawValue
    }
    let names = enums[index].cases?.map(\.name.value) ?? []
    let near = nearest(node.scalar?.text ?? "", among: names)
    report(
      DeclarationDiagnostic.defaultMismatch, "\(node.kindName) is no case of \(name)", at: range,
      in: file, meaning: near, isGuess: Self.mayBeMeant(node.scalar?.text ?? ""),
      else: "its cases are \(names.joined(separator: ", "))")
    return nil
  }

  // MARK: - Keys of properties

  /// Whether a link says what its type lets it say.
  private mutating func checkDeleteRule(
    _ declared: PropertyDeclaration, type: PropertyType
  ) -> Bool {
    let written = declared.details?.contents.deleteRule
    let place = declared.details?.contents.key(.deleteRule)
    guard let link = type.linkedModel, let index = modelIndexes[link] else {
      // What could not be read was reported.
      guard let place, written != nil else { return true }
      reportSuperfluous(
        DeclarationDiagnostic.keyNotApplicable, "only links have a delete rule", key: .deleteRule,
        at: place, in: declared.file)
      return false
    }
    if embeddedFlags[index] {
      guard let place else { return true }
      reportSuperfluous(
        DeclarationDiagnostic.keyNotApplicable,
        "an embedded object is always deleted with its owner", key: .deleteRule, at: place,
        in: declared.file)
      return false
    }
    let isRequired = type.isToOne && type.valueType?.isOptional == false
    guard isRequired, declared.details?.contents.isIgnored?.value != true else { return true }
    // A rule that could not be read was reported.
    if place != nil, written == nil { return true }
    guard written == nil || written?.value == .nullify else { return true }
    report(
      DeclarationDiagnostic.deleteRuleMissing,
      written == nil
        ? "a required link has to say what becomes of it when its target is deleted"
        : "a required link cannot be set to nil when its target is deleted",
      at: written?.range ?? declared.type?.range ?? declared.name.range, in: declared.file,
      help: "write { type: \(link), deleteRule: deny } so that the target cannot be deleted, "
        + "'deleteRule: cascade' to delete this object as well, or make the link optional: \(link)?"
    )
    return false
  }

  /// An ignored property is a variable of the class, and there is no object for it to begin with.
  private mutating func checkIgnored(
    _ declared: PropertyDeclaration, _ details: PropertyDetails.Contents, _ property: Property
  ) {
    guard property.isIgnored, !isFrozen, property.type.isToOne,
      property.type.valueType?.isOptional == false, let link = property.type.linkedModel
    else { return }
    report(
      DeclarationDiagnostic.keyNotApplicable,
      "an ignored property begins with nothing, so that a link cannot be required",
      at: declared.type?.range ?? declared.name.range, in: declared.file,
      help: "make the link optional: \(link)?, or remove 'ignored'",
      replacement: declared.type == nil ? nil : "\(link)?")
  }

  /// The names that FTS5 keeps for itself (<https://sqlite.org/fts5.html>, section 2).
  private static let columnsOfFulltextIndexes: Set<String> = ["rank", "rowid"]

  private mutating func checkIndex(
    _ declared: PropertyDeclaration, _ details: PropertyDetails.Contents, _ property: Property
  ) {
    if property.isIgnored {
      for key in [PropertyKey.indexed, .unique] {
        guard let place = details.key(key),
          key == .indexed ? property.index != .none : property.isUnique
        else { continue }
        report(
          DeclarationDiagnostic.keyNotApplicable,
          "an ignored property is not stored, so that it cannot be \(key.rawValue)",
          at: place.range, in: declared.file, help: "remove '\(key.rawValue)' or 'ignored'")
      }
      return
    }
    if property.index == .fulltext,
      property.type.valueType?.base != .scalar(.string)
        || property.type.isCollection
    {
      report(
        DeclarationDiagnostic.indexType, "only a string has a full-text index",
        at: details.index?.range ?? declared.name.range, in: declared.file,
        help: "'\(property.type.spelling)' takes 'indexed: true' at most")
    } else if property.index == .fulltext,
      Self.columnsOfFulltextIndexes.contains(property.name.lowercased())
    {
      report(
        DeclarationDiagnostic.indexType,
        "a full-text index has a column '\(property.name.lowercased())' of its own, for itself",
        at: details.index?.range ?? declared.name.range, in: declared.file,
        help: "rename the property, or use 'indexed: true'")
    } else if property.index == .ordinary, !isIndexable(property.type),
      let place = details.key(.indexed)
    {
      reportSuperfluous(
        DeclarationDiagnostic.indexType, "'\(property.type.spelling)' cannot be indexed",
        key: .indexed, at: place, in: declared.file, pointsAtValue: true,
        help: property.type.linkedModel != nil
          ? "links are always indexed; remove 'indexed'" : Self.indexableHelp)
    }
    if property.isUnique, !isComparable(property.type) {
      report(
        DeclarationDiagnostic.uniqueType, "'\(property.type.spelling)' cannot be unique",
        at: details.isUnique?.range ?? declared.name.range, in: declared.file,
        help: Self.uniqueHelp)
    }
  }

  private mutating func checkGenerate(
    _ declared: PropertyDeclaration, _ details: PropertyDetails.Contents, _ property: Property
  ) {
    guard let generate = details.generate else { return }
    let made: ScalarType =
      switch generate.value {
      case .uuid: .uuid
      case .objectID: .objectID
      case .now: .date
      }
    guard case .value(let type) = property.type, type.base == .scalar(made) else {
      report(
        DeclarationDiagnostic.generateType,
        "'generate: \(generate.value.rawValue)' makes a \(made.rawValue), not a "
          + property.type.spelling, at: generate.range, in: declared.file,
        help: "make the type \(made.rawValue), or remove 'generate'")
      return
    }
    if let place = details.key(.default) {
      report(
        DeclarationDiagnostic.keyNotApplicable, "a generated value needs no default",
        at: place.range, in: declared.file, help: "remove 'default' or 'generate'")
    }
  }

  static let indexableHelp =
    "indexes are over bool, integers, date, string, uuid, objectId and enums"
  static let compoundIndexHelp =
    "compound indexes are over bool, integers, date, string, uuid, objectId, enums and links"
  static let uniqueHelp =
    "uniqueness is of bool, integers, date, string, uuid, objectId, enums and links"

  func isIndexable(_ type: PropertyType) -> Bool {
    guard case .value(let value) = type else { return false }
    return switch value.base {
    case .scalar(.bool), .scalar(.date), .scalar(.string), .scalar(.uuid), .scalar(.objectID):
      true
    case .scalar(let scalar): scalar.isInteger
    case .enumeration: true
    case .object: false
    }
  }

  func isComparable(_ type: PropertyType) -> Bool {
    if case .value(let value) = type, case .object(let name) = value.base,
      let index = modelIndexes[name]
    {
      return !embeddedFlags[index]
    }
    return isIndexable(type)
  }

  // MARK: - Inverses

  /// The names as they are declared, which may be normalised in another way.
  private func sourceName(_ inverse: InverseSyntax) -> String {
    modelIndexes[inverse.model].map { models[$0].name.value } ?? inverse.model
  }

  private func propertyName(_ inverse: InverseSyntax) -> String {
    modelIndexes[inverse.model].flatMap { index in
      models[index].properties.first { $0.name.value == inverse.property }?.name.value
    } ?? inverse.property
  }

  private mutating func resolveInverse(
    _ inverse: InverseSyntax, of declared: PropertyDeclaration
  ) -> Property? {
    var isWrong = false
    for (key, range, value) in declared.details?.contents.keys ?? []
    where key != .linkingObjects && key != .doc && key != .swiftName {
      isWrong = true
      reportSuperfluous(
        DeclarationDiagnostic.keyNotApplicable,
        key == .type
          ? "an inverse has no type of its own"
          : "an inverse is computed and has no '\(key.rawValue)'",
        key: key, at: (range, value), in: declared.file)
    }
    guard !isWrong else { return nil }
    return Property(
      name: declared.name.value, swiftName: declared.details?.contents.swiftName?.value,
      doc: declared.details?.contents.doc,
      type: .inverse(model: sourceName(inverse), property: propertyName(inverse)))
  }
}

/// What people who come from elsewhere call the types.
enum TypeAliases {
  static let scalarList = ScalarType.allCases.map(\.rawValue).joined(separator: ", ")

  static let meaning: [String: String] = [
    "bigint": "int64", "binary": "data", "blob": "data", "boolean": "bool",
    "byte": "int8", "bytes": "data", "char": "string", "character": "string", "datetime": "date",
    "guid": "uuid", "integer": "int", "long": "int64", "money": "decimal", "nsdata": "data",
    "nsdate": "date", "nsnumber": "double", "nsstring": "string", "number": "double",
    "numeric": "decimal", "real": "double", "short": "int16", "str": "string", "text": "string",
    "time": "date", "timestamp": "date", "varchar": "string",
  ]
}
