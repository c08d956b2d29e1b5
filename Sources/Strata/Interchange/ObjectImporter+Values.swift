import StrataSchema

/// Where a value stands in the object of a line, for messages.
struct ImportedPlace {
  /// As `Person.dogs`.
  let property: String
  let place: GivenPlace

  /// Said after what is expected there, or found: nothing, or which element it is.
  var element: String { place.words }
}

extension ObjectImporter {
  private func wrongType(
    _ json: JSON, _ property: Int, _ model: ImportedModel, _ place: GivenPlace = .property
  ) -> ImportError {
    let declared = model.access.model.properties[property]
    return error(
      "\(model.name).\(declared.name) is \(declared.type.spelling), which \(json.canonicalText.prefix(60))\(place.words) is not"
    )
  }

  /// A null that the property does not take, or its elements.
  private func wrongNull(
    _ property: Int, _ model: ImportedModel, _ place: GivenPlace
  ) -> ImportError {
    guard case .property = place else { return wrongType(.null, property, model, place) }
    let declared = model.access.model.properties[property]
    return error("\(model.name).\(declared.name) is required and cannot be null")
  }

  func value(
    _ json: JSON, as scalar: ScalarType, _ property: Int, _ model: ImportedModel,
    _ place: GivenPlace = .property
  ) throws -> Value {
    let declared = model.access.model.properties[property]
    guard let value = JSONCoding.value(json, as: scalar) else {
      throw wrongType(json, property, model, place)
    }
    if value.isNull, scalar != .any, declared.type.valueType?.isOptional == false {
      throw wrongNull(property, model, place)
    }
    return value
  }

  /// One value or element of a property.
  func element(
    _ json: JSON, _ property: Int, _ model: ImportedModel, _ place: GivenPlace = .property
  ) throws -> ImportedElement {
    let declared = model.access.model.properties[property]
    switch model.roles[property] {
    case .scalar(.any):
      if json["$model"] != nil {
        let place = ImportedPlace(property: "\(model.name).\(declared.name)", place: place)
        if let link = try anyLink(json, from: place) { return .link(link) }
      }
      return .stored(.value(try value(json, as: .any, property, model, place)))
    case .scalar(let scalar):
      return .stored(.value(try value(json, as: scalar, property, model, place)))
    case .link(let target), .embedded(let target):
      if json == .null {
        guard declared.type.valueType?.isOptional == true else {
          throw wrongNull(property, model, place)
        }
        return .stored(.value(.null))
      }
      let place = ImportedPlace(property: "\(model.name).\(declared.name)", place: place)
      if case .embedded = model.roles[property] {
        return .stored(.object(try embedded(json, target, place)))
      }
      guard let link = try link(json, to: target, from: place) else {
        throw error(
          "\(place.property) is a link: {\"$id\": …} or {\"$key\": …} is expected\(place.element)")
      }
      return .link(link)
    }
  }

  private func embedded(_ json: JSON, _ target: String, _ place: ImportedPlace) throws -> Object {
    guard let content = json.object else {
      throw error(
        "\(place.property) holds an object of \(target) itself: {…} is expected\(place.element)")
    }
    if let said = try textMember("$model", of: content), said != target {
      throw error(
        "\(place.property) holds an object of \(target), and the line says \"$model\": \"\(said.prefix(60))\"\(place.element)"
      )
    }
    guard depth < Self.maximumDepth else {
      throw error(
        "\(place.property) stands more than \(Self.maximumDepth) deep in embedded objects, which 'export' could not write"
      )
    }
    depth += 1
    defer { depth -= 1 }
    return try object(content, try model(named: target))
  }

  func elements(
    _ json: JSON, _ property: Int, _ model: ImportedModel
  ) throws -> ImportedElements {
    var result = ImportedElements()
    switch (model.access.model.properties[property].type, json) {
    case (_, .null): break
    case (.map, .object), (.map, .entries):
      for (key, json) in (json.members ?? []).sorted(by: { $0.key.precedesInBytes($1.key) }) {
        result.keys.append(key)
        result.append(try element(json, property, model, .key(key)))
      }
    case (.set, .array(let values)), (.list, .array(let values)):
      for (index, json) in values.enumerated() {
        result.append(try element(json, property, model, .element(index + 1)))
      }
    default: throw wrongType(json, property, model)
    }
    return result
  }
}
