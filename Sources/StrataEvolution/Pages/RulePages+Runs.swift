import StrataSource

extension RulePages {
  static let runs: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR4015"),
      """
      `strata verify` upgrades generated files by every path and compares the results. Two paths ended with
      different data: a block depends on order, chance, the clock or state of its own, or looks at more than it
      says. The report names the first object that differs, the smallest data that shows it, and the step that wrote it.
      """,
      failing: [
        ExampleFile(
          "migrations/1-Number.swift",
          """
          import Strata

          extension PeopleMigrations {
            /// Numbers people as they come, and in which order they come is promised nowhere.
            static let toVersion1 = Step(to: 1) { step in
              var count = 0
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                count += 1
                new.number = count
              }
            }
          }
          """)
      ],
      repaired: [
        ExampleFile(
          "migrations/1-Number.swift",
          """
          import Strata

          extension PeopleMigrations {
            /// A number that is the same on every path.
            static let toVersion1 = Step(to: 1) { step in
              try step.each(V0.Person.self, V1.Person.self) { old, new in
                var random = step.random(for: old)
                new.number = Int.random(in: 0...999_999, using: &random)
              }
            }
          }
          """)
      ],
      said: """
        migrations/1-Number.swift:5:14: error: 'number' of Person #46 is another one on the path 0 → 1, objects backwards than step by step [STR4015]
          help: the step depends on the order of objects, on chance, the clock or state of its own: step.date, step.uuid(for:) and step.random(for:) are the same on every path

        """),
    DiagnosticPage(
      rule("STR4016"),
      """
      With `--samples DIR` each Swift block wants a file of the version that it reads. `strata create FILE --version
      N --sample 100` makes one.
      """,
      failing: [
        ExampleFile(
          "migrations/2.yaml",
          """
          to: 2
          swift: [Person]
          """)
      ],
      repaired: [],
      said: """
        migrations/2.yaml:2:9: warning: no sample file has version 1, which the block to version 2 reads [STR4016]
          help: 'strata create FILE --version 1 --sample 100' makes one

        """),
    DiagnosticPage(
      rule("STR4017"),
      """
      `supports:` in strata.yaml names the oldest version that users may still have. Its frozen version has to be
      there, and a step for each version behind it.
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
          supports: 7
          """),
      ],
      repaired: [
        ExampleFile(
          "strata.yaml",
          """
          supports: 0
          """)
      ]),
  ]
}
