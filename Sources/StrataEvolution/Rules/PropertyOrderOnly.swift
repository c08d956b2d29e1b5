import StrataSchema
import StrataSource

extension Rule {
  static let propertyOrderOnly = Rule(
    "STR3207", "property-order-only", .info, .automatic,
    "Properties stand in another order than in the baseline.",
    help: { _ in
      "the order of properties is that of initialisers' arguments; data does not depend on it"
    },
    .history { input in
      guard let working = input.working, let order = working.places.order,
        let before = input.baseline?.order, let schema = input.baseline?.working
      else { return [] }
      return working.schema.models.compactMap { model in
        let path = SchemaPath(model.name)
        guard schema.model(named: model.name) == model, let now = order.properties[model.name],
          let then = before.properties[model.name], now != then
        else { return nil }
        return Finding(
          "the properties of '\(model.name)' stand in another order", at: working.places[path],
          path: path)
      }
    })
}
