import StrataSchema
import StrataSource

extension Rule {
  /// How deeply embedded objects may stand in one another without a remark.
  private static let deepestNesting = 4

  static let embeddedNesting = Rule(
    "STR3805", "embedded-nesting-too-deep", .info, .advice,
    "Embedded objects stand in one another more than four deep, or without an end.",
    help: { _ in "make it a model that is linked to" },
    .version { version in
      let schema = version.schema
      /// How many embedded models may stand below one; nil where there is no end.
      func depth(_ name: String, _ above: [String]) -> Int? {
        guard let model = schema.model(named: name), model.isEmbedded else { return 0 }
        if above.contains(name) { return nil }
        var deepest = 0
        for property in model.storedProperties {
          guard let target = property.type.linkedModel else { continue }
          guard above.count <= 2 * deepestNesting else { return nil }
          guard let below = depth(target, above + [name]) else { return nil }
          deepest = max(deepest, below)
        }
        return deepest + 1
      }
      return schema.storedModels.filter(\.isEmbedded).compactMap { model in
        let path = SchemaPath(model.name)
        let found = depth(model.name, [])
        if let found, found <= deepestNesting { return nil }
        return Finding(
          found == nil
            ? "'\(model.name)' can stand in itself without an end"
            : "objects of '\(model.name)' hold embedded ones \(found ?? 0) deep",
          at: version.places[path], path: path)
      }
    })
}
