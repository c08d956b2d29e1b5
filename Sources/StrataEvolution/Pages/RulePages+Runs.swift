import StrataSource

extension RulePages {
  static let runs: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR4015"),
      """
      `strata verify` upgrades generated files by every path and compares the results. Two paths ended with
      different data: a block depends on order, chance, the clock or state of its own, or looks at more than it
      says. The report names the first object that differs and the step that wrote it.
      """,
      failing: [],
      repaired: []),
    DiagnosticPage(
      rule("STR4016"),
      """
      With `--samples DIR` each Swift block wants a file of the version that it reads. `strata create FILE --version
      N --sample 100` makes one.
      """,
      failing: [],
      repaired: []),
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
