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
      failing: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { age: 1 + length(old.name) } }
          """)
      ],
      repaired: [],
      said: """
        migrations/1.yaml:1:5: error: the step to version 1 was edited after it was sealed [STR4007]
          help: restore it and add a version; 'strata freeze --amend' while the version is unreleased

        """),
    DiagnosticPage(
      rule("STR4008"),
      """
      The first line of the lock names how its digests are made, and every way that was ever used is kept: an unchanged
      version has the same digest for ever. A lock that begins with another line was written by another strata; sealed again by
      this one, versions that were not touched would look edited. With `--against` a digest that is another one than there,
      of a file that is the same, is found too.
      """,
      failing: [
        ExampleFile(
          "schemas/schema.lock",
          """
          strata-lock 2
          0 blake3=af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262
          """)
      ],
      repaired: [],
      said: """
        schemas/schema.lock:1:1: error: this strata seals as 'strata-lock 1' says: unchanged versions would get other digests than 'strata-lock 2' has [STR4008]
          help: digests are kept for ever: restore the lock, and seal new versions with the strata that it was written by

        """),
  ]
}
