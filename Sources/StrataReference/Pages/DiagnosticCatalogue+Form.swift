import StrataFrontend
import StrataSource

// Of the form of declarations and the header.

extension DiagnosticCatalogue {
  static let form = [
    page(
      DeclarationDiagnostic.unknownKey,
      """
      Every key that the language does not have is an error: a key that is only nearly right would otherwise be ignored, and
      with it what it says. The help names the key that was probably meant, or all keys that can stand here.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            primarykey: id
            properties: { id: uuid }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person:
            primaryKey: id
            properties: { id: uuid }
        """),
    page(
      DeclarationDiagnostic.wrongKind,
      """
      A list stands where a name is needed, a text where a mapping is needed, or `yes` where `true` is. The help says what
      would be accepted.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Address:
            embedded: yes
            properties: { street: string }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Address:
            embedded: true
            properties: { street: string }
        """),
    page(
      DeclarationDiagnostic.missingKey,
      """
      Something that has to be said is not said: a property's type, an enum's cases, the version beside the schema's name.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Person:
            properties:
              age: { default: 0 }
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
      DeclarationDiagnostic.unknownWord,
      """
      The key takes one of a few words, and this is none of them.
      """,
      failing: """
        schema: Example
        version: 0
        models:
          Country: { properties: { name: string } }
          Person:
            properties:
              country: { type: Country?, deleteRule: cascde }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Country: { properties: { name: string } }
          Person:
            properties:
              country: { type: Country?, deleteRule: cascade }
        """),
    page(
      DeclarationDiagnostic.headerMissing,
      """
      One file of a schema's folder says what the schema is called and which version is being worked on. Generated code and
      database files carry both.
      """,
      failing: """
        models:
          Person: { properties: { name: string } }
        """,
      repaired: """
        schema: Example
        version: 0
        models:
          Person: { properties: { name: string } }
        """),
    DiagnosticPage(
      DeclarationDiagnostic.headerTwice,
      """
      All files of a folder are one schema, and one of them carries the header. With two, it could not be said which version
      counts.
      """,
      failing: [
        ExampleFile(
          "schemas/a.yaml",
          """
          schema: Example
          version: 0
          """),
        ExampleFile(
          "schemas/b.yaml",
          """
          schema: Example
          version: 1
          models:
            Person: { properties: { name: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "schemas/a.yaml",
          """
          schema: Example
          version: 1
          """),
        ExampleFile(
          "schemas/b.yaml",
          """
          models:
            Person: { properties: { name: string } }
          """),
      ]),
    page(
      DeclarationDiagnostic.versionInvalid,
      """
      A version is an integer from 0 to 2147483647, the largest number that a SQLite file keeps as its version. Numbers may
      have gaps and never decrease.
      """,
      failing: """
        schema: Example
        version: 1.2
        """,
      repaired: """
        schema: Example
        version: 12
        """),
    page(
      DeclarationDiagnostic.languageUnknown,
      """
      `language:` names the edition of the schema language. This tool knows edition 1; a schema of a newer edition needs a
      newer tool, and is refused rather than misread.
      """,
      failing: """
        schema: Example
        version: 0
        language: 2
        """,
      repaired: """
        schema: Example
        version: 0
        language: 1
        """),
  ]
}
