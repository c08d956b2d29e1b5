import StrataSource

extension RulePages {
  static let expressionTokens: [DiagnosticPage] = [
    DiagnosticPage(
      expression("STR6001"),
      """
      Something stands where something else is expected. The message says both. Comparisons don't chain: `a < b AND
      b < c`. Names that are keywords are written with a `#`.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age + * 2" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age + 1 * 2" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6002"),
      """
      The expression ends before it is complete.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "(old.age + 1" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "(old.age + 1)" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6003"),
      """
      The sign means nothing in an expression.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age ~ 1" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "old.age - 1" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6004"),
      #"""
      A string begins with `'` or `"` and ends with the same sign. A quote inside is written `\'`.
      """#,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "length('abc)" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "length('abc')" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6005"),
      #"""
      Known are `\n \r \t \0 \\ \' \" \/`, `\u` with four hexadecimal digits, and `\u{…}` with up to eight.
      """#,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          #"""
          to: 1
          set: { Person: { extra: "length('a\\q')" } }
          """#),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          #"""
          to: 1
          set: { Person: { extra: "length('a\\\\q')" } }
          """#)
      ]),
    DiagnosticPage(
      expression("STR6006"),
      """
      Whole numbers have 64 bits with a sign, fractions are doubles. Larger ones are written `decimal('…')`.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "9223372036854775808" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "9223372036854775807" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6007"),
      """
      An expression has at most 65,536 bytes. What is longer is data: give it as an argument, or as a list of `IN`.
      """,
      failing: [],
      repaired: []),
    DiagnosticPage(
      expression("STR6008"),
      """
      Parentheses, calls and signs nest at most 64 deep, and an expression has at most 1,000 operators. Many
      comparisons of one value are one `IN {…}`.
      """,
      failing: [
        ExampleFile(
          "schemas/versions/0.yaml",
          """
          schema: People
          version: 0
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "schemas/People.yaml",
          """
          schema: People
          version: 1
          models:
            Person: { properties: { name: string, age: int, nick: string?, dogs: [Dog], mood: Mood, extra: int? } }
            Dog: { properties: { name: string } }
          enums:
            Mood: { type: string, cases: [calm, angry] }
          """),
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "----------------------------------------------------------------------old.age" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "-old.age" } }
          """)
      ]),
  ]
}
