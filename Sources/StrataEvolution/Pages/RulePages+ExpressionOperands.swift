import StrataSource

extension RulePages {
  static let expressionOperands: [DiagnosticPage] = [
    DiagnosticPage(
      expression("STR6104"),
      """
      The operator does not work on these types. `+` joins strings with strings; `string(…)` makes text of other
      values.
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
          set: { Person: { extra: "length(old.name + old.age)" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "length(old.name + string(old.age))" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6105"),
      """
      The two sides can never be equal or in order. Convert one of them; literals of other types are written
      `date('…')`, `uuid('…')`.
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
          delete: { Person: "old.age == '3'" }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          delete: { Person: "old.age == 3" }
          """)
      ]),
    DiagnosticPage(
      expression("STR6106"),
      """
      No case of the enum has the raw value. Files hold raw values, and so expressions compare with raw values, not
      with names.
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
          delete: { Person: "old.mood == 'clam'" }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          delete: { Person: "old.mood == 'calm'" }
          """)
      ]),
    DiagnosticPage(
      expression("STR6107"),
      """
      A condition is true or false. A number is none: compare it.
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
          delete: { Person: old.age }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          delete: { Person: old.age == 0 }
          """)
      ]),
    DiagnosticPage(
      expression("STR6110"),
      """
      The function does not take a value of this type.
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
          set: { Person: { extra: "length(old.age)" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "length(string(old.age))" } }
          """)
      ]),
    DiagnosticPage(
      expression("STR6115"),
      """
      Both branches of `if`, both sides of `??` and the elements of a list have one type.
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
          set: { Person: { extra: "length(if(old.age > 3, 'a', 1))" } }
          """),
      ],
      repaired: [
        ExampleFile(
          "migrations/1.yaml",
          """
          to: 1
          set: { Person: { extra: "length(if(old.age > 3, 'a', '1'))" } }
          """)
      ]),
  ]
}
