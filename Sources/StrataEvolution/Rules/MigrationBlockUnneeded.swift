import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

extension Rule {
  static let migrationBlockUnneeded = Rule(
    "STR4011", "migration-block-unneeded", .warning, .advice,
    "A Swift block does nothing, or nothing runs it.",
    .pair { pair in
      let number = pair.newer.number
      return pair.newer.blocks.flatMap { file -> [Finding] in
        let tokens = SwiftLexer.tokens(of: file.bytes)
        guard let name = tokens.firstIndex(where: { $0.text == "toVersion\(number)" }) else {
          return []
        }
        let span = file.span(tokens[name].range)
        if pair.newer.step?.step.swiftModels.isEmpty ?? true {
          let step = file.path(ofSibling: "\(number).yaml")
          return [
            Finding(
              "no step says that this block touches anything, so that it never runs", at: span,
              help: "name its models behind 'swift:' in \(step), or delete it")
          ]
        }
        let empty = EachClosure.all(in: tokens).filter { $0.isEmpty(in: tokens) }
        let unneeded = empty.filter { !pair.asksBlock(of: $0.model) }
        if unneeded.count == empty.count,
          CheckedVersion.isEmpty(tokens, from: name, without: empty)
        {
          return [
            Finding("the block does nothing", at: span, help: "delete it, and 'swift:' in the step")
          ]
        }
        return unneeded.map { each in
          Finding(
            "this 'each' does nothing with the objects of '\(each.model)'",
            at: file.span(tokens[each.call].range), help: "delete it, or write what it is to do")
        }
      }
    })
}

extension CheckedVersion {
  /// Models behind `swift:` with whose objects its block does nothing: its passes over them are empty, and nothing else there names
  /// them.
  var idleModels: Set<String> {
    let models = step?.step.swiftModels ?? []
    for file in blocks where !models.isEmpty {
      let tokens = SwiftLexer.tokens(of: file.bytes)
      guard let name = tokens.firstIndex(where: { $0.text == "toVersion\(number)" }) else {
        continue
      }
      let empty = EachClosure.all(in: tokens).filter { $0.isEmpty(in: tokens) }
      if Self.isEmpty(tokens, from: name, without: empty) { return models }
      if EachClosure.isHandedOn(in: tokens) { return [] }
      let others = tokens.indices.filter { index in
        !empty.contains { $0.statement.contains(index) }
      }
      let named = Set(others.map { tokens[$0].text })
      return models.filter { model in
        let name = schema.model(named: model)?.swiftName ?? model
        return !named.contains(name) && empty.contains { $0.model == name }
      }
    }
    return []
  }

  /// `Step(to: 5) { step in }`, with nothing in it but some statements.
  fileprivate static func isEmpty(
    _ tokens: [SwiftToken], from name: Int, without statements: [EachClosure]
  ) -> Bool {
    guard let open = tokens[name...].firstIndex(where: { $0.text == "{" }),
      let end = SwiftBrackets(tokens).end(at: open)
    else { return false }
    let inside = (open + 1)..<(end - 1)
    let body = inside.filter { index in !statements.contains { $0.statement.contains(index) } }
      .map { tokens[$0].text }
    return body.isEmpty || (body.count <= 2 && body.last == "in")
  }
}

extension CheckedPair {
  /// Whether a property of a model, by its Swift name, is left to the block: an empty one is wrong then (STR4012), not unneeded.
  fileprivate func asksBlock(of name: String) -> Bool {
    changes.contains { change in
      guard change.kind == .requiredPropertyAdded, let property = change.path.property,
        step?.set[change.path.model]?[property] == nil
      else { return false }
      let model = newer.schema.model(named: change.path.model)
      return model?.swiftName ?? change.path.model == name
    }
  }
}
