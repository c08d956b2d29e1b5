import StrataSource

extension RulePages {
  static let properties: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3201"),
      """
      Existing objects get nil, the default, an empty collection or a generated value.
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
            Person: { properties: { name: string, nickname: string? } }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3202"),
      """
      Objects that exist have no value for the new property, and the file does not allow them to be without. Give it
      a default, make it optional, or say in the step where the value comes from.
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
            Person: { properties: { name: string, region: int } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { region: length(old.name) } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3203"),
      """
      The upgrade would forget the property's values. Data is given up on purpose only.
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
      rule("STR3204"),
      """
      Between two versions nothing but the step says that a property continues under another name. One property is
      gone and exactly one of its type is new, which looks like a rename, and may not be one: say which it is.
      `strata check --fix` writes the rename after a yes.
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
            Person: { properties: { fullName: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          rename: { Person.name: fullName }
          """)
      ]),
    DiagnosticPage(
      rule("STR3205"),
      """
      The values stay where they are; only the name changes.
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
            Person: { properties: { fullName: string } }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          rename: { Person.name: fullName }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3206"),
      """
      A name that was removed in an earlier version is used again, for a property or a model. It is a new one: the old values
      and objects do not return, whether the version without it was ever installed or skipped.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, code: int? } }
          """),
        ExampleFile(
          "schemas/versions/1.yaml",
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
          drop: [Person.code]
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 2
          models:
            Person: { properties: { name: string, code: int? } }
          """),
      ],
      repaired: [
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 2
          models:
            Person: { properties: { name: string, badge: int? } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3207"),
      """
      With `--against git:REVISION` the order of properties is compared, too. It is the order of the arguments of
      generated initialisers, and nothing else.
      """,
      failing: [
        ExampleFile(
          "People.yaml",
          """
          schema: People
          version: 0
          models:
            Person:
              properties:
                age: int
                name: string
          """)
      ],
      repaired: [],
      said: """
        People.yaml:4:3: info: the properties of 'Person' stand in another order [STR3207]
          help: the order of properties is that of initialisers' arguments; data does not depend on it

        """),
    DiagnosticPage(
      rule("STR3209"),
      """
      The property left one model and is in another one now that is linked with it. Which object's value goes where
      is said by a Swift block that follows the link.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Order: { properties: { note: string, meta: Meta? } }
            Meta: { properties: { size: int } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Order: { properties: { meta: Meta? } }
            Meta: { properties: { size: int, note: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          swift: [Order, Meta]
          """),
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Order.self, V1.Order.self) { old, new in
                try step.object(new.meta)?.note = old.note
              }
            }
          }
          """),
      ]),
  ]
}
