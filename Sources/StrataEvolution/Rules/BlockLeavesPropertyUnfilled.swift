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
            culprit = culprit ?? found.culprit.map { file.span($0.range) }
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

/// The closure of `step.each(V0.Person.self, V1.Person.self) { old, new in … }`.
private struct EachClosure {
  /// What it calls the new object.
  var object: String
  /// Its tokens behind `in`.
  var body: Range<Int>

  /// Those whose new objects are of a model.
  static func all(in tokens: [SwiftToken], of model: String) -> [EachClosure] {
    calls(in: tokens).compactMap { call in
      guard let brace = brace(of: call, tokens), tokens[brace - 4].text == model else { return nil }
      return closure(tokens, brace)
    }
  }

  /// Whether objects or the step itself are handed to a function: `each(V0.Person.self, V1.Person.self, fill)`, `fill(step)`.
  static func isHandedOn(in tokens: [SwiftToken]) -> Bool {
    let isHidden = calls(in: tokens).contains { call in
      brace(of: call, tokens).flatMap { closure(tokens, $0) } == nil
    }
    return isHidden || handsOnStep(tokens)
  }

  /// Where `each` stands, of each call.
  private static func calls(in tokens: [SwiftToken]) -> [Int] {
    tokens.indices.dropFirst().filter {
      tokens[$0].text == "each" && tokens[$0].kind == .identifier && tokens[$0 - 1].text == "."
    }
  }

  /// The brace of `each(V0.Person.self, V1.Person.self) {`; nil for a call of another form.
  private static func brace(of call: Int, _ tokens: [SwiftToken]) -> Int? {
    let end = tokens[(call + 1)...].prefix(16).firstIndex { $0.text == ")" }
    guard let end, end - call >= 4, tokens[end - 1].text == "self", end + 1 < tokens.count,
      tokens[end + 1].text == "{"
    else { return nil }
    return end + 1
  }

  /// Whether what `Step(to: 1) { step in` names stands anywhere without a dot behind it.
  private static func handsOnStep(_ tokens: [SwiftToken]) -> Bool {
    let name = tokens.indices.dropFirst(2).first {
      tokens[$0].text == "in" && tokens[$0 - 2].text == "{" && tokens[$0 - 1].kind == .identifier
    }.map { tokens[$0 - 1].text }
    return tokens.indices.contains { index in
      guard tokens[index].kind == .identifier, tokens[index].text == name ?? "$0",
        index + 1 < tokens.count, index == 0 || tokens[index - 1].text != "."
      else { return false }
      return ![".", ":", "in"].contains(tokens[index + 1].text)
    }
  }

  private static func closure(_ tokens: [SwiftToken], _ open: Int) -> EachClosure? {
    var depth = 0
    let close = tokens[open...].firstIndex {
      if $0.kind == .sign, $0.text == "{" { depth += 1 }
      if $0.kind == .sign, $0.text == "}" { depth -= 1 }
      return depth == 0
    }
    guard let close else { return nil }
    let head = tokens[(open + 1)..<close].prefix(16)
    guard let start = head.firstIndex(where: { $0.text == "in" }) else {
      return EachClosure(object: "$1", body: (open + 1)..<close)
    }
    // (old, new), old, new, or with types.
    let names = head.prefix(upTo: start).filter { $0.kind == .identifier }
    let comma = head.prefix(upTo: start).firstIndex { $0.text == "," }
    guard let comma, comma + 1 < start, names.count >= 2 else { return nil }
    return EachClosure(object: tokens[comma + 1].text, body: (start + 1)..<close)
  }
}
