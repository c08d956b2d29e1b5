import StrataSource

extension RulePages {
  static let types: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3301"),
      """
      Every value of the old type has an equal one of the new type, so that the upgrade converts without a word.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { count: int32 } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { count: int64 } }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3302"),
      """
      Some values have no counterpart in the new type, or only a rounded one. Say the conversion in the step, and
      what becomes of values that cannot be converted: conversions give nil for them. No expression makes a map of
      what was none; a Swift block does.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { age: string } }
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
          set: { Person: { age: int(old.age) ?? 0 } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3303"),
      """
      There is no conversion between the two types. Say in the step what the new value is, or add a new property and
      drop the old one. No expression makes a map of what was none; a Swift block does.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { photo: data } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { photo: date } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { photo: date('2026-01-01') } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3401"),
      """
      Objects may have nil there, and the new version's file does not allow it. Say what nil becomes, or give the
      property a default, which nil then takes. Of a collection it is the elements that are required now. `strata check
      --samples DIR` counts the objects in real files.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { email: string? } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { email: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { email: old.email ?? '' } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3402"),
      """
      No object changes; code that reads the property has to expect nil.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { email: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { email: string? } }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3403"),
      """
      A default is for objects that are made from now on. Those that exist keep the values that they have, also
      where the value is the old default.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { country: { type: string, default: US } } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { country: { type: string, default: GB } } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: [{ rule: default-changed, at: Person.country, because: Old accounts stay American. }]
          """)
      ]),
    DiagnosticPage(
      rule("STR3405"),
      """
      Code that makes an object has to give the value from now on.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { age: { type: int, default: 0 } } }
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
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { age: { type: int, default: 0 } } }
          """)
      ]),
  ]
}
