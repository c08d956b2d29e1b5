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
      let nesting = EmbeddedNesting(version.schema)
      return version.schema.storedModels.filter(\.isEmbedded).compactMap { model in
        let path = SchemaPath(model.name)
        let found = nesting.depths[model.name]
        if let found, found <= deepestNesting { return nil }
        return Finding(
          found.map { "objects of '\(model.name)' hold embedded ones \($0) deep" }
            ?? "'\(model.name)' can stand in itself without an end",
          at: version.places[path], path: path)
      }
    })
}

/// How deeply the embedded models of a schema stand in one another.
///
/// The models that hold no other one come first, then each whose models are all known: every link is followed once, however many
/// ways lead to a model.
struct EmbeddedNesting {
  /// By model, how many embedded objects stand in one another there, its own included. Missing where a circle is reached, which has
  /// no end.
  private(set) var depths: [String: Int] = [:]
  /// How many links from one embedded model to another were followed.
  private(set) var followedCount = 0

  init(_ schema: Schema) {
    let models = schema.models.filter(\.isEmbedded)
    let names = Set(models.map(\.name))
    var holders: [String: [String]] = [:]
    var unknownCounts: [String: Int] = [:]
    var next: [String] = []
    for model in models {
      let held = names.intersection(model.storedProperties.compactMap(\.type.linkedModel))
      for name in held { holders[name, default: []].append(model.name) }
      unknownCounts[model.name] = held.count
      if held.isEmpty { next.append(model.name) }
    }
    // Below each model, as far as is known.
    var below: [String: Int] = [:]
    while let name = next.popLast() {
      let depth = below[name, default: 0] + 1
      depths[name] = depth
      for holder in holders[name, default: []] {
        followedCount += 1
        below[holder] = max(below[holder, default: 0], depth)
        unknownCounts[holder, default: 0] -= 1
        if unknownCounts[holder] == 0 { next.append(holder) }
      }
    }
  }
}
