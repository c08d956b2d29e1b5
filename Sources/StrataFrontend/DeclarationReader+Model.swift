import StrataSchema
import StrataSource
import StrataYAML

extension DeclarationReader {
  mutating func readModel(_ entry: YAMLEntry) {
    var model = ModelDeclaration(file: file, name: Located(entry.key, at: entry.keyRange))
    defer { models.append(model) }
    guard let entries = reader.entries(entry, of: "with 'properties'") else { return }
    for entry in entries {
      guard let key = ModelKey(rawValue: entry.key) else {
        reader.unknownKey(
          entry, of: "a model", known: ModelKey.allCases.map(\.rawValue), among: entries)
        continue
      }
      model.keys.append((key, entry.value.range))
      switch key {
      case .doc: model.doc = doc(entry)
      case .primaryKey: model.primaryKey = readPrimaryKey(entry)
      case .embedded: model.isEmbedded = reader.bool(entry)
      case .abstract: model.isAbstract = reader.bool(entry)
      case .extends: model.extends = reader.text(entry, expected: "the name of a model")
      case .indexes: model.indexes = readCompounds(entry)
      case .unique: model.uniques = readCompounds(entry)
      case .swiftName: model.swiftName = reader.text(entry, expected: "a name for the Swift class")
      case .rules:
        for rule in reader.entries(entry, of: "for each rule") ?? [] {
          model.rules.append(readRule(rule))
        }
      case .properties:
        let properties = reader.entries(entry, of: "for each property") ?? []
        model.properties.reserveCapacity(properties.count)
        for property in properties { model.properties.append(readProperty(property)) }
      }
    }
  }

  private mutating func readPrimaryKey(_ entry: YAMLEntry) -> CompoundDeclaration? {
    switch entry.value.content {
    case .scalar(let scalar) where !scalar.isNull:
      return CompoundDeclaration(
        names: [Located(scalar.text, at: entry.value.range)], range: entry.value.range)
    case .sequence(let elements, _) where !elements.isEmpty:
      return CompoundDeclaration(
        names: reader.names(entry.value, key: entry.key), range: entry.value.range)
    default:
      reader.wrongKind(entry, expected: "a property's name, or a list of names")
      return nil
    }
  }

  /// `[[lastName, firstName], [email, country]]`.
  private mutating func readCompounds(_ entry: YAMLEntry) -> [CompoundDeclaration] {
    let expected = "a list of lists of property names: [[lastName, firstName]]"
    guard let elements = reader.elements(entry, expected: expected) else { return [] }
    if !elements.isEmpty, elements.allSatisfy({ $0.scalar != nil }) {
      let names = elements.compactMap { $0.scalar?.text }.joined(separator: ", ")
      reader.report(
        DeclarationDiagnostic.wrongKind, "'\(entry.key)' is a list of names", at: entry.value.range,
        help: "it has to be \(expected); one more pair of brackets makes these count together",
        replacement: "[[\(names)]]")
      return []
    }
    var compounds: [CompoundDeclaration] = []
    for element in elements where !element.isRefused {
      guard case .sequence(let inner, _) = element.content, !inner.isEmpty else {
        reader.report(
          DeclarationDiagnostic.wrongKind,
          "'\(entry.key)' lists lists of names, and this is "
            + element.kindName, at: element.range, help: "it has to be \(expected)")
        continue
      }
      compounds.append(
        CompoundDeclaration(
          names: reader.names(element, key: entry.key), range: element.range))
    }
    return compounds
  }

  // MARK: - Properties

  private mutating func readProperty(_ entry: YAMLEntry) -> PropertyDeclaration {
    var property = PropertyDeclaration(file: file, name: Located(entry.key, at: entry.keyRange))
    switch entry.value.content {
    case .mapping(let entries, _): readDetails(entries, of: entry, into: &property)
    case .refused: break
    case .scalar(let scalar) where scalar.isNull:
      reader.report(
        DeclarationDiagnostic.missingKey, "the property '\(entry.key)' has no type",
        at: entry.keyRange, help: "write '\(entry.key): string', or another type")
    default: property.type = readType(entry.value)
    }
    return property
  }

  private mutating func readType(_ node: YAMLNode) -> TypeSyntax? {
    do {
      return try TypeSyntax.read(node)
    } catch {
      reader.report(
        DeclarationDiagnostic.typeInvalid, error.message, at: error.range, help: error.help,
        replacement: error.replacement)
      return nil
    }
  }

  private mutating func readDetails(
    _ entries: [YAMLEntry], of owner: YAMLEntry, into property: inout PropertyDeclaration
  ) {
    var details = PropertyDetails.Contents()
    var hasType = false
    var misspelled = false
    for entry in entries {
      guard let key = PropertyKey(rawValue: entry.key) else {
        reader.unknownKey(
          entry, of: "a property", known: PropertyKey.allCases.map(\.rawValue), among: entries)
        misspelled = true
        continue
      }
      details.keys.append((key, entry.keyRange, entry.value.range))
      switch key {
      case .type:
        hasType = true
        if entry.value.isNull {
          reader.wrongKind(entry, expected: "a type, such as string or [Dog]")
        } else if !entry.value.isRefused {
          property.type = readType(entry.value)
        }
      case .linkingObjects:
        hasType = true
        details.inverse = readInverse(entry)
      case .default: details.defaultValue = entry.value
      case .indexed: details.index = readIndexed(entry)
      case .unique: details.isUnique = reader.bool(entry)
      case .ignored: details.isIgnored = reader.bool(entry)
      case .deleteRule: details.deleteRule = reader.word(entry, as: Property.DeleteRule.self)
      case .generate: details.generate = reader.word(entry, as: Property.Generator.self)
      case .swiftName: details.swiftName = reader.text(entry, expected: "a name for Swift")
      case .doc: details.doc = doc(entry)
      }
    }
    // A key that was misspelled may be the type's.
    if !hasType, !misspelled {
      reader.report(
        DeclarationDiagnostic.missingKey, "the property '\(owner.key)' has no type",
        at: owner.keyRange, help: "add 'type: string', or another type, or 'linkingObjects:'")
    }
    property.details = PropertyDetails(details)
  }

  private mutating func readIndexed(_ entry: YAMLEntry) -> Located<Property.Index>? {
    let range = entry.value.range
    switch (entry.value.scalar?.text, entry.value.scalar?.isPlain) {
    case ("true", true): return Located(.ordinary, at: range)
    case ("false", true): return Located(.none, at: range)
    case ("fulltext", _): return Located(.fulltext, at: range)
    default:
      guard !entry.value.isRefused else { return nil }
      let near = NearestName.all(
        entry.value.scalar?.text ?? "", among: ["true", "false", "fulltext"])
      let list = "it takes one of: true, false, fulltext"
      reader.report(
        DeclarationDiagnostic.unknownWord, "'indexed' is \(entry.value.kindName)",
        at: range.isEmpty ? entry.keyRange : range, help: reader.meant(near, else: list),
        replacement: near.count == 1 ? near[0] : nil)
      return nil
    }
  }

  private mutating func readInverse(_ entry: YAMLEntry) -> InverseSyntax? {
    guard let text = reader.text(entry, expected: "the path of a link, such as Person.boss") else {
      return nil
    }
    guard let path = SchemaPath(text.value), let property = path.property else {
      reader.report(
        DeclarationDiagnostic.wrongKind, "'\(text.value)' is not the path of a link",
        at: text.range, help: "write the model and its property: Person.boss")
      return nil
    }
    return InverseSyntax(model: path.model, property: property, range: text.range)
  }
}
