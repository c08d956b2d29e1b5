import StrataSource

extension RulePages {
  static let advice: [DiagnosticPage] = [
    DiagnosticPage(
      rule("STR3901"),
      """
      With `generate: { access: public }` in strata.yaml other packages use the generated classes. What they call is
      gone, has another type or asks for another argument: raise the major version.
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
        ExampleFile(
          "strata.yaml",
          """
          generate: { access: public }
          """),
      ],
      repaired: [
        ExampleFile(
          "strata.yaml",
          """
          generate: { access: public }
          rules: { swift-api-break: off }
          """)
      ]),
    DiagnosticPage(
      rule("STR3951"),
      """
      SQLite cannot make this change in place. The upgrade writes the table anew, together with all other changes of
      all versions that are skipped, in one pass.
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
      rule("STR3952"),
      """
      With `--samples DIR` the space that an upgrade of each file needs is compared with what its disk has left, and with
      `limits: { disk: … }` of strata.yaml: a size such as `500 MB`, or a multiple of the file such as `2.5x`, which
      allows 4 MiB at the least, because every upgrade is reckoned with some megabytes of its own.
      `strata migrate --output` writes to another disk.
      """,
      failing: [
        ExampleFile(
          "strata.yaml",
          """
          limits: { disk: 10 kB }
          """)
      ],
      repaired: [],
      said: """
        versions/1.yaml:2:10: warning: the upgrade of samples/0-old.db needs … bytes, and strata.yaml allows … [STR3952]
          help: 'strata migrate --output' writes to another disk

        """),
    DiagnosticPage(
      rule("STR3953"),
      """
      With `--samples DIR` the objects of models with Swift blocks are counted. A block runs once an object; a
      declarative `set:` is one statement for all of them. `limits: { blockObjects: … }` of strata.yaml says from how many
      objects on this is worth a warning; 100,000 where nothing is said.
      """,
      failing: [
        ExampleFile(
          "strata.yaml",
          """
          limits: { blockObjects: 2 }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          swift: [Person]
          """),
      ],
      repaired: [],
      said: """
        migrations/1.yaml:2:9: warning: the block runs 3 times for 'Person' in a sample file [STR3953]
          help: what an expression can say is one statement for all objects: 'set:'

        """),
  ]
}
