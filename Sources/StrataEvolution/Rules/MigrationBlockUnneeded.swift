import StrataExpression
import StrataHistory
import StrataSource

extension Rule {
  static let migrationBlockUnneeded = Rule(
    "STR4011", "migration-block-unneeded", .warning, .advice,
    "A Swift block does nothing, or nothing runs it.",
    .pair { pair in
      let number = pair.newer.number
      return pair.newer.blocks.compactMap { file in
        let tokens = SwiftLexer.tokens(of: file.bytes)
        guard let name = tokens.firstIndex(where: { $0.text == "toVersion\(number)" }) else {
          return nil
        }
        let span = file.span(tokens[name].range)
        if pair.newer.step?.step.swiftModels.isEmpty ?? true {
          let step = file.path(ofSibling: "\(number).yaml")
          return Finding(
            "no step says that this block touches anything, so that it never runs", at: span,
            help: "name its models behind 'swift:' in \(step), or delete it")
        }
        guard isEmpty(tokens[name...]) else { return nil }
        return Finding(
          "the block does nothing", at: span, help: "delete it, and 'swift:' in the step")
      }
    })

  /// `Step(to: 5) { step in }`
  private static func isEmpty(_ tokens: ArraySlice<SwiftToken>) -> Bool {
    guard let open = tokens.firstIndex(where: { $0.text == "{" }),
      let close = tokens[open...].firstIndex(where: { $0.text == "}" })
    else { return false }
    let body = tokens[(open + 1)..<close].map(\.text)
    return body.isEmpty || (body.count <= 2 && body.last == "in")
  }
}
