import StrataExpression
import StrataSchema

/// What fits at a place of a condition.
struct Completion {
  struct Proposal {
    var text: String
    var detail: String
  }

  private static let comparisons = [
    ("==", "equal"), ("!=", "not equal"), ("<", "less"), ("<=", "at most"), (">", "greater"),
    (">=", "at least"), ("IN {", "one of"), ("BETWEEN {", "from … to"),
  ]
  private static let texts = [
    ("CONTAINS[c]", "contains, whatever the case"), ("BEGINSWITH[c]", "begins with"),
    ("ENDSWITH[c]", "ends with"), ("LIKE[c]", "with * and ?"),
  ]
  /// Of a property with a full-text index.
  private static let searches = [("TEXT", "has the words")]
  private static let aggregates = ["@count", "@sum", "@avg", "@min", "@max"]
  /// Proposals at most.
  private static let maximumProposals = 50

  let schema: Schema
  let model: Model

  /// - Returns: what fits, and how many UTF-16 units before the caret it takes the place of.
  func proposals(before text: String) -> (replaced: Int, proposals: [Proposal]) {
    // Inside of a text nothing is proposed but its end.
    guard text.count(where: { $0 == "'" }) % 2 == 0, text.count(where: { $0 == "\"" }) % 2 == 0
    else { return (0, []) }
    let word = String(text.reversed().prefix { Self.isOfPath($0) }.reversed())
    let before = String(text.dropLast(word.count))
    let words = before.split(whereSeparator: { $0 == " " || $0 == "(" || $0 == ")" })
    let last = words.last.map(String.init) ?? ""
    if let dot = word.lastIndex(of: ".") {
      guard let target = property(String(word[..<dot])) else { return (0, []) }
      let start = String(word[word.index(after: dot)...])
      return (start.utf16.count, members(of: target, starting: start))
    }
    let proposals: [Proposal]
    if let compared = comparedProperty(words) {
      proposals = values(of: compared)
    } else if isOperand(last), before.hasSuffix(" ") || before.hasSuffix(")") {
      proposals = operators(behind: last)
    } else {
      proposals =
        beginsOfPaths
        + ["NOT", "ANY", "ALL", "NONE"].map { Proposal(text: $0, detail: "") }
    }
    return (word.utf16.count, Self.fitting(proposals, word))
  }

  private static func isOfPath(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "."
      || character == "@" || character == "#"
  }

  private static func fitting(_ proposals: [Proposal], _ start: String) -> [Proposal] {
    let start = plain(start)
    return Array(proposals.filter { plain($0.text).hasPrefix(start) }.prefix(maximumProposals))
  }

  /// As it is compared: a name fits with `#` and without.
  private static func plain(_ text: String) -> String {
    (text.first == "#" ? String(text.dropFirst()) : text).lowercased()
  }

  /// The names of properties where a path begins.
  private var beginsOfPaths: [Proposal] {
    names(of: model).map {
      Proposal(text: Expression.beginOfPath($0.text), detail: $0.detail)
    }
  }

  private func names(of model: Model) -> [Proposal] {
    model.properties.filter { !$0.isIgnored }.map {
      Proposal(text: $0.name, detail: $0.type.spelling)
    }
  }

  private func members(of property: Property, starting start: String) -> [Proposal] {
    var proposals: [Proposal] = []
    if let target = property.type.linkedModel.flatMap(schema.model(named:)) {
      proposals += names(of: target)
    }
    if property.type.isCollection || property.type.isInverse {
      proposals += Self.aggregates.map { Proposal(text: $0, detail: "") }
    }
    return Self.fitting(proposals, start)
  }

  /// The property that a path ends with.
  private func property(_ path: String) -> Property? {
    var model: Model? = model
    var found: Property?
    for name in path.split(separator: ".") {
      found = model?.property(named: String(name.first == "#" ? name.dropFirst() : name))
      guard let property = found else { return nil }
      model = property.type.linkedModel.flatMap(schema.model(named:))
    }
    return found
  }

  /// What stands before an operator that has no right side yet.
  private func comparedProperty(_ words: [Substring]) -> Property? {
    guard words.count >= 2, let sign = words.last,
      ["==", "=", "!=", "<>", "IN", "{", "<", ">", "<=", ">="].contains(sign.uppercased())
    else { return nil }
    let isList = sign == "{"
    let index = words.count - (isList ? 3 : 2)
    return words.indices.contains(index) ? property(String(words[index])) : nil
  }

  private func isOperand(_ word: String) -> Bool {
    guard let last = word.last else { return false }
    if property(word) != nil || word.contains("@") { return true }
    return last == "'" || last == "\"" || last == "}" || last.isNumber
      || ["nil", "true", "false"].contains(word.lowercased())
  }

  private func operators(behind word: String) -> [Proposal] {
    guard let property = property(word) else {
      if word.contains("@") { return Self.comparisons.map { Proposal(text: $0.0, detail: $0.1) } }
      return ["AND", "OR"].map { Proposal(text: $0, detail: "") }
    }
    let isText =
      property.type.valueType?.base == .scalar(.string)
      || property.type.valueType?.base == .scalar(.any)
    let searches = property.index == .fulltext ? Self.searches : []
    return (searches + (isText ? Self.texts : []) + Self.comparisons).map {
      Proposal(text: $0.0, detail: $0.1)
    }
  }

  private func values(of property: Property) -> [Proposal] {
    let null =
      property.type.valueType?.isOptional == true ? [Proposal(text: "nil", detail: "no value")] : []
    switch property.type.valueType?.base {
    case .enumeration(let name)?:
      return (schema.enumeration(named: name)?.cases ?? []).map { item in
        let value = PageCells.plainText(item.rawValue)
        let isText = if case .string = item.rawValue { true } else { false }
        return Proposal(
          text: isText ? "'\(value.replacingQuotes)'" : value, detail: item.name)
      } + null
    case .scalar(.bool)?:
      return [Proposal(text: "true", detail: ""), Proposal(text: "false", detail: "")] + null
    default: return null + beginsOfPaths
    }
  }
}

extension String {
  /// A text inside of single quotes.
  fileprivate var replacingQuotes: String {
    reduce(into: "") { $0 += $1 == "'" || $1 == "\\" ? "\\\($1)" : String($1) }
  }
}

/// What is wrong with a condition, and where.
struct ConditionCheck {
  let schema: Schema
  let model: Model

  /// `null` for one that is right.
  func problem(of text: String) -> JSON {
    guard !text.isEmpty else { return .null }
    do throws(ExpressionError) {
      let expression = try Expression.parse(text, for: .query, arguments: [])
      do throws(ExpressionErrors) {
        _ = try ResolvedExpression(condition: expression, in: schema, of: model, for: .query)
        return .null
      } catch {
        throw error.errors[0]
      }
    } catch {
      let bytes = Array(text.utf8)
      // Positions are bytes there, and UTF-16 units in a page.
      func units(_ offset: Int) -> JSON {
        .int(
          Int64(
            String(decoding: bytes.prefix(max(0, offset)), as: UTF8.self).utf16.count))
      }
      return .object([
        "message": .string(error.message), "code": .string(error.code),
        "help": error.help.map(JSON.string) ?? .null, "from": units(error.range.lowerBound),
        "to": units(max(error.range.upperBound, error.range.lowerBound + 1)),
      ])
    }
  }
}
