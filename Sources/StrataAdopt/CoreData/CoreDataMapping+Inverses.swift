import StrataFrontend
import StrataSchema

/// Which side of a relationship is stored, and what becomes of the other one.
///
/// A link to an entity with sub-entities is of type any, because an ordinary one leads to one model; nothing is computed from it. Where
/// nevertheless all that one side says stands in the other one, only that one is stored: two would fall out of step.
extension CoreDataMapping {
  enum Side {
    case stored
    /// Computed from the inverse's links.
    case computed(inverse: Int)
    /// Computed from the links of each of these entities, which have inherited the inverse or declare it.
    case computedByEntity(inverse: Int, entities: [Int])
    /// Left out: the links that lead back are of type any.
    case leftOut(inverse: Int)
  }

  /// Whether links to an entity may lead to several models, or to none.
  func branches(_ entity: Int) -> Bool {
    entities[entity].hasChildren || entities[entity].node.attributes["isAbstract"] == "YES"
  }

  func inverse(of index: Int) -> Int? {
    let relationship = relationships[index]
    guard let name = relationship.inverse else { return nil }
    let line = lineage(relationship.inverseEntity ?? relationship.target)
    return relationships.indices.first { other in
      line.contains(relationships[other].entity)
        && entities[relationships[other].entity].names[name]?.name == relationships[other].name
    }
  }

  func side(_ index: Int) -> Side {
    guard let inverse = inverse(of: index), inverse != index, isDerived(index, from: inverse)
    else { return .stored }
    let relationship = relationships[index]
    if branches(relationship.entity) { return .leftOut(inverse: inverse) }
    guard branches(relationship.target) else { return .computed(inverse: inverse) }
    let holders = entities.indices.filter {
      lineage($0).contains(relationship.target)
        && entities[$0].node.attributes["isAbstract"] != "YES"
    }
    return holders.isEmpty
      ? .leftOut(inverse: inverse) : .computedByEntity(inverse: inverse, entities: holders)
  }

  /// Whether everything that a relationship says stands in its inverse, and of two such ones this is the one to go.
  private func isDerived(_ index: Int, from inverse: Int) -> Bool {
    let (one, other) = (relationships[index], relationships[inverse])
    guard one.isToMany, !one.isOrdered, !one.isTransient, !other.isTransient,
      other.target == one.entity, other.entity == one.target,
      // The other side's rule stands here, where links lead to one model.
      other.rule == "Nullify" || branches(one.target)
    else { return false }
    guard other.isToMany, !other.isOrdered else { return true }
    // Of two unordered ones the one whose objects are of one model can be computed, else the later one.
    if branches(one.entity) != branches(one.target) { return branches(one.target) }
    if !branches(one.entity), one.rule != "Nullify" { return true }
    func key(_ r: Relationship) -> (String, String) { (entities[r.entity].name, r.name) }
    return key(one) > key(other)
  }

  /// Adds what is computed in place of a relationship, or says why nothing is.
  mutating func addDerived(_ index: Int, _ side: Side) {
    let relationship = relationships[index]
    let (entity, source) = (entities[relationship.entity].sourceName, relationship.sourceName)
    func type(_ entity: Int, _ inverse: Int) -> PropertyType {
      .inverse(model: entities[entity].name, property: relationships[inverse].name)
    }
    func back(_ inverse: Int) -> String {
      "\(entities[relationships[inverse].entity].sourceName).\(relationships[inverse].sourceName)"
    }
    func noteRule(of inverse: Int) -> String? {
      let rule = relationships[inverse].rule
      return rule == "Nullify"
        ? nil : "the inverse's delete rule \(rule) is not kept: only stored, typed links have one"
    }
    switch side {
    case .stored: return
    case .computed(let inverse):
      entities[relationship.entity].properties.append(
        Property(
          name: relationship.name, swiftName: relationship.swiftName,
          type: type(relationships[inverse].entity, inverse)))
    case .computedByEntity(let inverse, let holders):
      if holders.count == 1 {
        entities[relationship.entity].properties.append(
          Property(
            name: relationship.name, swiftName: relationship.swiftName,
            type: type(holders[0], inverse)))
        if holders[0] != relationship.target {
          note(
            .changed, entity, source,
            "it is computed from \(back(inverse)) of \(entities[holders[0]].sourceName), the one model that has it"
          )
        }
      } else {
        var keeper = NameKeeper(ofTypes: false)
        var taken: Set<String> = []
        for ancestor in lineage(relationship.entity) {
          taken.formUnion(entities[ancestor].names.values.map(\.name))
          taken.formUnion(entities[ancestor].properties.map(\.name))
        }
        for name in taken.sorted() { _ = keeper.name(name) }
        var names: [String] = []
        for holder in holders {
          let name = keeper.name("\(relationship.name)Of\(entities[holder].name)")
          names.append(name.name)
          entities[relationship.entity].properties.append(
            Property(
              name: name.name, swiftName: name.swiftName, type: type(holder, inverse)))
        }
        note(
          .changed, entity, source,
          "it is computed from \(back(inverse)), a property for each model that has it: \(names.joined(separator: ", "))"
        )
      }
      if let reason = noteRule(of: inverse) { note(.changed, entity, source, reason) }
    case .leftOut(let inverse):
      let other = relationships[inverse]
      note(
        .leftOut, entity, source,
        "it is stored once, as its inverse: look for objects whose \(back(inverse)) \(other.isToMany ? "has" : "is") the object. The inverse is of type any, from which nothing is computed"
      )
      if let reason = noteRule(of: inverse) { note(.changed, entity, source, reason) }
    }
  }
}
