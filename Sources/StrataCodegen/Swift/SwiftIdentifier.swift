import StrataSchema

/// Names out of declarations as Swift identifiers.
package enum SwiftIdentifier {
  /// The name of a type as it has to be written.
  package static func type(_ name: String) -> String {
    SwiftWords.beforeTypes.contains(name) ? "`\(name)`" : escaped(name)
  }

  /// The name as it has to be written: in backticks where Swift has its own use for the word.
  package static func escaped(_ name: String) -> String {
    SwiftWords.reserved.contains(name) ? "`\(name)`" : name
  }

  /// The name behind a dot, where only a few words have another meaning.
  package static func member(_ name: String) -> String {
    ["Protocol", "Type", "init", "self"].contains(name) ? "`\(name)`" : name
  }

  /// The name as a parameter's label.
  package static func label(_ name: String) -> String {
    ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
  }

  /// The lint rules that a property, case or parameter of this name breaks.
  package static func lintRulesBroken(byMember name: String) -> Set<String> {
    var rules = lintRulesBroken(byAny: name)
    if name.dropFirst().contains("_") || name.first?.isUppercase == true {
      rules.insert("AlwaysUseLowerCamelCase")
    }
    return rules
  }

  /// The lint rules that a type of this name breaks.
  package static func lintRulesBroken(byType name: String) -> Set<String> {
    var rules = lintRulesBroken(byAny: name)
    if name.drop(while: { $0 == "_" }).first?.isLowercase == true {
      rules.insert("TypeNamesShouldBeCapitalized")
    }
    return rules
  }

  private static func lintRulesBroken(byAny name: String) -> Set<String> {
    name.utf8.allSatisfy { $0 < 0x80 } ? [] : ["IdentifiersMustBeASCII"]
  }
}
