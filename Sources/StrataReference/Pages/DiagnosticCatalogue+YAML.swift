import StrataFrontend
import StrataSource
import StrataYAML

// Of YAML itself.

extension DiagnosticCatalogue {
  static let yaml = [
    page(
      YAMLDiagnostic.syntax,
      """
      The text breaks a rule of YAML itself, so that nothing can be said about what it means. Usually a bracket or a quote is
      not closed, a line is indented unlike its neighbours, or a tab is used as indentation. The message says what was
      expected where reading stopped; the mistake is there or a little before.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties: { name: string
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties: { name: string }
        """),
    page(
      YAMLDiagnostic.fileTooLarge,
      """
      A declaration file takes 4 MiB at most. That bounds what reading a file can cost, and is far more than is written by hand
      by hand. All files of the folder are one schema: spread the models over several of them.
      """,
      failing: """
        schema: Example
        version: 0
        ⟨85000 × # One line of very many, number №, in a file that grows and grows.⟩
        """,
      repaired: """
        schema: Example
        version: 0
        # One line is enough.
        """),
    page(
      YAMLDiagnostic.notUTF8,
      """
      Files are UTF-8. Other encodings cannot be told apart with certainty, and a wrong guess would change names. Set the
      editor to UTF-8 and save the file again. `⟨E9⟩` stands for one byte, an é in Latin-1.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            doc: Goes to the caf⟨E9⟩.
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            doc: Goes to the café.
        """),
    page(
      YAMLDiagnostic.controlCharacter,
      """
      YAML allows no control characters other than tab and line breaks, and one that cannot be seen is hardly ever meant. In
      a double-quoted text they are written as escapes. `⟨07⟩` stands for one byte.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            doc: Rings.⟨07⟩
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            doc: "Rings.\\x07"
        """),
    page(
      YAMLDiagnostic.nestingTooDeep,
      """
      Lists and mappings may be nested 32 deep, which bounds what a hostile text can cost. No declaration needs more than a
      few levels.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              name: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[string]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              name: [string]
        """),
    page(
      YAMLDiagnostic.duplicateKey,
      """
      A key stands once in a mapping. With two of them one would silently win; which one, YAML does not say.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              name: string
              age: int
              name: string?
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              name: string?
              age: int
        """),
    page(
      YAMLDiagnostic.anchor,
      """
      Anchors (`&name`) and aliases (`*name`) are not part of the language. They would make a schema that reads differently
      from what it says, and texts that grow without bound while they are read. What models share is said by `extends`.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties: &named { name: string }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Named: { abstract: true, properties: { name: string } }
          Person: { extends: Named }
        """),
    page(
      YAMLDiagnostic.tag,
      """
      Tags (`!!int`, `!name`) are not part of the language: the type of a property says how its values are read. Quote a
      text that begins with an exclamation mark.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              age: { type: int, default: !!int 0 }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              age: { type: int, default: 0 }
        """),
    page(
      YAMLDiagnostic.severalDocuments,
      """
      A file holds one YAML document. All files of the folder are one schema, so that a second document can be a file of its
      own.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person: { properties: { name: string } }
        ---
        models:
          Dog: { properties: { name: string } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person: { properties: { name: string } }
          Dog: { properties: { name: string } }
        """),
    page(
      YAMLDiagnostic.directive,
      """
      Lines such as `%YAML 1.2` are not part of the language. What edition a schema is written in is said by `language:`.
      """,
      failing: """
        %YAML 1.1
        ---
        schema: Example
        version: 0
        """,
      repaired: """
        schema: Example
        version: 0
        """),
    page(
      YAMLDiagnostic.keyNotText,
      """
      A key is a name. YAML allows lists, mappings and nothing at all as keys; the language has no use for them.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          ? [Person, Dog]
          : { properties: { name: string } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person: { properties: { name: string } }
          Dog: { properties: { name: string } }
        """),
  ]
}
