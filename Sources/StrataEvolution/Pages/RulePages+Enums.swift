import StrataSource

extension RulePages {
  static let enums: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3801"),
      """
      Objects may hold the case's raw value, which has no name any more. Map it in the step, for every property of
      the enum's type.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { mood: Mood } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { mood: Mood } }
          enums:
            Mood: { type: string, cases: [calm] }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { mood: "if(old.mood == 'angry', 'calm', 'calm')" } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3802"),
      """
      Programs that were built before the case existed meet its value in files that they share, or after a
      downgrade. An unknown value is readable as such and no crash; `switch` statements have to expect it.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { mood: Mood } }
          enums:
            Mood: { type: string, cases: [calm] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { mood: Mood } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: [{ rule: enum-case-added-closed, at: Mood.angry, because: Files are not shared. }]
          """)
      ]),
    DiagnosticPage(
      rule("STR3803"),
      """
      Files hold raw values, not names. Under the new value the old one means nothing, or something else. Add a
      case, or map the old values in the step. A case that gets another name and keeps its value changes nothing
      that is stored: nothing is found, and `strata diff` names no difference.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { level: Level } }
          enums:
            Level: { type: int, cases: { low: 1, high: 2 } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { level: Level } }
          enums:
            Level: { type: int, cases: { low: 1, high: 3 } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { level: "if(old.level == 2, 3, 1)" } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3804"),
      """
      The stored values are of another type. Map each of them in the step.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { level: Level } }
          enums:
            Level: { type: int, cases: [low, high] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { level: Level } }
          enums:
            Level: { type: string, cases: [low, high] }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { level: "if(old.level == 0, 'low', 'high')" } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3805"),
      """
      Embedded objects are stored with their owner and deleted with it, one by one. Deep or endless nesting makes
      both slow; a model that is linked to does not.
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
            Person: { properties: { name: string, tree: Node? } }
            Node: { embedded: true, properties: { children: [Node] } }
          """),
      ],
      repaired: [
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, tree: Node? } }
            Node: { properties: { children: [Node] } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3806"),
      """
      An enum that is added changes no object.
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
            Person: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm] }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3807"),
      """
      No property uses the enum any more, so that no object holds one of its values.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string } }
          """),
      ],
      repaired: []),
  ]
}
