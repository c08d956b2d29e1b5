/// The words of Swift that names of a schema may be, too.
package enum SwiftWords {
  /// The words that cannot stand as an identifier without backticks, by the Swift 6 grammar.
  package static let reserved: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch",
    "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
    "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// Words that are read as something else where a type is declared or named, and only there.
  package static let beforeTypes: Set<String> = [
    "actor", "any", "async", "borrowing", "consuming", "convenience", "distributed", "dynamic",
    "each", "final", "indirect", "infix", "isolated", "lazy", "macro", "mutating", "nonisolated",
    "nonmutating", "nonsending", "open", "optional", "override", "package", "postfix", "prefix",
    "required", "sending", "some", "unowned", "weak",
  ]
}
