import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let uniqueAdded = Rule(
    .uniqueAdded, .error, "Values have to be unique that need not have been.",
    help: {
      "say which of equal objects stays: 'deduplicate: { \($0.oldModel): { by: […], keep: first } }'"
    })
}

extension CheckedPair {
  /// What helps where no property of the old objects can tell them apart: making equal ones one does not.
  func valueHelp(for change: SchemaChange) -> String? {
    guard change.kind == .uniqueAdded, let name = change.path.property else { return nil }
    let asked = coverage.askedApart(change)
    if let old = change.oldPath.flatMap({ older.schema.model(named: $0.model) }), old.isEmbedded,
      let names = asked.first(where: { !$0.isEmpty })
    {
      return
        "tell equal ones apart in a Swift block ('swift: [\(change.path.model)]'), or say that there are none: 'deduplicate: { \(old.name): { by: \(names), keep: first } }'; embedded objects, each with its owner, do not become one"
    }
    guard asked.contains(where: \.isEmpty) else { return nil }
    var help = "give each a value of its own: 'set: { \(change.path.model): { \(name): … } }'"
    guard let old = change.oldPath else { return help }
    help += ", or let them go: 'delete: { \(old.model): old.\(old.property ?? "") == nil }'"
    if let names = asked.first(where: { !$0.isEmpty }) {
      help +=
        "; and say which of equal objects stays: 'deduplicate: { \(old.model): { by: \(names), keep: first } }'"
    }
    return help
  }
}
