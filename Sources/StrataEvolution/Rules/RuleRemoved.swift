import StrataSchema
import StrataSource

extension Rule {
  static let ruleRemoved = Rule(
    .ruleRemoved, .warning,
    "A rule is removed: code may rely on what it kept.",
    help: {
      "look through code that relies on '\($0.name)'"
    })
}
