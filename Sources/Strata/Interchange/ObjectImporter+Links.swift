package import StrataSchema

extension ObjectImporter {
  /// `{"$id": 7}`, `{"$key": "x"}`; nil for anything else.
  func link(
    _ json: JSON, to name: String, from place: ImportedPlace
  ) throws -> ImportedLink.Target? {
    if let said = json["$model"]?.string, said != name {
      throw error(
        "\(place.property) is a link to \(name), and the line says \"$model\": \"\(said.prefix(60))\"\(place.element)"
      )
    }
    if json["$id"] != nil, json["$key"] != nil {
      throw error(
        "\(place.property) is a link: {\"$id\": …} or {\"$key\": …} is expected\(place.element), and not both"
      )
    }
    let target = try model(named: name)
    if let id = json["$id"]?.int {
      return .named(model: target.access.index, id: id)
    }
    guard let key = json["$key"] else { return nil }
    return .key(model: target.access.index, try primaryKey(key, of: target, from: place))
  }

  /// One value, or `{"list": 1, "position": 2}` with the value of each property of a compound key.
  private func primaryKey(
    _ json: JSON, of target: ImportedModel, from place: ImportedPlace
  ) throws -> [Value] {
    let properties = target.access.keyProperties
    let names = properties.map { target.access.model.properties[$0].name }
    guard !properties.isEmpty else {
      throw error(
        "\(place.property) links to \(target.name), which has no primary key: {\"$id\": …} is expected\(place.element)"
      )
    }
    return try zip(properties, names).map { property, name in
      guard let part = properties.count == 1 ? json : json[name],
        case .scalar(let scalar) = target.roles[property]
      else {
        let form = names.map { "\"\($0)\": …" }.joined(separator: ", ")
        throw error(
          "\(place.property) links to \(target.name), which has a compound key: {\"$key\": {\(form)}} is expected\(place.element)"
        )
      }
      return try value(part, as: scalar, property, target)
    }
  }

  /// A link in a property of type `any`, which says its model: `{"$model": "Pet", "$id": 7}`.
  func anyLink(_ json: JSON, from place: ImportedPlace) throws -> ImportedLink.Target? {
    guard let name = json["$model"]?.string else { return nil }
    return try link(json, to: name, from: place)
  }

  /// The identity of the object of the file that has a primary key.
  package func identity(of model: String, key: [Value]) throws -> Int64? {
    try store.access(named: model).row(forKey: key)
  }

  /// The object of the file that the identity of a line's `$id` stands for; nil where no line has it.
  ///
  /// - Parameter model: the name that is asked for first. Where it is none of the schema's, as after an upgrade, any is.
  package func identity(named id: Int64, of model: String) throws -> Int64? {
    try links.identity(named: id, model: schema.models.firstIndex { $0.name == model })
  }

  /// Lets links of lines name an object of the file.
  ///
  /// - Parameter model: its index in the schema.
  /// - Returns: false where the name is taken.
  package func name(_ identity: Int64, model: Int, id: Int64) throws -> Bool {
    try links.name(identity, model: model, id: id)
  }
}
