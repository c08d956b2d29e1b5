import StrataSchema
import StrataSource

extension Rule {
  static let modelMerged = Rule(
    .modelMerged, .error, "A model is gone and another one has all of its properties.",
    help: {
      "create its objects there in a Swift block: 'swift: [\($0.name.inYAML)]'; say what happens to keys that collide"
    })
}
