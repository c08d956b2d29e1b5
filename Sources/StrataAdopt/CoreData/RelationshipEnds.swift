import StrataSchema

/// The ends of the relationships of a Core Data model, by the model that declares each and by our names. A relationship has two ends, of
/// which one may be missing, and one of them or both are stored.
struct RelationshipEnds: Sendable {
  /// Each end, and the other one of its relationship.
  private(set) var inverses: [SchemaPath: SchemaPath?] = [:]

  init() {}

  init(_ mapping: CoreDataMapping) {
    func path(_ index: Int) -> SchemaPath {
      let relationship = mapping.relationships[index]
      return SchemaPath(mapping.entities[relationship.entity].name, relationship.name)
    }
    for index in mapping.relationships.indices {
      inverses[path(index)] = .some(mapping.inverse(of: index).map(path))
    }
  }

  func contains(_ end: SchemaPath) -> Bool { inverses[end] != nil }

  func inverse(of end: SchemaPath) -> SchemaPath? { inverses[end] ?? nil }
}
