import StrataSource

extension RulePages {
  static let expressionAssignments: [DiagnosticPage] = [
    DiagnosticPage(
      expression("STR6111"),
      """
      The property does not hold values of this type. A conversion says what a value becomes, and `??` what one
      without a counterpart becomes.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.name" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "int(old.name)" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6112"),
      """
      The value may be nil and the property is required.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: length(old.nick) } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: length(old.nick) ?? 0 } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6113"),
      """
      The literal is outside of the property's range; nothing wraps around.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int8? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: 300 } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: 100 } }
          """)
      ]),
  ]
}
