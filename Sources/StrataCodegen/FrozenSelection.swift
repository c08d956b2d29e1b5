import StrataExpression
import StrataHistory
import StrataSchema

/// The models of one version that Swift blocks work with.
struct FrozenSelection {
  let schema: Schema
  let date: String
  let isFrozen: Bool
  /// Models that a step next to the version names: their types have all properties.
  private(set) var named: Set<String> = []

  /// Models that are only linked to from named ones: their types are opaque.
  var linked: Set<String> {
    var result: Set<String> = []
    for name in named {
      for property in schema.model(named: name)?.storedProperties ?? [] {
        if let target = property.type.linkedModel, !named.contains(target) { result.insert(target) }
      }
    }
    return result
  }

  /// The versions that stand next to a step with a Swift block, oldest first.
  static func all(in history: History) -> [FrozenSelection] {
    var selections = history.versions.map {
      FrozenSelection(schema: $0.schema, date: $0.date, isFrozen: $0.isFrozen)
    }
    for (index, version) in history.versions.enumerated().dropFirst() {
      guard let step = version.step, step.hasBlock else { continue }
      let older = history.versions[index - 1].schema
      for name in step.swiftModels {
        if version.schema.model(named: name)?.isAbstract == false {
          selections[index].named.insert(name)
        }
        if let old = step.renames.oldModel(of: name, in: older) ?? older.model(named: name),
          !old.isAbstract
        {
          selections[index - 1].named.insert(old.name)
        }
      }
    }
    return selections.filter { !$0.named.isEmpty }
  }
}
