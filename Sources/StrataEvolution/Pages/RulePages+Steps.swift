import StrataSource

extension RulePages {
  static let steps: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR4018"),
      """
      `accept:` is for findings that are meant. One that accepts nothing hides nothing today and something tomorrow:
      remove it. Findings that no reason makes good cannot be accepted.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int? } }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: [{ rule: property-removed, at: Person.phone, because: It was never filled in. }]
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: []
          """)
      ]),
    DiagnosticPage(
      rule("STR4019"),
      """
      `rename`, `delete`, `deduplicate` and `drop` speak of the version before the step, `set` of the one that it
      reaches. A name that is not there is a slip of the pen, and its data would be treated as if nothing had been
      said.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, phone: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string } }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          drop: [Person.phone, Person.fone]
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          drop: [Person.phone]
          """)
      ]),
    DiagnosticPage(
      rule("STR4020"),
      """
      `rules:` in strata.yaml names a rule that does not exist, so that its severity is the usual one, or a rule whose findings are always errors: docs/rules.md lists those.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int? } }
          """),
        ExampleFile(
          "strata.yaml",
          """
          rules: { index-remvoed: error }
          """),
      ],
      repaired: [
        ExampleFile(
          "strata.yaml",
          """
          rules: { index-removed: error }
          """)
      ]),
    DiagnosticPage(
      rule("STR4021"),
      """
      A step or a Swift block is named after a version that is neither frozen nor being worked on: it will never run.
      """,
      failing: [
        ExampleFile(
          "migrations/7.yaml",
          """
          to: 7
          """)
      ],
      repaired: [],
      said: """
        migrations/7.yaml:1:1: warning: '7.yaml' leads to a version that is not there [STR4021]
          help: freeze the version, rename the file, or delete it

        """),
  ]
}
