import StrataSource

extension RulePages {
  static let seals: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR4005"),
      """
      The declarations bear the number of a frozen version and say something else. Files of that number exist
      perhaps, and would be taken for what they are not. Open a new version; while the frozen one is unreleased,
      `strata freeze --amend` will do.
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
          version: 0
          models:
            Person: { properties: { name: string, age: int? } }
          """),
      ],
      repaired: [
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int? } }
          """)
      ]),
    DiagnosticPage(
      rule("STR4007"),
      """
      A step is sealed with its version: devices have run it. If it changed, those that upgrade later would end with
      other data. Restore it and add a version; while the version is unreleased, `strata freeze --amend` seals it
      again. Comments and white space don't count, and neither does `accept:`.
      """,
      failing: [],
      repaired: []),
    DiagnosticPage(
      rule("STR4008"),
      """
      The first line of the lock names how its digests are made, and every way that was ever used is kept. A tool
      that would compute other digests for an unchanged schema is wrong; its own tests find it.
      """,
      failing: [],
      repaired: []),
  ]
}
