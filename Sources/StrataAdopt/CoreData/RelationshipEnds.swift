import StrataSchema

/// The ends of the relationships of a Core Data model, by the model that declares each and by our names. A relationship has two ends, of
/// which one may be missing, and one of them or both are stored.
struct RelationshipEnds: Sendable {
  /// Each end, and the other one of its relationship.
  private(set) var inverses: [SchemaPath: SchemaPath?] = [:]
  /// The entity that each leads to, by our names, where that is known.
  private(set) var targets: [SchemaPath: String] = [:]
  /// Those whose relationship may have another end, or none: nothing tells.
  private(set) var halves: Set<SchemaPath> = []

  init() {}

  init(_ mapping: CoreDataMapping) {
    func path(_ index: Int) -> SchemaPath {
      let relationship = mapping.relationships[index]
      return SchemaPath(mapping.entities[relationship.entity].name, relationship.name)
    }
    for index in mapping.relationships.indices {
      inverses[path(index)] = .some(mapping.inverse(of: index).map(path))
      targets[path(index)] = mapping.entities[mapping.relationships[index].target].name
    }
  }

  /// What a schema tells of a version whose model is not there any more: an end that is computed names the other one. Of two that are
  /// stored, and of links of type any, it does not tell which belong together.
  init(toldBy schema: Schema) {
    let lines = schema.lines
    var computed: [SchemaPath: [SchemaPath]] = [:]
    for model in schema.models {
      let inherited = (lines[model.name] ?? []).dropFirst()
      for property in model.properties {
        let path = SchemaPath(model.name, property.name)
        if case .inverse(let source, let name) = property.type {
          let end = lines[source]?.last {
            schema.model(named: $0)?.property(named: name)?.isStored == true
          }
          if let end { computed[SchemaPath(end, name), default: []].append(path) }
        } else if let base = property.type.valueType?.base, property.isStored,
          base == .scalar(.any) || property.type.linkedModel != nil,
          !inherited.contains(where: {
            schema.model(named: $0)?.property(named: property.name)?.isStored == true
          })
        {
          inverses[path] = .some(nil)
          targets[path] = property.type.linkedModel
          halves.insert(path)
        }
      }
    }
    for (end, paths) in computed {
      // Of several, each is computed from the links of another sub-entity, and has a name that no version of the model knows.
      guard paths.count == 1, inverses[end] != nil else { continue }
      inverses[end] = paths[0]
      inverses[paths[0]] = end
      targets[paths[0]] = end.model
      halves.remove(end)
    }
  }

  func contains(_ end: SchemaPath) -> Bool { inverses[end] != nil }

  func inverse(of end: SchemaPath) -> SchemaPath? { inverses[end] ?? nil }
}

extension Schema {
  /// As many ancestors as a model may have.
  private static let maximumAncestors = 16

  /// Each model, with itself and its ancestors.
  var lines: [String: [String]] {
    Dictionary(models.map { ($0.name, line(of: $0.name)) }) { first, _ in first }
  }

  /// A model and its ancestors.
  func line(of model: String) -> [String] {
    var line: [String] = []
    var next = self.model(named: model)
    while let current = next, line.count <= Self.maximumAncestors {
      line.append(current.name)
      next = current.extends.flatMap { self.model(named: $0) }
    }
    return line
  }
}
