import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let blockLeavesPropertyUnfilled = Rule(
    "STR4012", "block-leaves-property-unfilled", .error, .never,
    "A Swift block is to fill a required property and does not assign it on every path.",
    help: {
      "assign '\($0.name)' on every path of the block, or say it with 'set:'; 'strata verify' finds what this does not see"
    },
    .pair { pair in
      guard let step = pair.newer.step, pair.newer.hasBlock else { return [] }
      let files = pair.newer.blocks.map { (file: $0, tokens: SwiftLexer.tokens(of: $0.bytes)) }
      let assigned = Set(files.flatMap { assignedNames($0.tokens) })
      return pair.changes.compactMap { change in
        guard change.kind == .requiredPropertyAdded, let name = change.path.property,
          step.step.swiftModels.contains(change.path.model),
          step.step.set[change.path.model]?[name] == nil
        else { return nil }
        let model = pair.newer.schema.model(named: change.path.model)
        let member = model?.property(named: name)?.swiftName ?? name
        var culprit: SourceSpan?
        for (file, tokens) in files {
          for each in EachClosure.all(in: tokens, of: model?.swiftName ?? change.path.model) {
            let found = DefiniteAssignment(
              body: tokens[each.body], object: each.object, property: member)
            // Another pass over the model may assign what this one leaves.
            if found.isAssigned { return nil }
            // A body without a token is seen at its `each`.
            culprit = culprit ?? file.span((found.culprit ?? tokens[each.call]).range)
          }
        }
        guard assigned.contains(member) else {
          // A function may assign it, whose text is in another file or module.
          if files.contains(where: { EachClosure.isHandedOn(in: $0.tokens) }) { return nil }
          return Finding(
            "no Swift file of the step assigns '\(change.path)', which is required",
            at: pair.span(of: change) ?? step.places[.swift(change.path.model)],
            path: change.path, version: pair.newer.number)
        }
        guard let culprit else { return nil }
        return Finding(
          "'\(change.path)' is required, and a path through here leaves it without a value",
          at: culprit, path: change.path, version: pair.newer.number)
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
