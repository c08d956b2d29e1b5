import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let uniqueAdded = Rule(
    .uniqueAdded, .error, "Values have to be unique that need not have been.",
    help: {
      "say which of equal objects stays: 'deduplicate: { \($0.oldModel.inYAML): { by: […], keep: first } }'"
    })
}

extension CheckedPair {
  /// What helps where no property of the old objects can tell them apart: making equal ones one does not.
  func valueHelp(for change: SchemaChange) -> String? {
    guard change.kind == .uniqueAdded else { return nil }
    if coverage.comparesLinksTooEarly(change) { return helpForMergedLinks(of: change.path.model) }
    guard let name = change.path.property else { return nil }
    let asked = coverage.askedApart(change)
    if let old = change.oldPath.flatMap({ older.schema.model(named: $0.model) }), old.isEmbedded,
      let names = asked.first(where: { !$0.isEmpty })
    {
      return
        "tell equal ones apart in a Swift block ('swift: [\(change.path.model.inYAML)]'), or say that there are none: 'deduplicate: { \(old.name.inYAML): { by: \(names), keep: first } }'; embedded objects, each with its owner, do not become one"
    }
    guard asked.contains(where: \.isEmpty) else { return nil }
    var help =
      "give each a value of its own: 'set: { \(change.path.model.inYAML): { \(name.inYAML): … } }'"
    guard let old = change.oldPath else { return help }
    help += ", or let them go: 'delete: { \(old.model.inYAML): old.\(old.property ?? "") == nil }'"
    if let names = asked.first(where: { !$0.isEmpty }) {
      help +=
        "; and say which of equal objects stays: 'deduplicate: { \(old.model.inYAML): { by: \(names), keep: first } }'"
    }
    return help
  }
}

extension CheckedPair {
  /// Where `deduplicate:` makes links lead to the same object: objects that differed in the link alone agree, though nothing of
  /// their own model changed. The step's own `deduplicate:` of them would come too early: it compares what was before.
  var mergedLinkFindings: [Finding] {
    guard isOpen else { return [] }
    return newer.schema.storedModels.flatMap { model in
      coverage.mergedApart(model).map { names, links in
        let (list, link) = (names.joined(separator: ", "), links.joined(separator: ", "))
        let asked = names.count > 1 ? "\(list) together have" : "\(list) has"
        return Finding(
          "\(asked) to be unique in '\(model.name)', and objects that differ in \(link) may agree once 'deduplicate:' makes those one that they lead to",
          at: newer.places[SchemaPath(model.name)] ?? newer.places.version,
          path: SchemaPath(model.name), oldPath: nil,
          help: helpForMergedLinks(of: model.name), version: newer.number)
      }
    }
  }

  private func helpForMergedLinks(of model: String) -> String {
    "tell them apart in a Swift block, 'swift: [\(model.inYAML)]', or delete all but one there; where no file has such objects, say so in 'accept:'"
  }
}
