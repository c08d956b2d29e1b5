import StrataSchema
import StrataSource
import StrataYAML

extension Resolver {
  /// Nil where the enum is wrong, which is reported.
  mutating func resolveEnum(at index: Int) -> EnumType? {
    let declared = enums[index]
    guard let declaredCases = declared.cases else { return nil }
    let rawType = declared.rawType?.value ?? .string
    if declaredCases.isEmpty {
      report(
        DeclarationDiagnostic.enumEmpty, "the enum '\(declared.name.value)' has no cases",
        at: declared.casesRange ?? declared.name.range, in: declared.file,
        help: "name one case at least: cases: [first]")
      return nil
    }
    var scope = NameScope()
    var values: [Value: Located<String>] = [:]
    // As Swift compares them: é is one with e and an accent.
    var texts: [String: Located<String>] = [:]
    var cases: [EnumType.Case] = []
    for (position, declaredCase) in declaredCases.enumerated() {
      let name = declaredCase.name
      guard checkIdentifier(name, what: "a case", in: declared.file),
        declare(name, in: declared.file, scope: &scope)
      else { continue }
      if Names.reservedCases.contains(name.value) {
        report(
          DeclarationDiagnostic.reservedIdentifier, "'\(name.value)' cannot be a case in Swift",
          at: name.range, in: declared.file,
          help: renamingHelp(for: position, of: declared, as: rawType))
        continue
      }
      guard let value = rawValue(of: declaredCase, at: position, as: rawType, in: declared.file)
      else { continue }
      func reportTwice(_ first: Located<String>, _ what: String, _ help: String) {
        report(
          DeclarationDiagnostic.enumValueTwice, "'\(first.value)' and '\(name.value)' have \(what)",
          at: declaredCase.rawValue?.range ?? name.range, in: declared.file,
          labels: [label("the first one is here", at: first.range, in: declared.file)], help: help)
      }
      if let first = values[value] {
        reportTwice(first, "the same raw value", "give each case a value of its own")
        continue
      }
      if case .string(let text) = value {
        if let first = texts[text] {
          reportTwice(
            first, "raw values that Swift takes for the same text",
            "give each case a value that differs in more than how its accents are written")
          continue
        }
        texts[text] = name
      }
      values[value] = name
      cases.append(EnumType.Case(name: name.value, rawValue: value))
    }
    guard cases.count == declaredCases.count else { return nil }
    return EnumType(
      name: declared.name.value, doc: declared.doc, rawType: rawType, cases: cases)
  }

  /// How many cases a list has at most that is written out as a mapping.
  private static let maximumShownCases = 24

  /// What to write for a case that cannot be called so, with the value that it is stored as.
  private func renamingHelp(
    for position: Int, of declared: EnumDeclaration, as type: EnumType.RawType
  ) -> String {
    let cases = declared.cases ?? []
    if let value = cases[position].rawValue {
      return
        "choose another name; the stored value stays: newName: \(files[declared.file].text(in: value.range))"
    }
    func entry(_ position: Int, _ name: String) -> String {
      let value =
        type == .string ? Self.quoted(cases[position].name.value) : String(position)
      return "\(Self.quoted(name)): \(value)"
    }
    let advice = "choose another name; the stored values stay with a mapping in place of the list"
    guard cases.count <= Self.maximumShownCases else {
      return "\(advice), in which this case is \(entry(position, "newName"))"
    }
    // The names of other cases may have to go as well.
    let entries = cases.indices.map { index in
      let name = cases[index].name.value
      let number = cases[..<index].count { Names.reservedCases.contains($0.name.value) }
      let newName = number == 0 ? "newName" : "newName\(number + 1)"
      return entry(index, Names.reservedCases.contains(name) ? newName : name)
    }
    return "\(advice): { \(entries.joined(separator: ", ")) }"
  }

  /// A name, in quotes where YAML reads it as another value.
  private static func quoted(_ name: String) -> String {
    ["null", "true", "false"].contains(name.lowercased()) ? "\"\(name)\"" : name
  }

  /// In a list of names a string is the name itself, an integer its position.
  private mutating func rawValue(
    of declared: EnumDeclaration.Case, at position: Int, as type: EnumType.RawType, in file: Int
  ) -> Value? {
    guard let node = declared.rawValue else {
      return type == .string ? .string(declared.name.value) : .int(Int64(position))
    }
    guard !node.isRefused else { return nil }
    let literal = LiteralReader.read(node, as: type.scalar)
    switch literal {
    case .value(let value) where !value.isNull: return value
    case .wrong(let help, let replacement):
      report(
        DeclarationDiagnostic.enumValueInvalid,
        "the case '\(declared.name.value)' is \(node.kindName), which is no \(type.rawValue)",
        at: node.range.isEmpty ? declared.name.range : node.range, in: file, help: help,
        replacement: replacement)
    default:
      report(
        DeclarationDiagnostic.enumValueInvalid,
        "the case '\(declared.name.value)' has no raw value", at: declared.name.range, in: file,
        help: "write the value behind it, or list all cases by name: [first, second]")
    }
    return nil
  }
}
