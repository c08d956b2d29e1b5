import StrataSchema
import StrataSource

extension Rule {
  static let indexRedundant = Rule(
    "STR3603", "index-redundant", .info, .advice,
    "An index finds nothing that another one, a key or a uniqueness would not find.",
    help: { _ in "remove it" },
    .version { version in
      var findings: [Finding] = []
      for model in version.schema.storedModels {
        var orders = model.indexes + model.uniques
        if !model.primaryKey.isEmpty { orders.append(model.primaryKey) }
        for index in model.indexes {
          let longer = orders.filter { $0.count > index.count && $0.starts(with: index) }
          let isKey = index == model.primaryKey || model.uniques.contains(index)
          guard !longer.isEmpty || isKey else { continue }
          findings.append(
            Finding(
              "the index over \(index.joined(separator: ", ")) is the beginning of another one",
              at: version.places.find(SchemaPath(model.name), .indexes),
              path: SchemaPath(model.name)))
        }
        // By their places, because few have an index and copies of all take time.
        for place in model.properties.indices
        where model.properties[place].index == .ordinary && model.properties[place].isStored {
          let property = model.properties[place]
          let isFirst = orders.contains { $0.first == property.name }
          guard isFirst || property.isUnique else { continue }
          let path = SchemaPath(model.name, property.name)
          findings.append(
            Finding(
              "'\(path)' is found by a key or another index already",
              at: version.places.find(path, .index), path: path))
        }
      }
      return findings
    })
}
