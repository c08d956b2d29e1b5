import StrataSchema
import StrataSource

extension Rule {
  static let embeddingChanged = Rule(
    .embeddingChanged, .error, "An embedded model stands on its own, or the reverse.",
    help: {
      "write a Swift block, 'swift: [\($0.name.inYAML)]', that says what becomes of orphans and of shared objects"
    })
}
