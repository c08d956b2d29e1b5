import StrataSource

// Rules that data keeps.

extension RulePages {
  static let dataRules: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3505"),
      """
      The upgrade looks at every object before it writes the file back, and refuses a file in which one breaks the rule. Say
      what becomes of such objects, or accept that their files are refused. `strata check --samples DIR` counts them in real
      files.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { age: int } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person:
              rules: { adult: { that: "age >= 18", says: A member is at least 18. } }
              properties: { age: int }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          repair: { Person.adult: { set: { age: 18 } } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3506"),
      """
      Objects that kept the rule as it was may break it as it is: its text is another one, or the same text says something else,
      because a property that it reads has another type, or because a property has a model's name now or had it before. The upgrade
      looks at every object before it writes the file back.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person:
              rules: { adult: { that: "age >= 16", says: A member is at least 18. } }
              properties: { age: int }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person:
              rules: { adult: { that: "age >= 18", says: A member is at least 18. } }
              properties: { age: int }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          repair: { Person.adult: { delete: "age < 17", set: { age: 18 } } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3507"),
      """
      Objects may break from now on what the rule kept. Code that relies on it meets them.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person:
              rules: { adult: { that: "age >= 18", says: A member is at least 18. } }
              properties: { age: int }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { age: int } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: [{ rule: rule-removed, at: Person.adult, because: Children may join. }]
          """)
      ]),
  ]
}
