import StrataSchema

extension ModelsGenerator {
  /// The enum with a stored raw value.
  func enumType(_ enumeration: EnumType) -> SwiftType {
    let raw = enumeration.rawType == .string ? names.scalar(.string) : names.scalar(.int)
    var type = SwiftType(
      doc: enumeration.doc, "\(options.access.rawValue) enum",
      SwiftIdentifier.type(enumeration.name), inherits: [raw, names.strata("StoredEnum")])
    for enumCase in order.cases(of: enumeration) {
      let rawValue: String? =
        switch enumCase.rawValue {
        // Texts that are equal in Swift may be stored as different ones.
        case .string(let text):
          text.isSpelled(like: enumCase.name) ? nil : SwiftLiteral.string(text)
        case .int(let number): SwiftLiteral.integer(number)
        default: nil
        }
      type.members.append(
        .enumCase(
          SwiftEnumCase(name: SwiftIdentifier.escaped(enumCase.name), rawValue: rawValue)))
    }
    return type
  }

  /// The type that stands for the schema: its definition, parsed when it is first used.
  func schemaType() -> SwiftType {
    let access = options.access.rawValue
    var type = SwiftType(
      doc: "The schema \(schema.name), version \(schema.version).", "\(access) enum",
      names.schemaType, inherits: [names.strata("GeneratedSchema")])
    let classes = schema.storedModels.map {
      SwiftExpression.verbatim("\(names.model($0.name)).self")
    }
    var arguments: [(label: String, value: SwiftExpression)] = [
      ("json", .longText(schema.json.sourceText)), ("classes", .array(classes)),
    ]
    if let declared = declaredProperties { arguments.append(("declared", .longText(declared))) }
    type.members.append(
      .property(
        SwiftProperty(
          doc: "The models in the form that a store works from.", "\(access) static let",
          "definition", type: nil,
          .stored(.call(names.strata("SchemaDefinition"), arguments)))))
    return type
  }

  /// The order in which each model declares its properties, which the canonical text does not keep:
  /// `Dog name age;Person id name`. Nil where all are declared by name.
  private var declaredProperties: String? {
    let models = schema.storedModels.compactMap { model -> String? in
      let declared = order.properties(of: model)
      if declared.map(\.index) == Array(model.properties.indices) { return nil }
      return ([model.name] + declared.map(\.property.name)).joined(separator: " ")
    }
    return models.isEmpty ? nil : models.joined(separator: ";")
  }
}

extension JSON {
  /// The canonical text with everything escaped that a reader of source could not see. It is read back to the same
  /// value.
  var sourceText: String {
    let text = canonicalText
    guard text.unicodeScalars.contains(where: InvisibleText.contains) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      // All of these lie in the basic plane: one escape says each.
      if InvisibleText.contains(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
