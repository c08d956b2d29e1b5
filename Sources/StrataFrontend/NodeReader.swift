import StrataSchema
import StrataSource
import StrataYAML

/// Takes nodes apart, and reports where one is not what it has to be.
struct NodeReader {
  var file: SourceFile
  var diagnostics: Diagnostics

  mutating func report(
    _ kind: DiagnosticKind, _ message: String, at range: Range<Int>,
    labels: [Diagnostic.Label] = [], help: String? = nil, replacement: String? = nil,
    isGuess: Bool = false
  ) {
    let span = file.span(range)
    diagnostics.report(
      kind, message, at: span, labels: labels, help: help,
      fixIt: replacement.map {
        FixIt("write \($0)", replacing: span, with: $0, isGuess: isGuess)
      })
  }

  /// The entries of a mapping, none for nothing; nil where something else stands, which is reported.
  mutating func entries(_ entry: YAMLEntry, of what: String) -> [YAMLEntry]? {
    if case .mapping(let entries, _) = entry.value.content { return entries }
    if entry.value.isNull { return [] }
    wrongKind(entry, expected: "a mapping, name: value, \(what)")
    return nil
  }

  /// The elements of a list; nil where something else stands, which is reported.
  mutating func elements(_ entry: YAMLEntry, expected: String) -> [YAMLNode]? {
    if case .sequence(let elements, _) = entry.value.content { return elements }
    wrongKind(entry, expected: expected)
    return nil
  }

  /// A text that is not empty.
  mutating func text(_ entry: YAMLEntry, expected: String) -> Located<String>? {
    if let scalar = entry.value.scalar, !scalar.isNull, !scalar.text.isEmpty {
      return Located(scalar.text, at: entry.value.range)
    }
    wrongKind(entry, expected: expected)
    return nil
  }

  mutating func bool(_ entry: YAMLEntry) -> Located<Bool>? {
    if let scalar = entry.value.scalar, scalar.isPlain {
      if scalar.text == "true" { return Located(true, at: entry.value.range) }
      if scalar.text == "false" { return Located(false, at: entry.value.range) }
    }
    var replacement: String?
    switch entry.value.scalar?.text.lowercased() {
    case "true", "yes", "on", "y": replacement = "true"
    case "false", "no", "off", "n": replacement = "false"
    default: break
    }
    guard let replacement else {
      wrongKind(entry, expected: "true or false")
      return nil
    }
    report(
      DeclarationDiagnostic.wrongKind,
      "'\(entry.key)' is true or false, not \(entry.value.kindName)",
      at: entry.value.range, help: "write \(replacement)", replacement: replacement)
    return nil
  }

  /// One of a few words.
  mutating func word<Word: CaseIterable & RawRepresentable<String> & Sendable>(
    _ entry: YAMLEntry, as type: Word.Type
  ) -> Located<Word>? {
    let words = Word.allCases.map(\.rawValue)
    let list = words.joined(separator: ", ")
    guard let text = text(entry, expected: "one of \(list)") else { return nil }
    if let word = Word(rawValue: text.value) { return Located(word, at: text.range) }
    let near = NearestName.all(text.value, among: words)
    report(
      DeclarationDiagnostic.unknownWord, "'\(text.value)' is no value of '\(entry.key)'",
      at: text.range, help: meant(near, else: "it takes one of: \(list)"),
      replacement: near.count == 1 ? near[0] : nil)
    return nil
  }

  /// Names in a list; also one name alone where that is allowed. Names that are none are reported and
  /// left out.
  mutating func names(_ node: YAMLNode, key: String) -> [Located<String>] {
    guard case .sequence(let elements, _) = node.content else { return [] }
    var names: [Located<String>] = []
    for element in elements where !element.isRefused {
      if let scalar = element.scalar, !scalar.isNull {
        names.append(Located(scalar.text, at: element.range))
      } else {
        report(
          DeclarationDiagnostic.wrongKind, "'\(key)' lists names, and this is \(element.kindName)",
          at: element.range, help: "write the names of properties")
      }
    }
    return names
  }

  /// - Parameter siblings: the other keys of the mapping; one that stands there is not what was meant.
  mutating func unknownKey(
    _ entry: YAMLEntry, of owner: String, known: [String], among siblings: [YAMLEntry] = []
  ) {
    let free = known.filter { key in !siblings.contains { $0.key == key } }
    let list = "\(owner) has the keys \(known.joined(separator: ", "))"
    let folded = entry.key.lowercased()
    var near = NearestName.all(entry.key, among: free)
    if near.count != 1, let meaning = KeyHints.meaning[folded], free.contains(meaning) {
      near = [meaning]
    }
    if near.isEmpty, let advice = KeyHints.advice[folded] {
      report(
        DeclarationDiagnostic.unknownKey, "unknown key '\(entry.key)'", at: entry.keyRange,
        help: "\(advice); \(list)")
      return
    }
    report(
      DeclarationDiagnostic.unknownKey, "unknown key '\(entry.key)'", at: entry.keyRange,
      help: meant(near, else: list), replacement: near.count == 1 ? near[0] : nil)
  }

  mutating func wrongKind(_ entry: YAMLEntry, expected: String) {
    guard !entry.value.isRefused else { return }
    // Nothing has no place of its own: point at the key.
    let range = entry.value.range.isEmpty ? entry.keyRange : entry.value.range
    report(
      DeclarationDiagnostic.wrongKind, "'\(entry.key)' is \(entry.value.kindName)", at: range,
      help: "it has to be \(expected)")
  }

  /// - Parameter near: what may be meant, each as probably as the others.
  func meant(_ near: [String], else other: String) -> String {
    NearestName.question(near).map { "\($0) \(other)" } ?? other
  }
}
