import StrataExpression
import StrataSchema
import StrataSource

extension Rule {
  static let blockLeavesPropertyUnfilled = Rule(
    "STR4012", "block-leaves-property-unfilled", .error, .never,
    "A Swift block is to fill a required property and never assigns it.",
    help: {
      "assign '\($0.name)' on every path of the block, or say it with 'set:'; 'strata verify' finds paths that don't"
    },
    .pair { pair in
      guard let step = pair.newer.step, pair.newer.hasBlock else { return [] }
      let assigned = Set(
        pair.newer.blocks.flatMap { assignedNames(SwiftLexer.tokens(of: $0.bytes)) })
      return pair.changes.compactMap { change in
        guard change.kind == .requiredPropertyAdded, let name = change.path.property,
          step.step.swiftModels.contains(change.path.model),
          step.step.set[change.path.model]?[name] == nil
        else { return nil }
        let property = pair.newer.schema.model(named: change.path.model)?.property(named: name)
        guard !assigned.contains(property?.swiftName ?? name) else { return nil }
        return Finding(
          "no Swift file of the step assigns '\(change.path)', which is required",
          at: pair.span(of: change) ?? step.places[.swift(change.path.model)], path: change.path,
          version: pair.newer.number)
      }
    })

  /// The names behind a dot and before an assignment, and those of arguments: `new.name = `, `name:`.
  private static func assignedNames(_ tokens: [SwiftToken]) -> [String] {
    tokens.indices.dropLast(2).compactMap { index in
      guard tokens[index].kind == .identifier else { return nil }
      let next = tokens[index + 1].text
      if next == ":" { return tokens[index].text }
      let isMember = index > 0 && tokens[index - 1].text == "."
      guard isMember else { return nil }
      // Everything that changes the value in place counts, too: `+=`, `.append(…)`.
      let isAssigned =
        next == "=" && tokens[index + 2].text != "="
        || ["+", "-", "*", "/", "."].contains(next)
      return isAssigned ? tokens[index].text : nil
    }
  }
}
