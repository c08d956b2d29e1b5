import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataProject
import StrataReference
import StrataSchema
import StrataSource
import StrataYAML

/// What there is to say about the word under the pointer.
struct Hover {
  let project: OpenProject
  let path: String

  /// Markdown and the bytes that it is about; nil where there is nothing to say.
  func text(at offset: Int) -> (markdown: String, range: Range<Int>)? {
    let names = project.names
    if let found = names.occurrence(in: path, at: offset), let text = text(found, names) {
      return (text, found.range)
    }
    guard let file = project.file(at: path), ProjectFolder.isYAML(path) else { return nil }
    // The word to the end, so that the key under the pointer is whole.
    var end = min(offset, file.bytes.count)
    while end < file.bytes.count, Self.isLetter(file.bytes[end]) { end += 1 }
    var start = min(offset, file.bytes.count)
    while start > 0, Self.isLetter(file.bytes[start - 1]) { start -= 1 }
    guard start < end else { return nil }
    let word = file.text(in: start..<end)
    let cursor = YAMLCursor(file.bytes, at: end)
    guard let text = text(word, cursor) else { return nil }
    return (text, start..<end)
  }

  private func text(_ found: Occurrence, _ names: ProjectNames) -> String? {
    let symbol = found.symbol.symbol
    guard let table = names.table(found.symbol.version) else { return nil }
    var lines: [String] = []
    var path: SchemaPath?
    switch symbol {
    case .model(let name):
      guard let model = table.models[name] else { return nil }
      let kind =
        model.isEmbedded?.value == true
        ? "embedded model" : model.isAbstract?.value == true ? "abstract model" : "model"
      lines.append(
        "**\(name)** — \(kind)" + (model.extends.map { ", extends `\($0.value)`" } ?? ""))
      path = SchemaPath(name)
    case .property(let place):
      guard let property = table.property(place)?.declaration else { return nil }
      let type =
        property.type.map { "`\($0.spelling)`" }
        ?? property.inverse.map { "objects whose `\($0.model).\($0.property)` links here" } ?? ""
      lines.append("**\(place)**: \(type)")
      lines += facts(property)
      path = place
    case .enumeration(let name):
      guard let declared = table.enums[name] else { return nil }
      let cases = declared.cases?.map(\.name.value) ?? []
      lines.append("**\(name)** — enum of \(declared.rawType?.value.rawValue ?? "string")")
      lines.append(
        cases.prefix(20).map { "`\($0)`" }.joined(separator: ", ") + (cases.count > 20 ? " …" : ""))
    case .enumCase(let place):
      lines.append(
        "**\(place)** — stored as `\(table.enums[place.model]?.storedText(of: symbol.name) ?? "")`")
    }
    if let doc = table.doc(of: symbol), !doc.isEmpty { lines.append(doc) }
    if let path, let origin = origin(of: path, in: found.symbol.version, names) {
      lines.append(origin.text)
    }
    return lines.joined(separator: "\n\n")
  }

  private func origin(of path: SchemaPath, in version: Int?, _ names: ProjectNames) -> Origin? {
    guard let number = version ?? names.workingVersion, let history = project.history else {
      return nil
    }
    return Origin(of: path, history: history, upTo: number, isWorking: version == nil)
  }

  private func facts(_ property: PropertyDeclaration) -> [String] {
    guard let details = property.details?.contents else { return [] }
    var facts: [String] = []
    if let value = details.defaultValue?.scalar { facts.append("default `\(value.text)`") }
    if details.isIgnored?.value == true { facts.append("not stored") }
    if details.index?.value == .ordinary { facts.append("indexed") }
    if details.index?.value == .fulltext { facts.append("full-text index") }
    if details.isUnique?.value == true { facts.append("unique") }
    if let rule = details.deleteRule { facts.append("deleteRule `\(rule.value.rawValue)`") }
    if let generator = details.generate { facts.append("generated: `\(generator.value.rawValue)`") }
    return facts.isEmpty ? [] : [facts.joined(separator: ", ")]
  }

  /// Keys, types and rules.
  private func text(_ word: String, _ cursor: YAMLCursor) -> String? {
    let isStep = project.folder.isStep(path)
    if cursor.isKey, let text = KeyHelp.text(word, under: cursor.keys, isStep: isStep) {
      return "`\(word)` — \(text)"
    }
    if !cursor.isKey, cursor.keys.last == "rule" || cursor.keys.first == "rules",
      let rule = RuleCatalogue.all.first(where: { $0.name == word })
    {
      return "`\(rule.name)` [\(rule.code)] — \(rule.summary)"
    }
    if !cursor.isKey, let note = ScalarNotes.text(word) { return "`\(word)` — \(note)" }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }
}

/// What a key says, by where it stands.
enum KeyHelp {
  /// The keys of the mapping at a place, each with its sentence; none where names stand.
  static func keys(under keys: [String], isStep: Bool) -> [(key: String, text: String)] {
    func described(_ names: [String], _ text: (String) -> String?) -> [(key: String, text: String)]
    {
      names.map { (key: $0, text: text($0) ?? "") }
    }
    if isStep {
      switch (keys.first, keys.count) {
      case (nil, _): return described(StepReader.keys) { KeyDocumentation.step[$0] }
      case ("deduplicate", 2):
        return [
          ("by", "The properties that equal objects share."),
          ("keep", "Which of the equal objects stays: first or last."),
        ]
      case ("repair", 2):
        return [
          ("set", "New property: expression over the new object that breaks the rule."),
          ("delete", "Condition over the new object: those that break the rule and are deleted."),
        ]
      case ("accept", 1):
        return [
          ("rule", "The rule's name, such as property-removed."),
          ("at", "The path that the finding is about: Person.email."),
          ("because", "Why it is meant."),
        ]
      default: return []
      }
    }
    switch (keys.first, keys.count) {
    case (nil, _):
      return described(["schema", "version", "language", "models", "enums"]) {
        KeyDocumentation.root[$0]
      }
    case ("models", 2):
      return ModelKey.allCases.map { (key: $0.rawValue, text: KeyDocumentation.text($0)) }
    case ("models", 4) where keys[2] == "rules":
      return RuleKey.allCases.map { (key: $0.rawValue, text: KeyDocumentation.text($0)) }
    case ("models", 4) where keys[2] == "properties":
      return PropertyKey.allCases.map { (key: $0.rawValue, text: KeyDocumentation.text($0)) }
    case ("enums", 2):
      return EnumKey.allCases.map { (key: $0.rawValue, text: KeyDocumentation.text($0)) }
    default: return []
    }
  }

  static func text(_ key: String, under keys: [String], isStep: Bool) -> String? {
    self.keys(under: keys, isStep: isStep).first { $0.key == key }?.text
  }
}

/// What the types without a declaration hold.
enum ScalarNotes {
  static let collections: [(String, String)] = [
    ("set<", "A set of values without order."), ("map<", "Values by string keys."),
  ]

  static func text(_ name: String) -> String? {
    guard let type = ScalarType(rawValue: name) else { return nil }
    return switch type {
    case .bool: "true or false; Swift `Bool`."
    case .int: "64 bits; Swift `Int`."
    case .int8, .int16, .int32, .int64:
      "An integer of the sized Swift type; a value out of range is an error."
    case .float: "32 bits of floating point; Swift `Float`."
    case .double: "64 bits of floating point; Swift `Double`."
    case .string: "Text, kept scalar by scalar; Swift `String`."
    case .data: "Bytes; Swift `Data`."
    case .date: "A point in time with its fraction; Swift `Date`."
    case .uuid: "16 bytes; Swift `UUID`."
    case .decimal: "A decimal number, compared and sorted as a number; Swift `Decimal`."
    case .objectID: "12 bytes; Swift `ObjectID`."
    case .any: "Any scalar or object; Swift `AnyValue`."
    }
  }
}
