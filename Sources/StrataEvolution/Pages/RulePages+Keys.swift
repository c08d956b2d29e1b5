import StrataSource

extension RulePages {
  static let keys: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3501"),
      """
      The primary key is how objects are found and updated from outside. Other properties have to tell all existing
      objects apart, too: write a Swift block that gives each its key. Links follow the objects themselves and need
      nothing.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { primaryKey: id, properties: { id: int, token: uuid } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { primaryKey: token, properties: { id: int, token: uuid } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          swift: [Person]
          """),
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                new.token = step.uuid(for: old)
              }
            }
          }
          """),
      ]),
    DiagnosticPage(
      rule("STR3502"),
      """
      Existing objects may agree in the new key. Say which of them stays.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { sku: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { primaryKey: sku, properties: { sku: string } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          deduplicate: { Person: { by: [sku], keep: first } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3503"),
      """
      Existing objects may agree in the property. Say which of them stays. `strata check --samples DIR` counts them
      in real files. A default is the same for all: where it is what a new property begins with, or what nil becomes,
      `set:` gives each object a value of its own.
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
            Person: { properties: { email: { type: string, unique: true } } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          deduplicate: { Person: { by: [email], keep: last } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3504"),
      """
      Code that looks for one object by this value may find several from now on. Nothing is said where a key or another
      uniqueness keeps the values apart.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { email: { type: string, unique: true } } }
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
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { email: { type: string, unique: true } } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3601"),
      """
      Building the index reads the whole table once, during the upgrade.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { born: date } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { born: { type: date, indexed: true } } }
          """),
      ],
      repaired: []),
    DiagnosticPage(
      rule("STR3602"),
      """
      Queries that used the index look at every object from now on. Nothing is said where another index, a key or a uniqueness
      begins with the same properties.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { born: { type: date, indexed: true } } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { born: date } }
          """),
      ],
      repaired: [
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { born: { type: date, indexed: true } } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3603"),
      """
      Another index, a key or a uniqueness begins with the same properties and serves the same queries. Each index
      costs time with every change and space in the file.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { a: int, b: int } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { indexes: [[a, b]], properties: { a: { type: int, indexed: true }, b: int } }
          """),
      ],
      repaired: [
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { indexes: [[a, b]], properties: { a: int, b: int } }
          """)
      ]),
    DiagnosticPage(
      rule("STR3605"),
      """
      A full-text index is built from the text of all objects during the upgrade.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { body: string } }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { body: { type: string, indexed: fulltext } } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          accept: [{ rule: fulltext-changed, at: Person.body, because: Search needs it. }]
          """)
      ]),
  ]
}
