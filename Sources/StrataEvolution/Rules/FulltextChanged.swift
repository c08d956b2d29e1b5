import StrataSchema
import StrataSource

extension Rule {
  static let fulltextChanged = Rule(
    .fulltextChanged, .warning,
    "A full-text index is added or removed; adding one reads all objects.", help: { _ in nil })
}
