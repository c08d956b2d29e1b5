import StrataSource

extension RulePages {
  static let blocks: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR4010"),
      """
      A step that names models behind `swift:` has a Swift block, and a frozen version whose changes need a step has
      one.
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
          swift: [Person]
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1-People.swift",
          #"""
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                new.name = "\(old.name) (\(old.phone))"
              }
            }
          }
          """#)
      ]),
    DiagnosticPage(
      rule("STR4011"),
      """
      The block does nothing, or no step says that it touches anything, so that the generated chain never runs it. Changes
      for which a step is needed are found as if a block that does nothing were not there.
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
            Person: { properties: { name: string, initial: string? } }
          """),
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
            }
          }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                new.initial = String(old.name.prefix(1))
              }
            }
          }
          """)
      ]),
    DiagnosticPage(
      rule("STR4012"),
      """
      A required property without a default has no value until the block assigns it, on every path: behind an `if` without
      an `else`, or a `return` before the assignment, there is none. Where the tokens of a block don't tell (a helper gets the
      object, a closure assigns) nothing is said here, and `strata verify` finds it.
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
                new.name = old.name
              }
            }
          }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                new.region = old.name.count
              }
            }
          }
          """)
      ]),
    DiagnosticPage(
      rule("STR4013"),
      """
      An upgrade has to give the same data on every device, today and in a year, straight and version by version. A
      block must not ask the clock, chance, the locale, the environment, files or the network; `step.date`,
      `step.uuid(for:)` and `step.random(for:)` replace them.

      The rule reads tokens: names in comments and strings don't count, aliases and helpers in other modules go
      unseen. `strata verify` is the judge.
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
            Person: { properties: { name: string, token: uuid } }
          """),
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
                new.token = UUID()
              }
            }
          }
          """),
      ],
      repaired: [
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
          """)
      ]),
    DiagnosticPage(
      rule("STR4014"),
      """
      Today's classes change tomorrow, and a step that was released has to compile, and mean the same, for ever.
      Blocks use the frozen types of the two versions that they stand between.
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
            Person: { properties: { name: string, size: int } }
          """),
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
              let names: [Person] = []
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                new.size = names.count
              }
            }
          }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1-People.swift",
          """
          import Strata

          extension PeopleMigrations {
            static let toVersion1 = Step(to: 1) { step in
              let names: [V1.Person] = []
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                new.size = names.count
              }
            }
          }
          """)
      ]),
  ]
}
