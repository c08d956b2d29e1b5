package import StrataSource

/// What can be wrong with a text before it is read as declarations.
package enum YAMLDiagnostic {
  package static let syntax = DiagnosticKind(
    "STR1001", "yaml-syntax", "The text is not valid YAML.")
  package static let fileTooLarge = DiagnosticKind(
    "STR1002", "file-too-large", "The file is larger than 4 MiB.")
  package static let notUTF8 = DiagnosticKind(
    "STR1003", "not-utf8", "The text is not UTF-8.")
  package static let controlCharacter = DiagnosticKind(
    "STR1004", "control-character", "The text holds a character that YAML does not allow.")
  package static let nestingTooDeep = DiagnosticKind(
    "STR1005", "nesting-too-deep", "Lists and mappings are nested more than 32 deep.")
  package static let duplicateKey = DiagnosticKind(
    "STR1006", "duplicate-key", "A key stands twice in one mapping.")
  package static let anchor = DiagnosticKind(
    "STR1007", "anchor-or-alias", "Anchors and aliases are not part of the language.")
  package static let tag = DiagnosticKind(
    "STR1008", "yaml-tag", "Tags are not part of the language.")
  package static let severalDocuments = DiagnosticKind(
    "STR1009", "several-documents", "A file holds more than one YAML document.")
  package static let directive = DiagnosticKind(
    "STR1010", "yaml-directive", "Directives such as %YAML are not part of the language.")
  package static let keyNotText = DiagnosticKind(
    "STR1011", "key-not-text", "A key is a list, a mapping, or nothing.")

  package static let all = [
    syntax, fileTooLarge, notUTF8, controlCharacter, nestingTooDeep, duplicateKey, anchor, tag,
    severalDocuments, directive, keyNotText,
  ]
}
