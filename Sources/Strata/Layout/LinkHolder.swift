package import StrataSchema

/// A property that links to a model, seen from the model that it links to.
package struct LinkHolder {
  package let model: Model
  package let property: Property

  /// The table that holds the link, and its columns: the holder's identity and the target's.
  package var table: String {
    property.type.isCollection ? "\(model.name).\(property.name)" : model.name
  }
  var holderColumn: String { property.type.isCollection ? "_owner" : "_row" }
  /// The column that names one row of the table where it is not stored by its key. SQLite's own name is a property's where one is called
  /// `rowid`; the table of a collection has no columns of properties.
  var placeColumn: String { property.type.isCollection ? "rowid" : "_row" }
  package var targetColumn: String { property.type.isCollection ? "value" : property.name }
}

/// The links to each model of a schema, found in one look at all of them: for whatever asks about many models.
package struct LinkHolders {
  private let byTarget: [String: [LinkHolder]]

  package init(in schema: Schema) {
    var byTarget: [String: [LinkHolder]] = [:]
    for holder in schema.storedModels {
      for property in holder.storedProperties {
        guard let target = property.type.linkedModel else { continue }
        byTarget[target, default: []].append(LinkHolder(model: holder, property: property))
      }
    }
    self.byTarget = byTarget
  }

  /// All stored properties that link to a model.
  package func holders(of model: String) -> [LinkHolder] { byTarget[model] ?? [] }
}

extension Schema {
  /// All stored properties that link to a model.
  package func holders(of model: String) -> [LinkHolder] {
    storedModels.flatMap { holder in
      holder.storedProperties.filter { $0.type.linkedModel == model }
        .map { LinkHolder(model: holder, property: $0) }
    }
  }

  /// The stored properties of a model that lead to embedded objects.
  func embeddings(of model: Model) -> [(holder: LinkHolder, target: Model)] {
    model.storedProperties.compactMap { property in
      guard let target = property.type.linkedModel.flatMap(self.model(named:)), target.isEmbedded
      else { return nil }
      return (LinkHolder(model: model, property: property), target)
    }
  }

  /// The links that take their holder along when an object of the model is deleted.
  func cascades(to model: Model) -> [LinkHolder] {
    holders(of: model.name).filter { !model.isEmbedded && $0.property.deleteRule == .cascade }
  }

  /// The models of which a deletion may take objects along in chains without an end: by what they embed, or by links that
  /// cascade.
  func modelsDeletedInChains() -> Set<String> {
    // By model, those whose objects go with one of it.
    var followers: [String: Set<String>] = [:]
    for model in storedModels {
      for property in model.storedProperties {
        guard let target = property.type.linkedModel.flatMap(self.model(named:)) else { continue }
        if target.isEmbedded {
          followers[model.name, default: []].insert(target.name)
        } else if property.deleteRule == .cascade {
          followers[target.name, default: []].insert(model.name)
        }
      }
    }
    let circles = followers.keys.filter { Self.reached(from: $0, by: followers).contains($0) }
    return followers.keys.reduce(into: Set(circles)) { result, name in
      if !Self.reached(from: name, by: followers).isDisjoint(with: circles) { result.insert(name) }
    }
  }

  /// The embedded models whose objects may own themselves, directly or by others, and those between two of such.
  func modelsEmbeddedInRings() -> Set<String> {
    var owned: [String: Set<String>] = [:]
    for model in storedModels where model.isEmbedded {
      owned[model.name] = Set(embeddings(of: model).map(\.target.name))
    }
    let reached = owned.keys.reduce(into: [String: Set<String>]()) {
      $0[$1] = Self.reached(from: $1, by: owned)
    }
    let rings = reached.filter { $0.value.contains($0.key) }
    let behind = rings.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    return behind.filter { name in
      reached[name]?.contains { rings[$0] != nil } ?? false
    }
  }

  private static func reached(
    from name: String, by followers: [String: Set<String>]
  ) -> Set<String> {
    var found: Set<String> = []
    var rest = [name]
    while let next = rest.popLast() {
      for follower in followers[next] ?? [] where found.insert(follower).inserted {
        rest.append(follower)
      }
    }
    return found
  }
}
