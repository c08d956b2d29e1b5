import Strata
import StrataHistory
import StrataSchema

extension SampleDatabase {
  /// Why models have fewer sample objects than were asked for, as the end of a sentence; sorted by the models' names.
  ///
  /// - Parameters:
  ///   - counts: what `create` has made.
  ///   - objects: objects of each model that were asked for.
  package func shortages(
    _ counts: [String: Int], objects: Int
  ) -> [(model: String, reason: String)] {
    let numbered = SampleNumbering(schema: version.schema, objects: objects).counts
    /// Objects that were made and are gone, because they or what they need kept no rule.
    func isCut(_ model: String) -> Bool { counts[model] ?? 0 < numbered[model] ?? 0 }
    return version.schema.storedModels.sorted { $0.name < $1.name }.compactMap { model in
      guard let count = counts[model.name], count < objects else { return nil }
      var limits: [String] = []
      if numbered[model.name] ?? objects < objects { limits.append("unique keys") }
      if isCut(model.name), !model.rules.isEmpty { limits.append("rules") }
      var reasons: [String] = []
      if !limits.isEmpty { reasons.append("its \(limits.joined(separator: " or ")) allow no more") }
      for target in isCut(model.name) ? needs(of: model) : [] {
        if target.isEmbedded, !target.rules.isEmpty {
          reasons.append("the rules of \(target.name) in it allow no more")
        } else if !target.isEmbedded, target.name != model.name, isCut(target.name) {
          reasons.append(
            "each needs an object of \(target.name), of which there are \(counts[target.name] ?? 0)"
          )
        }
      }
      if reasons.isEmpty { reasons.append("no more were found that keep all rules") }
      return (model.name, reasons.joined(separator: ", and "))
    }
  }

  /// The models of objects with which an object of a model goes: no link is left behind, whatever its delete rule says.
  private func needs(of model: Model) -> [Model] {
    var names: Set<String> = []
    return (model.columnProperties + model.collectionProperties).compactMap { property in
      guard case .object(let name)? = property.type.valueType?.base,
        let target = version.schema.model(named: name),
        target.isEmbedded || property.deleteRule == .cascade || property.isRequiredColumn,
        names.insert(name).inserted
      else { return nil }
      return target
    }
  }
}
