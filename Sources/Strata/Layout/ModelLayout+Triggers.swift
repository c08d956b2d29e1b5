import StrataSQLite
import StrataSchema

extension ModelLayout {
  /// The triggers that the declarations of one model ask for, on whatever table they stand.
  static func triggers(of model: Model, in schema: Schema) -> [TriggerDefinition] {
    var result: [TriggerDefinition] = []
    for property in model.storedProperties {
      guard let target = property.type.linkedModel.flatMap(schema.model(named:)) else { continue }
      if target.isEmbedded {
        result += embeddedTriggers(of: property, in: model, target)
      } else if property.type.isCollection && property.deleteRule == .cascade {
        result.append(cascadeTrigger(of: property, in: model, target))
      }
    }
    return result + fulltexts(of: model).flatMap(\.triggers)
  }

  /// An embedded object goes with its owner, and when another one takes its place.
  private static func embeddedTriggers(
    of property: Property, in owner: Model, _ target: Model
  ) -> [TriggerDefinition] {
    let collection = LayoutNames.collection(owner.name, property.name)
    let table = property.type.isCollection ? collection : owner.name
    let name = property.type.isCollection ? LayoutNames.value : property.name
    let column = SQL.identifier(name)
    let remove =
      "DELETE FROM \(SQL.identifier(target.name)) "
      + "WHERE \(SQL.identifier(LayoutNames.row)) = \(TriggerDefinition.old(name, writing: target))"
    return [
      TriggerDefinition(
        name: "\(collection).deleted", table: table, event: "AFTER DELETE",
        condition: "OLD.\(column) IS NOT NULL", statements: [remove]),
      TriggerDefinition(
        name: "\(collection).replaced", table: table, event: "AFTER UPDATE OF \(column)",
        condition: "OLD.\(column) IS NOT NULL AND OLD.\(column) IS NOT NEW.\(column)",
        statements: [remove]),
    ]
  }

  /// The owner of a collection goes with an element. Before the delete: after it the foreign key has taken
  /// the element out of the collection, and the owner is unknown.
  private static func cascadeTrigger(
    of property: Property, in owner: Model, _ target: Model
  ) -> TriggerDefinition {
    let collection = LayoutNames.collection(owner.name, property.name)
    let row = SQL.identifier(LayoutNames.row)
    return TriggerDefinition(
      name: "\(collection).cascade", table: target.name, event: "BEFORE DELETE", condition: nil,
      statements: [
        "DELETE FROM \(SQL.identifier(owner.name)) WHERE \(row) IN "
          + "(SELECT \(SQL.identifier(LayoutNames.owner)) FROM \(SQL.identifier(collection)) "
          + "WHERE \(SQL.identifier(LayoutNames.value)) = OLD.\(row))"
      ])
  }
}
