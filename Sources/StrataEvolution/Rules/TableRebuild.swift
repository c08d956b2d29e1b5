import StrataSchema
import StrataSource

extension Rule {
  static let tableRebuild = Rule(
    "STR3951", "table-rebuild", .info, .advice,
    "A change makes SQLite write a whole table anew.",
    help: { _ in "all changes to one table, of all skipped versions, are made in one pass" },
    .pair { pair in
      guard pair.isOpen else { return [] }
      let models = Set(pair.changes.filter(\.kind.rebuildsTable).map(\.path.model))
      return models.sorted().compactMap { name in
        let path = SchemaPath(name)
        guard pair.newer.schema.model(named: name) != nil else { return nil }
        return Finding(
          "the table of '\(name)' is written anew", at: pair.newer.places[path], path: path)
      }
    })
}

extension ChangeKind {
  /// Whether more than the table's description changes.
  fileprivate var rebuildsTable: Bool {
    switch self {
    case .requiredPropertyAdded, .typeWidened, .typeChangedLossy, .typeChangedIncompatible,
      .madeRequired, .madeOptional, .relationshipTargetChanged, .linkMadeRequired,
      .deleteRuleChanged, .embeddingChanged, .enumRawTypeChanged, .modelSplit, .propertyMoved:
      true
    default: false
    }
  }
}
